//! Position-based sand on a device: rigid spheres with few steps per frame. The order is that of
//! `crates/granule/src/solver/pbd/mod.rs`; `stages.rs` is the list of stages.
//!
//! ```text
//! sort          measure, begin, walls that hold a force; whether lists hold. Where they do not: forces put aside by partner, orientations, keys, passes, columns
//! neighbors     cells, ranges, lists by radii, walls that may be near; check of room; bricks, and their pairs by colour; rounds of
//!               colouring of loose pairs, these by colour; forces of all; the dispatches of bricks and colours
//! integrate     gravity
//! drag          with air
//! bodies        those made of particles fall, and give these their velocities
//! touch         normals and gaps of all pairs; who touches, or will within the step
//! touch_walls   contacts with walls, their impulses of the step before, and how far they push; bodies under these
//! bodies        masses of particles of bodies, by who touches (`shaped_stages.rs`)
//! warm_start    impulses of the step before, and how far overlaps push, gathered per grain
//! project       per sweep: bricks by partition, loose pairs by colour, then walls, then bodies, and more of it where bodies made of particles meet; bounces, where a material has restitution; loads
//! integrate     bodies made of particles; x += h v and the push; turns, totals, what is not finite
//! quarantine    whether lists hold for one more step; report
//! ```
//!
//! # Data
//!
//! | column | bytes | holds | life |
//! | --- | --- | --- | --- |
//! | position, velocity, meta | 48 | as all methods; meta has contacts with walls | state |
//! | place | 32 | exact centre in quanta of 2^-48 m, radius, id | state |
//! | motion | 32 | velocity, inverse mass (0: held), angular velocity, radius: one sector of memory per partner | state |
//! | way | 48 | push of the step; rotation vector since lists were made, how far it is listed; path | result |
//! | orientation | 16 | orientation when lists were made | state |
//! | source | 8 | where its forces were put aside | state |
//! | colouring, head | 36 | largest key that is left and colours, twice; its entry | scratch |
//! | bricks of grains | 16 | slots of its bricks | scratch |
//!
//! A pair takes 68 bytes: both grains and a mark of who touches (8), normal and gap (16), impulses (32), law (4), approach (4), the end of
//! a colour (4). The table of bricks takes 32 to 64 bytes per grain, and their records 32. An
//! entry of the lists, of which a pair has two, takes 4, 4 for its pair, and 36 for forces put aside. A
//! contact with a wall takes 64, and 64 within a step.
//!
//! **Bricks** are those of the CPU (`crates/granule/src/solver/pbd/bricks.rs`), as slots of a table that whoever comes first takes; which
//! slot, and the order of bricks, change no bit. A workgroup colours the pairs of a brick in rounds and places them by colour; in
//! a pass one goes through the colours of a brick with barriers between them. Grains belong to one brick of a partition, so nobody
//! else reads or writes them meanwhile.
//!
//! **Colours of loose pairs** are those of the CPU, too, here found by a dispatch per
//! round in which every grain finds for itself, from what the round before has left, whether the pair with its largest key has its
//! turn. Rounds that are not recorded are done by one workgroup. Loose pairs lie in memory behind those of bricks, colour by colour, those that
//! touch first; the order inside of a colour changes no bit. Large colours have a dispatch each in a sweep, as many as there were
//! before; small ones behind them, what is left, and pairs without any colour share one workgroup that goes through them in order.
//!
//! **The warm start** needs no colours, as impulses are known and add up: a thread per grain gathers those of its pairs, in the order of
//! its list, so that repeats give the same bits. Threads that find normals and gaps go through bricks as they lie, and through a piece of every
//! colour of loose pairs together, because the pairs of some grains lie at about the same place of every colour.
//!
//! **Held grains** have no colours and are never written; their pairs are placed by the partner.
//!
//! **Walls** are found and measured as those of distinct elements are, meshes on their triangles. They have their warm start before
//! pairs have theirs, which changes sums by rounding only.
//!
//! **Bodies** are where rapier has left them after the step before. Each of N contacts is solved as if the body had N times its inverse
//! mass and inertia; after every sweep all impulses on a body are added up in whole numbers, so that no order matters, and its
//! contacts take over the motion that follows. At the end of a step the host reads the sums, and rapier moves the bodies: a scene
//! with bodies is read back once per step, with a lag of 0 steps. **Walls that hold a force** are moved on the device by the same
//! sums, twice half a kick per step, and are read at the ends of batches (`bodies.rs`).
//!
//! **The averaged scheme** takes the place of warm start and sweeps (`averaged.rs`): a thread per grain gathers the corrections of its list
//! and its walls, from one column to another. A run keeps the scheme that it has begun with.
//!
//! **Interrupted steps** halt before anything has moved, where lists or contacts with walls have no room. Forces are put aside once:
//! what was put aside stays until new lists have taken it over.
//!
//! **Departures from the CPU**: sums are single precision; a step's length and displacements are rounded to it; walls are measured as
//! in `dem`. A sphere that touches more than eight walls at once knows eight of them.
//!
//! **Bodies made of particles** are moved by the device within a step, in quanta and whole numbers as rigid grains of `dem` are, and go to
//! the host and back between steps (`shaped.rs`): a scene with such bodies is read back once per step, as with all bodies.

