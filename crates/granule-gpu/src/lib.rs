//! Granular matter and water on graphics devices: the solvers of `crates/granule/src/solver/` as compute shaders. What
//! follows is that of `iisph`; `src/wcsph/mod.rs` says what the weakly compressible solver does with the same buffers.
//!
//! [`GpuMaker`] makes [`GpuIisph`] for the engine's front door, which knows no graphics. Shaders are plain WGSL in
//! `shader/`: no subgroups, no float atomics, at most eight storage buffers per kernel, gathers only. Every file of
//! pair mathematics names the Rust function that it mirrors, and tests compare both.
//!
//! # Data
//!
//! | buffer | bytes per particle | lives |
//! | --- | --- | --- |
//! | position + radius, velocity + mass | 32 | always |
//! | stress (6), pressure, strain rate | 32 | state |
//! | tag: id, material, contacts of the last step | 16 | state |
//! | scratch of the reordering | 80 | sort; positions as listed (`wcsph`) |
//! | keys of 64 bits and places, twice | 24 | sort |
//! | marks of cells; cells and the 9 ranges of particles around each | 4 + 19 | neighbours |
//! | neighbour lists | 160 at first, as much as needed later | one step |
//! | found: density, diagonal, contacts, material and number of neighbours | 16 | one step |
//! | predicted velocity, wall acceleration, solved velocity | 48 | one step |
//! | wall contacts, 64 bytes each, two halves | 32 at first | state |
//!
//! **Order.** Particles are sorted by cell in every step: 64-bit keys from cell coordinates relative to the bounds of
//! all particles, x in the lowest bits, by as many passes of 8 bits as the bounds need. A stray far away makes keys
//! longer and nothing larger: occupied cells are a sorted list that is searched. Removed particles get the highest
//! key, so the sort drops them; nothing else compacts columns.
//!
//! **Neighbour lists** are slot-major in groups of 32 particles: a slot holds one neighbour of every particle of the
//! group, side by side, and a group has as many slots as its longest list, up to a multiple of four; what is left holds
//! the particle itself, a pair without gradient. Pair gradients are not stored but evaluated anew: 10 million particles
//! would need 3 GB for them. Sweeps take four pairs at a time and load all they need of them before any arithmetic.
//! `accelerate` gathers a position and a stress of 32 bytes, `project` a position and a velocity.
//!
//! **Room.** Lists, contacts and cells have bounded room, and so many passes of the sort are recorded. A step that needs more
//! halts on the device before it has changed anything but the order; the host makes room and the step begins anew. Nothing is
//! dropped.
//!
//! # A step
//!
//! ```text
//! sort               measure, begin, keys, 3 per digit (20 bits: 9), reorder, put back
//! neighbors          scan (3), list cells, index, ranges, lists
//! sample_boundaries  samples; check of room
//! warm_start         begin, count, attach, sum, push, carry of bodies; impulses of the last step
//! density, drag (with air), predict_velocity, accelerate      1 each
//! { project, accelerate }                     2 per sweep that every step takes, 5 with free bodies
//! { project, decide, accelerate }             3 per further sweep, 6 with free bodies
//! integrate, diagnose (where asked for), quarantine (report)               1 each
//! ```
//!
//! Nothing is read back inside a batch of steps up to a frame's end. `begin` chooses the step's length from the
//! fastest particle and wall, `decide` ends the sweeps; both write the arguments of indirect dispatches. Recorded
//! steps that are not needed dispatch nothing. The first step of a batch is recorded while the device works on the
//! batch before. A step takes its sweeps from as many recorded steps as it needs, so results do not depend on how much
//! was recorded.
//!
//! **Walls** come from one table of solids, maps of meshes included. Where walls meet, or belong to bodies, a particle has
//! several contacts, told apart by boundary, face and normal.
//!
//! **Bodies.** Scenes with rigid bodies take their steps one by one: rapier moves the bodies on the CPU between two steps, in
//! the middle of one of `wcsph`.
//!
//! **Water.** A weakly compressible step keeps order and lists as long as they hold:
//!
//! ```text
//! integrate          measure, begin, [half kick, bodies, rounds over walls], kick and drift; whether lists hold
//! sort, neighbors    where they do not
//! sample_boundaries  samples; check of room
//! density, normals (with surface smoothing), accelerate, drag (with air)      1 each
//! integrate          second kick
//! quarantine         report
//! ```
//!
//! Sums are trees of fixed shape and counters are whole numbers, so repeated runs on an adapter give the same bits.
//! Lists and contacts take their room in whatever order groups come; what they hold does not depend on it.
//!
//! # Departures from the CPU
//!
//! Pair gradients are not rounded to 1/32000 of the longest. Sums are single precision. The strain rate of a fluid is that of its last sweep. Shapes are
//! multiplied out to unions of intersections of unions, so nested intersections look for edges between all their parts
//! at once.

mod air;
mod batch;
mod bodies;
mod checkpoint;
mod columns;
mod commands;
mod constants;
mod error;
mod fields;
mod grains;
pub mod kernel;
mod layout;
mod maker;
mod motion;
pub mod primitives;
mod program;
mod queries;
mod shaders;
mod solver;
mod stages;
#[cfg(test)]
mod testing;
mod timing;
mod traffic;
#[cfg(test)]
mod twins;
mod view;
mod wcsph;

pub use error::GpuError;
pub use grains::GpuGrains;
pub use maker::GpuMaker;
pub use solver::GpuIisph;
pub use view::{ParticleView, VIEW_FIELDS};
