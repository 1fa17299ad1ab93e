//! What a method is: all that differs between solvers on a device.
//!
//! The core holds device, buffers, batches, reads, checkpoints, walls, bodies, air and views. A method says which columns a
//! particle has, which stages a step takes, what it adds to shared kernels, and what its fields and checkpoints hold. It lives
//! in a folder of its own, or in another crate; `docs/adding-a-solver.md` is the recipe.

use granule::assemblies::{Assembly, SavedAssemblies};
use granule::bodies::{Bodies, Wrench};
use granule::boundary::{Boundaries, ServoState};
use granule::cell::CellState;
use granule::clumps::PlacedAssembly;
use granule::contacts::{Contact, SavedContacts};
use granule::grains::GrainShapes;
use granule::neighbors::Domain;
use granule::particles::{Birth, NewGrain, NewParticle, Particles};
use granule::scene::{Scene, StrainSettings};
use granule::simulator::{FieldData, FieldInfo, StateError, StepReport};
use granule::solver::saved::{SavedLists, SavedWorld};
use granule::stages::Stage;

use crate::GpuError;

use super::binder::Binder;
use super::buffers::{Buffers, PoolInfo};
use super::capacity::Capacity;
use super::columns::ColumnInfo;
use super::constants::StepLimits;
use super::hooks::Hooks;
use super::layout::{ReportRecord, StepRecord};
use super::recording::{Recorded, StageList};
use super::rows::Rows;
use super::shared::SharedStages;

/// A method that a device has, for registries.
pub struct MethodEntry {
    /// The solver's word in scenes.
    pub name: &'static str,
    /// Makes it for a checked scene, or says what of it devices do not have.
    pub make: fn(&MethodInput) -> Result<Box<dyn Method>, GpuError>,
}

/// What a method is made from.
pub struct MethodInput<'a> {
    /// A checked scene.
    pub scene: &'a Scene,
    /// Its rigid bodies.
    pub bodies: &'a Bodies,
    /// Its initial grains.
    pub grains: &'a [NewParticle],
    /// The rigid grains of several spheres among them.
    pub assemblies: &'a [PlacedAssembly],
    /// What grains of several spheres are like.
    pub grain_shapes: &'a GrainShapes,
    /// Overrides for kernels that find walls.
    pub solids: [(&'static str, f64); 2],
    /// Bytes of the largest buffer that kernels may be bound to.
    pub most_bytes: u64,
}

/// The method's own kernels with their buffers.
pub trait MethodStages: Send {
    /// The stages of a step, shared ones among them: each decides on the device whether it has anything to do.
    fn list<'a>(&'a self, shared: &'a SharedStages, recorded: &Recorded) -> StageList<'a>;

    /// The stages that make lists of a checkpoint again; none where lists do not outlive a frame.
    fn list_again<'a>(&'a self, _shared: &'a SharedStages, _recorded: &Recorded) -> StageList<'a> {
        Vec::new()
    }
}

/// Iterations of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Iterations {
    /// Iterations that every step takes, without a decision after them.
    pub sure: u32,
    /// Most of them; 0 for a method that does not iterate.
    pub most: u32,
}

/// When rapier moves the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyVisit {
    /// After the step.
    AfterStep,
    /// When the device has set the phase `MOVING`.
    WithinStep,
    /// At intervals of simulated time and at the ends of frames: the device moves free bodies in between.
    AtIntervals,
}

/// A field that views carry: a number of one of the method's columns.
#[derive(Clone, Copy, Debug)]
pub struct PublishedField {
    /// The field.
    pub name: &'static str,
    /// The column.
    pub column: ColumnInfo,
    /// Which of its numbers.
    pub number: u32,
}

/// What a checkpoint is made of, beside the method's own columns: these are in `rows`, for the particles `live`.
pub struct StateToSave<'a> {
    /// What is around the particles.
    pub world: SavedWorld,
    /// Live particles, in memory order.
    pub particles: Particles,
    /// Columns, removed particles included.
    pub rows: &'a Rows,
    /// Rows of live particles, in memory order.
    pub live: &'a [usize],
    /// Wall contacts of the last step.
    pub contacts: SavedContacts,
    /// The step as the device left it.
    pub step: &'a StepRecord,
    /// All buffers, and what reads one of them whole.
    pub buffers: &'a Buffers,
    /// Reads a buffer.
    pub read: &'a dyn Fn(&wgpu::Buffer) -> Result<Vec<u8>, StateError>,
}