mod averaged;
mod bodies;
mod checkpoint;
mod columns;
mod constants;
mod fields;
pub mod layout;
mod list_stages;
mod refuse;
pub mod shaders;
mod shaped;
mod shaped_stages;
mod stages;
#[cfg(test)]
mod twins;

use glam::Vec3;
use granule::bodies::Bodies;
use granule::boundary::Boundaries;
use granule::contacts::Contact;
use granule::grains::GrainShapes;
use granule::material::grain_mass;
use granule::particles::{NewGrain, NewParticle};
use granule::position::ExactPosition;
use granule::scene::{PbdScheme, Scene, SolverKind};
use granule::simd::Instructions;
use granule::simulator::{FieldData, FieldInfo, StateError, StepReport};
use granule::solver::dem::params::radii;
use granule::solver::pbd::FIELDS;
use granule::solver::pbd::params::Setup;
use granule::stages::Stage;

use crate::GpuError;
use crate::core::binder::Binder;
use crate::core::buffers::{Buffers, PoolInfo};
use crate::core::capacity::Capacity;
use crate::core::columns::{ColumnInfo, DENSITY_STATE, META};
use crate::core::constants::StepLimits;
use crate::core::hooks::Hooks;
use crate::core::layout::{LANES, ReportRecord, StepRecord};
use crate::core::method::{
    FieldInput, Iterations, Method, MethodEntry, MethodInput, MethodStages, MovedBodies, PoolWrite,
    StateToRestore, StateToSave,
};
use crate::dem::layout::ServoRecord;
use crate::dem::twin;

use bodies::Pushed;
use columns::{MOTION, PLACE, SERVOS, SHAPED};
use layout::PlaceRecord;
use shaped::Shaped;
use stages::StepShape;

/// The solver's word.
const NAME: &str = "pbd";

/// The method for registries.
pub const ENTRY: MethodEntry =
    MethodEntry { name: NAME, make: |input| Ok(Box::new(Pbd::new(input)?) as Box<dyn Method>) };

/// Slots of lists per sphere that buffers begin with: a settled bed of equal spheres, padded to the longest of 32.
const SLOTS_PER_SPHERE: f64 = 14.0;

/// Of how many recorded steps one sorts at least. A choice: a settled bed keeps its lists for a frame, a flow for some steps.
const SORT_EVERY: u32 = 5;

/// Position-based sand.
struct Pbd {
    setup: Setup,
    shapes: GrainShapes,
    /// Radius of the largest sphere \[m\].
    largest: f32,
    materials: usize,
    /// Walls and bodies.
    walls: usize,
    /// Which of them grains push.
    pushed: Pushed,
    /// Bodies that are made of particles.
    shaped: Shaped,
    /// Overrides for kernels that find walls.
    solids: [(&'static str, f64); 2],
}

impl Pbd {
    fn new(input: &MethodInput) -> Result<Self, GpuError> {
        refuse::check(input)?;
        let (scene, shapes) = (input.scene, input.grain_shapes);
        let of_grains = input.grains.iter().map(|grain| grain.radius);
        let of_scene = |grains: &granule::scene::GrainsSettings| {
            scene.radius_of(&grains.material, grains.radius.as_ref()).limits().1
        };
        let fixed = scene.grains.iter().map(of_scene);
        let shaped = Shaped::new(input.bodies, scene.material.len(), input.grains.len());
        let largest = f32::max(radii(scene, shapes).1 as f32, shaped.largest_radius());
        Ok(Self {
            largest: of_grains.chain(fixed).fold(largest, f32::max),
            materials: scene.material.len() + shaped.len() as usize,
            walls: scene.boundary.len() + scene.body.len(),
            pushed: Pushed::of(scene),
            shaped,
            solids: input.solids,
            shapes: shapes.clone(),
            setup: Setup::new(scene, shapes, None, Instructions::Portable),
        })
    }
}

impl Method for Pbd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fields(&self) -> &'static [FieldInfo] {
        FIELDS
    }

