//! Distinct elements on a device: every sphere finds all its contacts and adds up what they do to it, so that no two threads
//! write the same number. The order is that of `crates/granule/src/solver/dem/mod.rs`; `stages.rs` is the list of stages.
//!
//! ```text
//! integrate     measure, begin, the cell by a step where it strains, first kick and drift, also of bodies; whether lists hold
//! sort          where they do not: contacts put aside by partner, orientations, keys, passes, columns
//! neighbors     cells, ranges, lists by radii, walls that may be near; check of room; contacts taken over
//! touch         contacts of spheres, weight; of a cell that strains, every ten steps: stresses, their sum, the cell's rates
//! touch_walls   contacts with walls; what they do to bodies
//! drag          with air
//! integrate     second kick, turns, totals
//! quarantine    report
//! ```
//!
//! # Data
//!
//! | column | bytes | holds | life |
//! | --- | --- | --- | --- |
//! | position, velocity, meta | 48 | as all methods; meta has what moves the particle, and its contacts with walls | state |
//! | place | 32 | exact centre in quanta of 2^-48 m, radius, id: one sector of memory per partner | state |
//! | angular velocity | 16 | and the inverse of the mass that contacts feel | state |
//! | loads | 32 | force, contacts; torque, which slots remember something | result |
//! | orientation, turn | 32 | orientation when lists were made, rotation vector since | state, result |
//! | source | 8 | where its contacts were put aside | state |
//! | grain | 8 | the grain of several spheres that it belongs to, its number among all members | state, where there are such |
//!
//! A slot of a list takes 4 bytes, its memory 16 (friction) or 32 (rolling and twisting as well), and the same again while
//! particles are sorted, with 4 for the partner's id. A settled bed lists 9 partners per sphere, 11 slots with padding, and
//! touches 6. A contact with a wall takes 64 bytes.
//!
//! **Both sides.** A contact is computed and remembered by both partners, in the order of their ids: the same numbers through
//! the same instructions, so forces are opposite and memories equal to the last bit, and nobody writes what others read.
//! A bit per slot says whether it remembers something: what does not touch is neither read nor written.
//!
//! **Walls** are found in single precision and measured by lengths of whole units and a rest (`fine.wgsl`), since an overlap is
//! a thousandth of a grain. Particles that may touch some before lists are made anew have places for eight contacts.
//!
//! **Meshes** are touched on their triangles (`facets.wgsl`): a thread goes through the tree of boxes once, without a stack, keeps
//! what is a local minimum of the distance, and then the same rules as on the CPU say which contact goes on with which memory.
//!
//! **Bodies** that move freely, and walls that hold a force, are records like those of grains of several spheres: a thread each kicks and turns them at every step,
//! and writes the wall that they are. What contacts with them take from grains lies in the half of the wall contacts that nobody
//! needs as long as lists hold; it is added up in whole numbers, so that no order matters. At their interval, a fixed number of
//! steps, the host reads the records, rapier finds what bodies do to each other, and the next step begins with that: the lag is 0
//! steps, and nothing is read back in between.
//!
//! **Grains of several spheres** have a table (`clumps/`): a thread per grain adds up the loads of its members in their order,
//! kicks and turns it; then a thread per sphere, in their order, puts these where they are. Centre, orientation, velocity and angular momentum are whole
//! numbers of quanta, to which single precision adds what a step changes, so that no change is too small. Members know their grain
//! by a column that is sorted along, and grains the rows of their members from a table that is written after a sort.
//!
//! **A cell that strains** is one record (`strain.rs`): centre, half lengths, rates, stress and what is asked of it. At every step a
//! thread strains it and writes the constants by which others know space and how it moves, so these read no other buffer and are
//! the same as without. Every ten steps of a frame `touch` leaves the stress of its contacts per sphere, half of each contact; blocks
//! sum it up, then one workgroup, as trees, and the rates that hold pressures follow. Ways since lists were made are those from where the
//! cell would have taken a sphere: lists hold until twice the farthest of them and what the cell squeezes a pair together by are the skin.
//! With walls the way itself counts, too. A sort takes as many cells as fit the lengths of the step.
//!
//! **Interrupted steps** halt after the drift where lists or contacts with walls have no room, and go on behind it. Contacts are
//! put aside once: what was put aside stays until new lists have taken it over.
//!
//! **Departures from the CPU**: sums are single precision; a step's length and displacements are rounded to it, and so are rates, growth
//! and stresses of cells; walls are
//! measured within 2e-11 m near their point of reference, and those of a wall that turns within single precision of its pose.
//! Triangles are classed in single precision; what is then found twice, or nearly so, is merged within a thousandth of the reach, or
//! four millionths of a triangle. Meshes whose edges have more than two triangles have inside and outside of their grids.
//! A sphere that touches more than eight walls at once remembers eight of them, and pushes bodies through these. Grains of several spheres add up loads in single
//! precision, and are lost beyond 32,700 m; views colour their spheres by contacts of their own.

