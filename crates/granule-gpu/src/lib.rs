//! Granular matter and water on graphics devices: the solvers of `crates/granule/src/solver/` as compute shaders.
//!
//! [`GpuBackend`] makes a [`GpuSimulation`] for the engine's front door, which knows no graphics. A simulation is a core, the
//! same for all solvers (buffers, batches of steps, walls, bodies, air, reads, checkpoints, views, queries: `src/core/`), and
//! a [`Method`]: its columns, its list of stages, and what it adds to shared kernels. Methods live side by side in folders of
//! their own (`src/iisph/`, `src/wcsph/`, `src/dem/`, `src/pbd/`, with their shaders in folders of `shader/`); [`METHODS`] is the registry,
//! and `GpuBackend::with_method` takes one from outside.
//!
//! Shaders are plain WGSL in `shader/`: no subgroups, no float atomics, at most eight storage buffers per kernel, gathers
//! only, but for pairs of one colour, which share no grain. Every file of pair mathematics names the Rust function that it mirrors, and tests compare both.
//!
//! # Data
//!
//! | buffer | bytes per particle | lives |
//! | --- | --- | --- |
//! | position + radius, velocity + mass | 32 | state |
//! | meta: id, material, contacts of the last step | 16 | state |
//! | `iisph`: stress (6), pressure, strain rate; `wcsph`: acceleration, pressure | 32; 16 | state |
//! | density state: density, a number of the method's, contacts, material and number of neighbours | 16 | result |
//! | `iisph`: acceleration | 16 | result |
//! | `iisph`: prediction, solved velocity; `wcsph`: place, motion | 48; 32 | one step |
//! | state columns on their way through the sort, four at a time | 80; 64 | sort; positions as listed until the next one |
//! | keys of 64 bits and places, twice | 24 | sort |
//! | marks of cells; cells and the 9 ranges of particles around each | 4 + 19 | neighbours |
//! | neighbour lists | 160 at first, as much as needed later | one step |
//! | wall contacts, 64 bytes each, two halves | 32 at first | state |
//!
//! **Columns.** A method lists its columns, each with a name, bytes per particle and how long it lives (`src/core/columns.rs`).
//! The sort moves what is state, four columns per dispatch there and back; buffers grow, new particles begin, checkpoints are
//! read and bytes are counted from the same list.
//!
//! **Order.** Particles are sorted by cell in every step: 64-bit keys from cell coordinates relative to the bounds of
//! all particles, x in the lowest bits, by as many passes of 8 bits as the bounds need. A stray far away makes keys
//! longer and nothing larger: occupied cells are a sorted list that is searched. Removed particles get the highest
//! key, so the sort drops them; nothing else compacts columns.
//!
//! **Neighbour lists** are slot-major in groups of 32 particles: a slot holds one neighbour of every particle of the
//! group, side by side, and a group has as many slots as its longest list, up to a multiple of four; what is left holds
//! the particle itself, a pair without gradient. Pair gradients are not stored but evaluated anew: 10 million particles
//! would need 3 GB for them. Iterations take four pairs at a time and load all they need of them before any arithmetic.
//! `accelerate` gathers a position and a stress of 32 bytes, `project` a position and a velocity.
//!
//! **Capacity.** Lists, contacts and cells have bounded room, and so many passes of the sort are recorded. A step that needs more
//! halts on the device before it has changed anything but the order; the host makes room and the step begins anew. Nothing is
//! dropped.
//!
//! # A step
//!
//! Of `iisph`:
//!
//! ```text
//! sort               measure, begin, keys, 3 per digit (20 bits: 9), reorder, put back
//! neighbors          scan (3), list cells, index, ranges, lists
//! sample_boundaries  samples; check of capacity
//! warm_start         begin, count, attach, sum, push, carry of bodies; impulses of the last step
//! density, drag (with air), predict_velocity, accelerate      1 each
//! { project, accelerate }                     2 per iteration that every step takes, 5 with free bodies
//! { project, decide, accelerate }             3 per further iteration, 6 with free bodies
//! integrate, diagnose (where asked for), quarantine (report)               1 each
//! ```
//!
//! Nothing is read back inside a batch of steps up to a frame's end. `begin` chooses the step's length from the
//! fastest particle and wall, `decide` ends the iterations; both write the arguments of indirect dispatches. Recorded
//! steps that are not needed dispatch nothing. The first step of a batch is recorded while the device works on the
//! batch before. A step takes its iterations from as many recorded steps as it needs, so results do not depend on how much
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
//! sample_boundaries  samples; check of capacity
//! density, normals (with surface smoothing), accelerate, drag (with air)      1 each
//! integrate          second kick
//! quarantine         report
//! ```
//!
//! **Grains.** A step of distinct elements keeps order and lists likewise; the page of `src/dem/mod.rs` has its stages and data, that of
//! `src/pbd/mod.rs` those of position-based sand.
//!
//! Sums are trees of fixed shape and counters are whole numbers, so repeated runs on an adapter give the same bits.
//! Lists and contacts take their room in whatever order groups come; what they hold does not depend on it.
//!
//! # Departures from the CPU
//!
//! Pair gradients are not rounded to 1/32000 of the longest. Sums are single precision. The strain rate of a fluid is that of
//! its last iteration. Shapes are multiplied out to unions of intersections of unions, so nested intersections look for edges
//! between all their parts at once.

mod backend;
#[doc(hidden)]
pub mod core;
mod dem;
mod error;
mod facets;
mod grains;
mod iisph;
pub mod kernel;
mod methods;
mod pbd;
#[cfg(test)]
mod position;
pub mod primitives;
mod shaders;
mod solid_table;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod twins;
mod wcsph;

pub use crate::core::method::{Method, MethodEntry};
pub use crate::core::pacing::PacingReport;
pub use crate::core::simulation::GpuSimulation;
pub use crate::core::timing::KernelTime;
pub use crate::core::view::ParticleView;
pub use backend::GpuBackend;
pub use error::GpuError;
pub use grains::GpuGrains;
pub use methods::METHODS;