    fn adopt(&mut self, scene: &Scene) {
        self.setup = Setup::new(scene, &self.shapes, None, Instructions::Portable);
    }

    fn expect(&mut self, state: &StateToRestore) {
        let radii = state.particles.position.iter().map(|x| x.w);
        self.largest = radii.fold(self.largest, f32::max);
        self.shaped.expect(&state.particles);
    }

    fn settle(&mut self, taken_over: bool) {
        self.shaped.settle(taken_over);
    }

    fn limits(&self) -> StepLimits {
        constants::limits(&self.setup, self.largest)
    }

    fn sort_every(&self) -> u32 {
        SORT_EVERY
    }

    fn keeps_lists(&self) -> bool {
        true
    }

    fn shares_body_kernels(&self) -> bool {
        false
    }

    fn send_bodies(&self, all: &mut Bodies, boundaries: &Boundaries, start: f64) -> Vec<PoolWrite> {
        self.pushed.send(boundaries, start).into_iter().chain(self.shaped.send(all)).collect()
    }

    fn body_pools(&self) -> Vec<&'static str> {
        let servos = self.pushed.servos.then_some(SERVOS);
        servos.into_iter().chain((!self.shaped.is_empty()).then_some(SHAPED)).collect()
    }

    fn fetch_bodies(&self, bytes: &[u8], all: &mut Bodies, boundaries: &Boundaries) -> MovedBodies {
        let of_servos = if self.pushed.servos { self.walls * size_of::<ServoRecord>() } else { 0 };
        let (servos, shaped) = bytes.split_at(of_servos.min(bytes.len()));
        let mut moved = bodies::fetch(servos, boundaries);
        self.shaped.fetch(shaped, all, &mut moved);
        moved
    }

    fn particles_of_bodies(&self) -> Vec<NewParticle> {
        self.shaped.particles().to_vec()
    }

    fn bodies_of_particles(&self) -> Vec<usize> {
        self.shaped.numbers()
    }

    fn constant_pools(&self) -> Vec<PoolWrite> {
        self.shaped.offsets()
    }

    fn overrides(&self) -> Vec<(&'static str, f64)> {
        constants::overrides(&self.setup, !self.shaped.is_empty())
    }

    fn params(&self) -> Vec<u8> {
        let first_member = self.shaped.first_id();
        bytemuck::bytes_of(&constants::params(&self.setup, self.materials, self.largest, first_member))
            .to_vec()
    }

    fn materials(&self) -> Vec<u8> {
        bytemuck::pod_collect_to_vec(&constants::laws(&self.setup, self.materials, self.walls))
    }

    fn columns(&self) -> Vec<ColumnInfo> {
        columns::list(self.setup.averaging.is_some())
    }

    fn hooks(&self) -> Hooks {
        shaders::HOOKS
    }

    fn pools(&self, capacity: &Capacity) -> Vec<PoolInfo> {
        let pushed = self.pushed.pools(self.walls).into_iter();
        columns::pools(capacity).into_iter().chain(pushed).chain(self.shaped.pools(capacity)).collect()
    }

    fn slots_per_particle(&self) -> Option<f64> {
        Some(SLOTS_PER_SPHERE)
    }

    fn begin_particles(&self, grains: &[NewParticle], first_id: u32, _: Vec3) -> Vec<(ColumnInfo, Vec<u8>)> {
        let place = |(id, grain): (u32, &NewParticle)| {
            let exact = ExactPosition::new(grain.position).unwrap_or_default();
            PlaceRecord { quanta: self.setup.exact_domain.wrap(exact).quanta, radius: grain.radius, id }
        };
        let motion = |grain: &NewParticle| {
            let inverse_mass = if grain.fixed { 0.0 } else { 1.0 / grain.mass };
            [grain.velocity.extend(inverse_mass).to_array(), [0.0, 0.0, 0.0, grain.radius]]
        };
        let places: Vec<PlaceRecord> = (first_id..).zip(grains).map(place).collect();
        let motions: Vec<[[f32; 4]; 2]> = grains.iter().map(motion).collect();
        let density = vec![[1f32.to_bits(), 0, 0, 0]; grains.len()];
        let meta = |(id, grain): (u32, &NewParticle)| [id, self.shaped.material_word(grain.material), 0, 0];
        let meta: Vec<[u32; 4]> = (first_id..).zip(grains).map(meta).collect();
        vec![
            (PLACE, bytemuck::pod_collect_to_vec(&places)),
            (MOTION, bytemuck::pod_collect_to_vec(&motions)),
            (DENSITY_STATE, bytemuck::pod_collect_to_vec(&density)),
            (META, bytemuck::pod_collect_to_vec(&meta)),
        ]
    }

    fn mass_of(&self, grain: &NewGrain) -> Option<f32> {
        let density = self.setup.materials.get(usize::from(grain.material))?.density;
        Some(grain_mass(density, grain.radius))
    }

    fn hashed_columns(&self) -> Vec<ColumnInfo> {
        vec![PLACE, MOTION]
    }

    fn touches_triangles(&self) -> bool {
        true
    }

    fn keeps_wall_impulses(&self) -> bool {
        false
    }

    fn driven(&self) -> Option<ColumnInfo> {
        Some(MOTION)
    }

    fn bind(&self, binder: &mut Binder, buffers: &Buffers) -> Box<dyn MethodStages> {
        let shape = StepShape {
            sweeps: self.setup.sweeps,
            bounces: self.setup.laws.bounces,
            solids: (self.walls > 0).then_some(&self.solids),
            pushed: self.pushed,
            shaped: self.shaped.len(),
            averaged: self.setup.averaging.map(|averaging| averaged::Iterations {
                stabilization: averaging.stabilization,
                moves: self.setup.sweeps,
            }),
        };
        Box::new(stages::PbdStages::new(binder, buffers, shape))
    }

    fn iterations(&self) -> Iterations {
        Iterations { sure: 0, most: layout::COLOURS }
    }

    /// The device reports colours in the place of iterations.
    fn report(&self, _: &ReportRecord, report: &mut StepReport) {
        report.iterations = self.setup.sweeps;
    }

    fn host_fields(&self) -> &'static [&'static str] {
        fields::OF_CONTACTS
    }

    fn find_on_host(
        &self,
        names: &[&str],
        state: &[u8],
        scene: &Scene,
        boundaries: &Boundaries,
    ) -> Result<Vec<FieldData>, StateError> {
        twin::fields(SolverKind::Pbd, names, state, scene, boundaries, &self.shapes)
    }

    fn contacts(
        &self,
        state: &dyn Fn() -> Result<Vec<u8>, StateError>,
        scene: &Scene,
        boundaries: &Boundaries,
    ) -> Result<Vec<Contact>, StateError> {
        twin::contacts(SolverKind::Pbd, &state()?, scene, boundaries, &self.shapes)
    }

    fn refuses(&self, scene: &Scene) -> Option<String> {
        let averaged = scene.pbd.scheme == PbdScheme::Averaged;
        let other = averaged != self.setup.averaging.is_some();
        other.then(|| "devices keep the scheme that a run has begun with; take the CPU".into())
    }

    fn field_columns(&self, field: &str) -> Vec<ColumnInfo> {
        fields::columns_of(field)
    }

    fn field(&self, name: &str, input: &FieldInput) -> FieldData {
        fields::field(name, input)
    }

    /// Of a step that has kept its lists, with five listed pairs per grain, three of which touch.
    fn traffic(&self, step: &StepRecord, _: u32) -> Vec<(Stage, f64)> {
        let count = f64::from(step.count);
        let listed = f64::from(step.list_slots) * f64::from(LANES) / 2.0;
        let touching = 0.6 * listed;
        // Both grains, normal and gap, impulses; motions of both, read and written.
        let pass = 8.0 * listed + touching * (16.0 + 32.0 + 2.0 * 2.0 * 32.0);
        vec![
            (Stage::Integrate, count * (2.0 * 16.0 + 32.0 + 3.0 * 16.0 + 3.0 * 32.0 + 6.0 * 16.0)),
            (Stage::Touch, listed * (8.0 + 2.0 * (32.0 + 16.0)) + touching * (16.0 + 64.0)),
            (Stage::WarmStart, pass),
            (Stage::Project, f64::from(self.setup.sweeps) * (pass + 32.0 * touching)),
        ]
    }

    fn save(&self, state: StateToSave) -> Result<Vec<u8>, StateError> {
        checkpoint::save(state)
    }

    fn decode(
        &self,
        bytes: &[u8],
        scene: &Scene,
        boundary_count: usize,
    ) -> Result<StateToRestore, StateError> {
        checkpoint::decode(bytes, scene, boundary_count, &self.shaped)
    }
}