pub mod bodies;
mod checkpoint;
mod clumps;
mod columns;
mod constants;
mod fields;
pub mod layout;
mod pieces;
mod refuse;
pub mod shaders;
mod stages;
mod strain;
#[cfg(test)]
mod tests;
pub mod twin;
#[cfg(test)]
mod twins;

use std::sync::OnceLock;

use glam::Vec3;
use granule::bodies::Bodies;
use granule::boundary::Boundaries;
use granule::cell::CellState;
use granule::clumps::PlacedAssembly;
use granule::contacts::Contact;
use granule::grains::GrainShapes;
use granule::material::grain_mass;
use granule::neighbors::Domain;
use granule::particles::{NewGrain, NewParticle};
use granule::position::{ExactDomain, ExactPosition};
use granule::scene::{Scene, SolverKind, StrainSettings};
use granule::simd::Instructions;
use granule::simulator::{FieldData, FieldInfo, StateError};
use granule::solver::dem::FIELDS;
use granule::solver::dem::params::{Setup, radii};
use granule::solver::dem::state::mover;
use granule::stages::Stage;
use granule_device::GpuDevice;

use crate::GpuError;
use crate::core::binder::Binder;
use crate::core::buffers::{Buffers, PoolInfo};
use crate::core::capacity::Capacity;
use crate::core::columns::{ColumnInfo, DENSITY_STATE, META};
use crate::core::constants::StepLimits;
use crate::core::hooks::Hooks;
use crate::core::layout::{LANES, ReportRecord, StepRecord};
use crate::core::method::{
    BodyVisit, FieldInput, Method, MethodEntry, MethodInput, MethodStages, MovedBodies, PoolWrite,
    PublishedField, ReadPool, Regions, RemovedGrains, StateToRestore, StateToSave,
};

use clumps::{Clumps, Removal};
use columns::{CELL, FLIGHTS, LOADS, PLACE, RIGID, SPIN};
use layout::{MOVER_SHIFT, PlaceRecord, progress};
use pieces::Pieces;

/// The solver's word.
const NAME: &str = "dem";

/// The method for registries.
pub const ENTRY: MethodEntry =
    MethodEntry { name: NAME, make: |input| Ok(Box::new(Dem::new(input)?) as Box<dyn Method>) };

/// Slots of lists per sphere that buffers begin with: a settled bed of equal spheres, padded to the longest of 32.
const SLOTS_PER_SPHERE: f64 = 13.0;

/// Of how many recorded steps one sorts at least. A choice: a settled bed keeps its lists for hundreds of steps, a flow for ten; a step
/// that waits costs a twentieth of a millisecond.
const SORT_EVERY: u32 = 4;