/// A checkpoint that was decoded and checked.
pub struct StateToRestore {
    /// What is around the particles.
    pub world: SavedWorld,
    /// The scene as commands had changed it.
    pub scene: Scene,
    /// Particles.
    pub particles: Particles,
    /// Wall contacts that the next step takes over.
    pub contacts: SavedContacts,
    /// Density relative to rest.
    pub density: Vec<f32>,
    /// Neighbours.
    pub neighbor_count: Vec<u32>,
    /// The method's own columns, in the order of the particles; what is not here begins anew.
    pub columns: Vec<(ColumnInfo, Vec<u8>)>,
    /// `StepRecord::progress` of the next step.
    pub progress: u32,
    /// What contacts remember, in the method's own form.
    pub remembered: Option<Remembered>,
    /// Rigid grains of several particles.
    pub assemblies: SavedAssemblies,
    /// Lists that go on to hold.
    pub lists: Option<ListsToRestore>,
}

/// Lists that are made again of particles where they were when they were listed.
#[derive(Clone, Debug)]
pub struct ListsToRestore {
    /// The same.
    pub lists: SavedLists,
    /// `StepRecord::progress` meanwhile.
    pub progress: u32,
    /// Columns that the sort does not move, in the order of the checkpoint: written once lists are made.
    pub unsorted: Vec<(ColumnInfo, Vec<u8>)>,
}

/// What contacts remember while particles are sorted, as a method keeps it.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    /// Bytes of the method's pools from their beginning on.
    pub pools: Vec<(&'static str, Vec<u8>)>,
    /// Slots of neighbour lists that the pools must have room for.
    pub slots: u32,
    /// Records of contacts with walls, 64 bytes each, for the half that steps do not write.
    pub contacts: Vec<u8>,
}

/// Bytes for a pool of the method.
#[derive(Clone, Debug)]
pub struct PoolWrite {
    /// The pool.
    pub pool: &'static str,
    /// Where they begin.
    pub at: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Regions on the device, to be emptied.
pub struct Regions {
    /// Solids.
    pub table: wgpu::Buffer,
    /// First record and number of each region's solids.
    pub solids: wgpu::Buffer,
    /// How many regions.
    pub count: usize,
}

/// Rigid grains that went.
#[derive(Clone, Debug, Default)]
pub struct RemovedGrains {
    /// How many, per region.
    pub grains: Vec<usize>,
    /// Their particles.
    pub particles: usize,
}

/// Reads one of the method's pools.
pub type ReadPool<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, GpuError>;

/// What fields are made of.
pub struct FieldInput<'a> {
    /// Columns that the field needs.
    pub rows: &'a Rows,
    /// Rows of live particles, by id.
    pub order: &'a [u32],
    /// When grains entered.
    pub births: &'a [Birth],
    /// Simulated time \[s\].
    pub time: f64,
}

/// Bodies, and walls that hold a force, as a device has moved them.
#[derive(Clone, Debug, Default)]
pub struct MovedBodies {
    /// Those that the device moves; none for the others.
    pub free: Vec<Option<Assembly>>,
    /// Forces of grains at the last step.
    pub loads: Vec<Wrench>,
    /// Walls that hold a force.
    pub servos: Vec<MovedServo>,
    /// How many bodies a step has lost: they stay where they were.
    pub lost: usize,
}

/// A wall that holds a force, as a device has moved it.
#[derive(Clone, Copy, Debug)]
pub struct MovedServo {
    /// Number of the boundary.
    pub index: usize,
    /// After the last step.
    pub state: ServoState,
    /// Speed in the middle of that step [m/s].
    pub middle_speed: f64,
}

/// A solver's arithmetic on a device.
pub trait Method: Send {
    /// The solver's word in scenes.
    fn name(&self) -> &'static str;

    /// The fields that the solver has.
    fn fields(&self) -> &'static [FieldInfo];