/// Distinct elements.
struct Dem {
    setup: Setup,
    shapes: GrainShapes,
    /// Radius of the largest sphere \[m\].
    largest: f32,
    /// How much wider than pairs reach cells are.
    wider: f32,
    /// How the contact memory is divided.
    pieces: Pieces,
    materials: usize,
    /// Walls and bodies.
    walls: usize,
    /// Whether grains push some of them.
    pushed: bool,
    /// Along which axes space repeats.
    periodic: [bool; 3],
    /// Whether the periodic cell strains.
    strains: bool,
    /// Overrides for kernels that find walls.
    solids: [(&'static str, f64); 2],
    /// Grains of several spheres, where the scene or a checkpoint has some.
    clumps: Option<Clumps>,
    /// The same before a checkpoint that is being taken over.
    clumps_before: Option<Option<Clumps>>,
    removal: OnceLock<Removal>,
}

impl Dem {
    fn new(input: &MethodInput) -> Result<Self, GpuError> {
        refuse::check(input)?;
        let (scene, shapes) = (input.scene, input.grain_shapes);
        let setup = Setup::new(scene, shapes, None, Instructions::Portable);
        let of_grains = input.grains.iter().map(|grain| grain.radius);
        let of_scene = |grains: &granule::scene::GrainsSettings| {
            scene.radius_of(&grains.material, grains.radius.as_ref()).limits().1
        };
        let fixed = scene.grains.iter().map(of_scene);
        let moving = radii(scene, shapes).1 as f32;
        let largest = of_grains.chain(fixed).fold(moving, f32::max);
        let ranges = if scene.simulation.periodic.x.is_some() { 18 } else { 9 };
        let reach = constants::pair_reach(&setup, largest);
        Ok(Self {
            largest,
            wider: constants::widening(
                input.grains.len(),
                mean_volume(input.grains),
                reach,
                ranges,
                input.most_bytes,
            ),
            pieces: Pieces::new(constants::records(&setup), input.most_bytes),
            materials: scene.material.len(),
            walls: scene.boundary.len() + scene.body.len(),
            pushed: bodies::needed(scene),
            periodic: scene.simulation.periodic.axes().map(|range| range.is_some()),
            strains: scene.simulation.strain.is_some(),
            solids: input.solids,
            clumps: has_clumps(input).then(|| Clumps::with_room(input.assemblies)),
            clumps_before: None,
            removal: OnceLock::new(),
            shapes: shapes.clone(),
            setup,
        })
    }
}

/// Whether a scene has grains of several spheres.
fn has_clumps(input: &MethodInput) -> bool {
    let shapes = input.grain_shapes;
    !input.assemblies.is_empty() || shapes.grains.iter().chain(&shapes.emitters).any(Option::is_some)
}

/// Mean volume of grains \[m3\]; that of a unit cube where there are none.
fn mean_volume(grains: &[NewParticle]) -> f64 {
    let volume = |grain: &NewParticle| 4.0 / 3.0 * std::f64::consts::PI * f64::from(grain.radius).powi(3);
    if grains.is_empty() { 1.0 } else { grains.iter().map(volume).sum::<f64>() / grains.len() as f64 }
}

impl Method for Dem {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fields(&self) -> &'static [FieldInfo] {
        FIELDS
    }

    fn published(&self) -> &'static [PublishedField] {
        &[PublishedField { name: "coordination", column: LOADS, number: 3 }]
    }

    fn adopt(&mut self, scene: &Scene) {
        self.setup = Setup::new(scene, &self.shapes, None, Instructions::Portable);
    }

    fn expect(&mut self, state: &StateToRestore) {
        let radii = state.particles.position.iter().map(|x| x.w);
        self.largest = radii.fold(self.largest, f32::max);
        let wanted = self.clumps.is_some() || !state.assemblies.assembly.is_empty();
        let expected = wanted.then(|| Clumps::of(&state.assemblies));
        self.clumps_before = Some(std::mem::replace(&mut self.clumps, expected));
    }

    fn settle(&mut self, taken_over: bool) {
        if let Some(before) = self.clumps_before.take().filter(|_| !taken_over) {
            self.clumps = before;
        }
    }

    fn make_room_for(&mut self, new: &[PlacedAssembly], read: ReadPool) -> Result<(), GpuError> {
        let Some(clumps) = &mut self.clumps else { return refuse::clumps_of_none() };
        if !clumps.has_room(new) {
            clumps.make_room(new, &clumps::records(&read(RIGID)?));
        }
        Ok(())
    }

    fn assemble(
        &mut self,
        new: &[PlacedAssembly],
        first_id: u32,
        first_row: u32,
        given: &mut Vec<(ColumnInfo, Vec<u8>)>,
    ) -> Vec<PoolWrite> {
        match &mut self.clumps {
            Some(clumps) if !new.is_empty() => {
                clumps.assemble(new, first_id, first_row, &self.setup.exact_domain, given)
            }
            _ => Vec::new(),
        }
    }

    fn remove_rigid(
        &self,
        gpu: &GpuDevice,
        buffers: &Buffers,
        particles: u32,
        regions: &Regions,
    ) -> Result<RemovedGrains, GpuError> {
        match &self.clumps {
            Some(clumps) if clumps.len() > 0 => {
                let removal = self.removal.get_or_init(|| Removal::new(gpu, self.periodic.contains(&true)));
                removal.remove(gpu, buffers, particles, clumps.len() as u32, regions)
            }
            _ => Ok(RemovedGrains { grains: vec![0; regions.count], particles: 0 }),
        }
    }

    fn rigid_centers(&self, domain: &Domain, read: ReadPool) -> Result<Option<Vec<[f32; 3]>>, GpuError> {
        match &self.clumps {
            Some(clumps) if clumps.len() > 0 => {
                Ok(Some(clumps.centers(&clumps::records(&read(RIGID)?), domain)))
            }
            _ => Ok(None),
        }
    }

    fn lost_beyond_grains(&self, record: &ReportRecord) -> usize {
        record.density_error as usize
    }

    fn limits(&self) -> StepLimits {
        constants::limits(&self.setup, self.largest, self.wider)
    }

    fn sort_every(&self) -> u32 {
        SORT_EVERY
    }

    fn body_visit(&self) -> BodyVisit {
        BodyVisit::AtIntervals
    }

    fn body_interval(&self) -> f64 {
        self.setup.body_interval
    }

    fn send_bodies(&self, all: &mut Bodies, boundaries: &Boundaries, start: f64) -> Vec<PoolWrite> {
        if self.pushed { bodies::send(all, boundaries, start) } else { Vec::new() }
    }

    fn body_pools(&self) -> Vec<&'static str> {
        self.pushed.then_some(FLIGHTS).into_iter().collect()
    }

    fn fetch_bodies(&self, bytes: &[u8], all: &mut Bodies, boundaries: &Boundaries) -> MovedBodies {
        bodies::fetch(bytes, &all.assemblies(), boundaries)
    }

    fn cell_pool(&self) -> Option<&'static str> {
        self.strains.then_some(CELL)
    }

    fn send_cell(&self, settings: &StrainSettings, state: Option<CellState>, start: f64) -> Vec<PoolWrite> {
        strain::send(settings, state, self.periodic, start)
    }

    fn fetch_cell(&self, bytes: &[u8]) -> Option<CellState> {
        strain::fetch(bytes)
    }

    fn fit_space(&mut self, ranges: [Option<[f64; 2]>; 3]) {
        let setup = &mut self.setup;
        setup.domain = Domain::new(ranges.map(|range| range.map(|ends| ends.map(|end| end as f32))));
        setup.exact_domain = ExactDomain::from_meters(ranges).unwrap_or(setup.exact_domain);
    }

    fn overrides(&self) -> Vec<(&'static str, f64)> {
        let has = [self.clumps.is_some(), self.pushed, self.strains];
        constants::overrides(&self.setup, self.pieces.records, has)
    }

    fn params(&self) -> Vec<u8> {
        bytemuck::bytes_of(&constants::params(&self.setup, self.materials)).to_vec()
    }

    fn materials(&self) -> Vec<u8> {
        bytemuck::pod_collect_to_vec(&constants::laws(&self.setup, self.materials, self.walls))
    }

    fn columns(&self) -> Vec<ColumnInfo> {
        columns::list(self.clumps.is_some())
    }

    fn pools(&self, capacity: &Capacity) -> Vec<PoolInfo> {
        let of_clumps = self.clumps.iter().flat_map(Clumps::pools);
        let of_bodies = self.pushed.then(|| bodies::pools(self.walls)).into_iter().flatten();
        let of_cell = self.strains.then(|| strain::pools(capacity)).into_iter().flatten();
        self.pieces.pools(capacity).into_iter().chain(of_clumps).chain(of_bodies).chain(of_cell).collect()
    }

    fn slots_per_particle(&self) -> Option<f64> {
        Some(SLOTS_PER_SPHERE)
    }

    fn begin_particles(
        &self,
        grains: &[NewParticle],
        first_id: u32,
        gravity: Vec3,
    ) -> Vec<(ColumnInfo, Vec<u8>)> {
        let moved_by = |grain: &NewParticle| u32::from(if grain.fixed { mover::HELD } else { mover::FREE });
        let numbered = || (first_id..).zip(grains);
        let place = |(id, grain): (u32, &NewParticle)| {
            let exact = ExactPosition::new(grain.position).unwrap_or_default();
            PlaceRecord { quanta: self.setup.exact_domain.wrap(exact).quanta, radius: grain.radius, id }
        };
        let spin = |grain: &NewParticle| [0.0, 0.0, 0.0, if grain.fixed { 0.0 } else { 1.0 / grain.mass }];
        let load = |grain: &NewParticle| {
            let weight = if grain.fixed { Vec3::ZERO } else { grain.mass * gravity };
            [weight.extend(0.0).to_array(), [0.0; 4]]
        };
        let meta = |(id, grain): (u32, &NewParticle)| {
            [id, u32::from(grain.material) | moved_by(grain) << MOVER_SHIFT, 0, 0]
        };
        let places: Vec<PlaceRecord> = numbered().map(place).collect();
        let metas: Vec<[u32; 4]> = numbered().map(meta).collect();
        let spins: Vec<[f32; 4]> = grains.iter().map(spin).collect();
        let loads: Vec<[[f32; 4]; 2]> = grains.iter().map(load).collect();
        let density = vec![[1f32.to_bits(), 0, 0, 0]; grains.len()];
        vec![
            (PLACE, bytemuck::pod_collect_to_vec(&places)),
            (META, bytemuck::pod_collect_to_vec(&metas)),
            (SPIN, bytemuck::pod_collect_to_vec(&spins)),
            (LOADS, bytemuck::pod_collect_to_vec(&loads)),
            (DENSITY_STATE, bytemuck::pod_collect_to_vec(&density)),
        ]
    }

    fn mass_of(&self, grain: &NewGrain) -> Option<f32> {
        let density = self.setup.materials.get(usize::from(grain.material))?.density;
        Some(grain_mass(density, grain.radius))
    }

    fn hashed_columns(&self) -> Vec<ColumnInfo> {
        vec![PLACE, SPIN]
    }

    fn touches_triangles(&self) -> bool {
        true
    }

    fn keeps_wall_impulses(&self) -> bool {
        false
    }

    fn hooks(&self) -> Hooks {
        shaders::HOOKS
    }

    fn driven(&self) -> Option<ColumnInfo> {
        Some(LOADS)
    }

    fn bind(&self, binder: &mut Binder, buffers: &Buffers) -> Box<dyn MethodStages> {
        Box::new(stages::DemStages::new(
            binder,
            buffers,
            self.pieces,
            (self.walls > 0).then_some(&self.solids),
        ))
    }

    fn first_progress(&self) -> u32 {
        progress::PRIMES
    }

    fn host_fields(&self) -> &'static [&'static str] {
        if self.clumps.is_some() { twin::FIELDS_WITH_CLUMPS } else { twin::FIELDS }
    }

    fn find_on_host(
        &self,
        names: &[&str],
        state: &[u8],
        scene: &Scene,
        boundaries: &Boundaries,
    ) -> Result<Vec<FieldData>, StateError> {
        twin::fields(SolverKind::Dem, names, state, scene, boundaries, &self.shapes)
    }

    fn contacts(
        &self,
        state: &dyn Fn() -> Result<Vec<u8>, StateError>,
        scene: &Scene,
        boundaries: &Boundaries,
    ) -> Result<Vec<Contact>, StateError> {
        twin::contacts(SolverKind::Dem, &state()?, scene, boundaries, &self.shapes)
    }

    fn refuses(&self, scene: &Scene) -> Option<String> {
        let setup = Setup::new(scene, &self.shapes, None, Instructions::Portable);
        let more = constants::records(&setup) > self.pieces.records;
        more.then(|| {
            "contacts on this device remember friction only; begin with some resistance, or take the CPU"
                .into()
        })
    }

    fn field_columns(&self, field: &str) -> Vec<ColumnInfo> {
        fields::columns_of(field, self.clumps.is_some())
    }

    fn field(&self, name: &str, input: &FieldInput) -> FieldData {
        fields::field(name, input, self.clumps.as_ref())
    }

    /// Of a step that has kept its lists, which most do, with six contacts per sphere.
    fn traffic(&self, step: &StepRecord, _: u32) -> Vec<(Stage, f64)> {
        let (count, entries) = (f64::from(step.count), f64::from(step.list_slots) * f64::from(LANES));
        let remembered = 6.0 * 2.0 * 16.0 * f64::from(self.pieces.records);
        let measure = 48.0;
        // Places, positions, velocities, loads, meta and listed positions; the first ones written as well.
        let drift = 32.0 + 16.0 + 16.0 + 32.0 + 16.0 + 16.0 + (32.0 + 16.0 + 16.0 + 16.0);
        let kick = 16.0 + 16.0 + 16.0 + 32.0 + 16.0 + 16.0 + (16.0 + 16.0 + 16.0);
        vec![
            (Stage::Integrate, count * (measure + drift + kick)),
            (Stage::Touch, 4.0 * entries + count * (32.0 + 16.0 + 16.0 + 16.0 + 2.0 * 32.0 + remembered)),
        ]
    }

    fn save(&self, state: StateToSave) -> Result<Vec<u8>, StateError> {
        checkpoint::save(state, self.pieces, self.clumps.as_ref())
    }

    fn decode(
        &self,
        bytes: &[u8],
        scene: &Scene,
        boundary_count: usize,
    ) -> Result<StateToRestore, StateError> {
        checkpoint::decode(bytes, scene, boundary_count, self.pieces)
    }
}