    /// Fields that views carry beside material, speed and density.
    fn published(&self) -> &'static [PublishedField] {
        &[]
    }

    /// Takes over the constants of a changed scene.
    fn adopt(&mut self, scene: &Scene);

    /// Takes notice of a checkpoint, before anything is made for it; [`Method::settle`] follows.
    fn expect(&mut self, _state: &StateToRestore) {}

    /// Whether the checkpoint that was expected has been taken over; if not, all is as it was before.
    fn settle(&mut self, _taken_over: bool) {}

    /// Makes room in the method's pools for rigid grains of several particles that are to come.
    ///
    /// # Errors
    /// Says how the device failed.
    fn make_room_for(&mut self, _new: &[PlacedAssembly], _read: ReadPool) -> Result<(), GpuError> {
        Ok(())
    }

    /// Takes over rigid grains among new particles, of which the first has an id and a row: brings their columns up to date, and
    /// gives what is written to pools.
    fn assemble(
        &mut self,
        _new: &[PlacedAssembly],
        _first_id: u32,
        _first_row: u32,
        _given: &mut Vec<(ColumnInfo, Vec<u8>)>,
    ) -> Vec<PoolWrite> {
        Vec::new()
    }

    /// Removes the rigid grains of several particles whose centres of mass lie in regions.
    ///
    /// # Errors
    /// Says how the device failed.
    fn remove_rigid(
        &self,
        _gpu: &granule_device::GpuDevice,
        _buffers: &Buffers,
        _particles: u32,
        regions: &Regions,
    ) -> Result<RemovedGrains, GpuError> {
        Ok(RemovedGrains { grains: vec![0; regions.count], particles: 0 })
    }

    /// Centres of mass of the rigid grains of several particles \[m\]; none for methods or scenes without.
    ///
    /// # Errors
    /// Says how the device failed.
    fn rigid_centers(&self, _domain: &Domain, _read: ReadPool) -> Result<Option<Vec<[f32; 3]>>, GpuError> {
        Ok(None)
    }

    /// How many of the particles that a step has lost are beyond the first of their grain.
    fn lost_beyond_grains(&self, _record: &ReportRecord) -> usize {
        0
    }

    /// What bounds steps and pairs.
    fn limits(&self) -> StepLimits;

    /// How long the first step may be \[s\], in a gravity of this size [m/s2].
    fn first_step(&self, _gravity: f32) -> f64 {
        f64::from(self.limits().longest)
    }

    /// Of how many recorded steps one sorts at least. A method that keeps lists for long leaves out what most steps skip anyway; a step
    /// that needs new ones then waits for the next that sorts. Where many do, more of them sort.
    fn sort_every(&self) -> u32 {
        1
    }

    /// Iterations of a step.
    fn iterations(&self) -> Iterations {
        Iterations::default()
    }

    /// When rapier moves the bodies.
    fn body_visit(&self) -> BodyVisit {
        BodyVisit::AfterStep
    }

    /// Whether bodies are coupled by the kernels that methods share, by contacts as these know them.
    fn shares_body_kernels(&self) -> bool {
        self.body_visit() != BodyVisit::AtIntervals
    }

    /// Simulated time between two visits of rapier \[s\], where the device moves bodies in between.
    fn body_interval(&self) -> f64 {
        f64::INFINITY
    }

    /// What goes to the method's pools when rapier has moved bodies, or a batch begins, in a frame that begins at a time \[s\].
    fn send_bodies(&self, _bodies: &mut Bodies, _boundaries: &Boundaries, _start: f64) -> Vec<PoolWrite> {
        Vec::new()
    }

    /// The pools in which the device moves bodies; none where rapier does.
    fn body_pools(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Bodies from the bytes of these pools, one behind the other.
    fn fetch_bodies(&self, _bytes: &[u8], _bodies: &mut Bodies, _boundaries: &Boundaries) -> MovedBodies {
        MovedBodies::default()
    }

    /// Particles that the method adds to the initial grains, behind all of them: those of bodies that it has made of particles.
    fn particles_of_bodies(&self) -> Vec<NewParticle> {
        Vec::new()
    }

    /// Numbers of the bodies that grains meet by these particles, and not by their surfaces.
    fn bodies_of_particles(&self) -> Vec<usize> {
        Vec::new()
    }

    /// What is written to pools with the constants, and does not change.
    fn constant_pools(&self) -> Vec<PoolWrite> {
        Vec::new()
    }

    /// The pool in which the device strains the periodic cell; none where it does not.
    fn cell_pool(&self) -> Option<&'static str> {
        None
    }

    /// What goes to that pool when a batch begins, in a frame that begins at a time \[s\]: how the cell is to strain and, for a
    /// frame that begins now, how far it has.
    fn send_cell(
        &self,
        _settings: &StrainSettings,
        _state: Option<CellState>,
        _start: f64,
    ) -> Vec<PoolWrite> {
        Vec::new()
    }

    /// How far the cell has strained, from the bytes of that pool.
    fn fetch_cell(&self, _bytes: &[u8]) -> Option<CellState> {
        None
    }

    /// Takes over the periodic ranges of now \[m\].
    fn fit_space(&mut self, _ranges: [Option<[f64; 2]>; 3]) {}

    /// Overrides of constants in shaders. All that decides which kernels [`Method::bind`] binds must show here, since kernels
    /// are bound anew when they change.
    fn overrides(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The method's own constants, as its WGSL declares them at binding 2 of group 1.
    fn params(&self) -> Vec<u8> {
        vec![0; 16]
    }

    /// The method's own table of materials, at binding 3 of group 1.
    fn materials(&self) -> Vec<u8> {
        vec![0; 16]
    }

    /// The method's own columns.
    fn columns(&self) -> Vec<ColumnInfo>;

    /// What the method adds to shared kernels.
    fn hooks(&self) -> Hooks;

    /// The method's own pools: buffers that are no columns.
    fn pools(&self, _capacity: &Capacity) -> Vec<PoolInfo> {
        Vec::new()
    }

    /// Slots of neighbour lists per particle that buffers begin with, where it does not follow from the reach of pairs.
    fn slots_per_particle(&self) -> Option<f64> {
        None
    }

    /// What the method's columns hold of new particles, where that is not the same for all.
    fn begin_particles(
        &self,
        _grains: &[NewParticle],
        _first_id: u32,
        _gravity: glam::Vec3,
    ) -> Vec<(ColumnInfo, Vec<u8>)> {
        Vec::new()
    }

    /// The mass of a new grain \[kg\], where it is not that of its material's particles.
    fn mass_of(&self, _grain: &NewGrain) -> Option<f32> {
        None
    }

    /// Columns beside position and velocity that the hash of the state covers.
    fn hashed_columns(&self) -> Vec<ColumnInfo> {
        Vec::new()
    }

    /// Whether grains touch the triangles of meshes instead of the grids of their distances.
    fn touches_triangles(&self) -> bool {
        false
    }

    /// Whether contacts with walls are impulses, kept and saved as the shared kernels leave them.
    fn keeps_wall_impulses(&self) -> bool {
        true
    }

    /// The column of accelerations that bound the step, where the hook says that they do.
    fn measured(&self) -> Option<ColumnInfo> {
        None
    }

    /// The column that drag changes; none where air does nothing.
    fn driven(&self) -> Option<ColumnInfo> {
        None
    }

    /// Binds the method's own kernels to buffers.
    fn bind(&self, binder: &mut Binder, buffers: &Buffers) -> Box<dyn MethodStages>;

    /// `StepRecord::progress` before the very first step.
    fn first_progress(&self) -> u32 {
        0
    }

    /// Whether lists outlive a frame: checkpoints have what they were made from.
    fn keeps_lists(&self) -> bool {
        false
    }

    /// Lets the next step find neighbours and walls anew.
    fn forget_neighbors(&self, step: &mut StepRecord) {
        step.listed = 0;
    }

    /// Adds to a report what only the method knows.
    fn report(&self, _record: &ReportRecord, _report: &mut StepReport) {}

    /// Columns that a field of the method's own needs, beside the meta column.
    fn field_columns(&self, field: &str) -> Vec<ColumnInfo>;

    /// A field of the method's own.
    fn field(&self, name: &str, input: &FieldInput) -> FieldData;

    /// Fields that the CPU's solver finds, from a checkpoint.
    fn host_fields(&self) -> &'static [&'static str] {
        &[]
    }

    /// Values of some of these, by id.
    ///
    /// # Errors
    /// Says why the CPU's solver cannot take the state.
    fn find_on_host(
        &self,
        _names: &[&str],
        _state: &[u8],
        _scene: &Scene,
        _boundaries: &Boundaries,
    ) -> Result<Vec<FieldData>, StateError> {
        Ok(Vec::new())
    }

    /// The contacts of a checkpoint; none for methods without any.
    ///
    /// # Errors
    /// Says why the CPU's solver cannot take the state.
    fn contacts(
        &self,
        _state: &dyn Fn() -> Result<Vec<u8>, StateError>,
        _scene: &Scene,
        _boundaries: &Boundaries,
    ) -> Result<Vec<Contact>, StateError> {
        Ok(Vec::new())
    }

    /// Why a scene that a command has changed cannot be taken over; none where it can.
    fn refuses(&self, _scene: &Scene) -> Option<String> {
        None
    }

    /// Bytes that stages of a step like the last one ask of memory, of which that is known; `state_bytes` per particle are
    /// sorted.
    fn traffic(&self, _step: &StepRecord, _state_bytes: u32) -> Vec<(Stage, f64)> {
        Vec::new()
    }

    /// The bytes of a checkpoint, in the form of the CPU's solver where there is one.
    ///
    /// # Errors
    /// Says what is not finite or cannot be written.
    fn save(&self, state: StateToSave) -> Result<Vec<u8>, StateError>;

    /// A checkpoint from its bytes, checked against what the solver was made from.
    ///
    /// # Errors
    /// Says what cannot be read or is impossible.
    fn decode(
        &self,
        bytes: &[u8],
        scene: &Scene,
        boundary_count: usize,
    ) -> Result<StateToRestore, StateError>;
}
