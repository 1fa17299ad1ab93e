//! Granular IISPH on a device, behind the engine's `Simulator`.

use glam::Vec3;
use granule::air::Air;
use granule::bodies::{Bodies, BodyReport};
use granule::boundary::{Boundaries, Sdf};
use granule::particles::{Birth, NewParticle, note_birth};
use granule::scene::{Scene, SolverKind};
use granule::simulator::{
    Command, CommandError, CommandReport, FieldError, FieldInfo, ReadTicket, Simulator, Snapshot, StateError,
    StepReport,
};
use granule::solver::SolverEntry;
use granule::solver::iisph::setup::Setup;
use granule::solver::wcsph;
use granule::stages::Stage;
use granule_device::GpuDevice;

use crate::GpuError;
use crate::air;
use crate::batch::{Frame, RecordedSteps};
use crate::bodies;
use crate::columns::{Columns, Extents, Room};
use crate::constants::{self, BodyVariant, Variant};
use crate::fields::Reads;
use crate::layout::{BodyRecord, Params, PoseRecord, SegmentRecord, StepRecord, kicked};
use crate::motion;
use crate::program::Program;
use crate::queries::Queries;
use crate::stages::{Kernels, Stages};
use crate::timing::Timing;
use crate::view::Views;
use crate::wcsph::WeakVariant;

/// Sweeps recorded for the first step; later ones follow what steps needed.
const FIRST_SWEEPS: u32 = 8;

/// Passes of the sort that are recorded for the first step, for keys of 24 bits; more follow where steps need them.
const FIRST_PASSES: u32 = 3;

/// The granular IISPH solver on a device.
pub struct GpuIisph {
    pub(crate) gpu: GpuDevice,
    pub(crate) scene: Scene,
    pub(crate) setup: Setup,
    /// Constants of the weakly compressible solver, where it is the solver.
    pub(crate) weak: Option<wcsph::params::Setup>,
    pub(crate) gravity: Vec3,
    pub(crate) boundaries: Boundaries,
    pub(crate) bodies: Bodies,
    pub(crate) air: Option<Air>,
    pub(crate) program: Program,
    pub(crate) wall_table: u32,
    pub(crate) poses: Vec<PoseRecord>,
    pub(crate) segments: Vec<SegmentRecord>,
    pub(crate) room: Room,
    pub(crate) variant: Variant,
    pub(crate) kernels: Kernels,
    pub(crate) columns: Columns,
    pub(crate) stages: Stages,
    /// The bodies as the last sweep left them.
    pub(crate) pushed: Vec<BodyRecord>,
    /// The step as the device left it.
    pub(crate) step: StepRecord,
    /// Particles that are there; `step.sort_count` counts removed ones, too.
    pub(crate) there: usize,
    pub(crate) next_id: u32,
    /// When grains entered that were not there from the beginning.
    pub(crate) births: Vec<Birth>,
    pub(crate) time: f64,
    pub(crate) frame: Frame,
    pub(crate) last_dt: Option<f64>,
    pub(crate) sweeps: u32,
    pub(crate) timings: Vec<Timing>,
    /// The first step of the next batch.
    pub(crate) prepared: Option<RecordedSteps>,
    pub(crate) diagnostics: bool,
    pub(crate) reads: Reads,
    pub(crate) queries: Queries,
    pub(crate) views: Views,
    /// The box around grains that were added since the last step.
    pub(crate) added: Option<[Vec3; 2]>,
    pub(crate) failure: Option<String>,
}

impl GpuIisph {
    /// A solver for a checked scene with its initial grains.
    ///
    /// # Errors
    /// Says what does not fit the device, or how it failed.
    pub fn new(
        gpu: GpuDevice,
        scene: Scene,
        boundaries: Boundaries,
        bodies: Bodies,
        grains: &[NewParticle],
    ) -> Result<Self, GpuError> {
        let setup = Setup::new(&scene);
        let air = scene.air.clone().map(Air::new);
        let mut program = Program::default();
        let mut poses = motion::poses(&boundaries, &mut program)?;
        bodies::mark_free(&mut poses, scene.boundary.len(), &bodies, &boundaries);
        let wall_table = program.push_wall_table(&setup.wall_table);
        let weak = weak_setup(&scene);
        let weak_variant = weak.as_ref().map(WeakVariant::new);
        let variant = Variant::new(&setup, air.is_some(), BodyVariant::of(&bodies), weak_variant);
        let room = Room::new(grains.len() as u32, relative_reach(weak.as_ref()));
        let air_records = air_records(&scene, air.as_ref(), 0.0);
        let columns = Columns::new(&gpu, &room, &extents(&scene, &variant, &program, air_records.len()))?;
        let queries = Queries::new(&gpu);
        let mut kernels = Kernels::new(&gpu, variant);
        let stages = Stages::new(&gpu, &columns, &mut kernels, &program);
        let mut solver = Self {
            gravity: Vec3::from(scene.simulation.gravity),
            gpu,
            scene,
            setup,
            weak,
            boundaries,
            bodies,
            air,
            program,
            wall_table,
            poses,
            segments: Vec::new(),
            room,
            variant,
            kernels,
            columns,
            stages,
            pushed: Vec::new(),
            step: StepRecord { kicked: kicked::PRIMES, pass_room: FIRST_PASSES, ..StepRecord::default() },
            there: 0,
            next_id: 0,
            births: Vec::new(),
            time: 0.0,
            frame: Frame::default(),
            last_dt: None,
            sweeps: FIRST_SWEEPS,
            timings: Vec::new(),
            prepared: None,
            diagnostics: false,
            reads: Reads::default(),
            queries,
            views: Views::default(),
            added: None,
            failure: None,
        };
        solver.upload_program();
        solver.upload_constants()?;
        solver.append(grains)?;
        solver.gpu.wait()?;
        Ok(solver)
    }

    /// The device.
    pub fn gpu(&self) -> &GpuDevice {
        &self.gpu
    }

    /// Writes constants and materials.
    pub(crate) fn upload_constants(&self) -> Result<(), GpuError> {
        let mut params = Params {
            gravity: self.gravity.extend(0.0).to_array(),
            wall_table: self.wall_table,
            ..constants::params(&self.scene, &self.setup, &self.room)
        };
        if let Some(weak) = &self.weak {
            crate::wcsph::set_params(&mut params, weak);
        }
        let queue = &self.gpu.queue;
        queue.write_buffer(&self.columns.params, 0, bytemuck::bytes_of(&params));
        let mut materials = constants::materials(&self.setup)?;
        if let Some(weak) = &self.weak {
            for (record, fluid) in materials.iter_mut().zip(&weak.params.fluids) {
                crate::wcsph::set_material(record, fluid, weak.params.spacing);
            }
        }
        queue.write_buffer(&self.columns.materials, 0, bytemuck::cast_slice(&materials));
        self.upload_surroundings();
        Ok(())
    }

    /// Writes solids, maps of meshes and the wall table.
    fn upload_program(&self) {
        let records = bytemuck::cast_slice(&self.program.records);
        self.gpu.queue.write_buffer(&self.columns.program, 0, records);
    }

    /// The air; times count from the frame's start.
    fn air_records(&self) -> Vec<[f32; 4]> {
        air_records(&self.scene, self.air.as_ref(), self.frame.start)
    }

    /// Writes what moves by itself: poses of boundaries, the stretches of their motions, and the air.
    pub(crate) fn upload_surroundings(&self) {
        let queue = &self.gpu.queue;
        queue.write_buffer(&self.columns.air, 0, bytemuck::cast_slice(&self.air_records()));
        queue.write_buffer(&self.columns.poses, 0, bytemuck::cast_slice(&self.poses));
        bodies::upload(&self.gpu, &self.columns, &self.bodies, &self.boundaries);
        queue.write_buffer(&self.columns.segments, 0, bytemuck::cast_slice(&self.segments));
    }

    /// Appends particles.
    pub(crate) fn append(&mut self, grains: &[NewParticle]) -> Result<(), GpuError> {
        if grains.is_empty() {
            return Ok(());
        }
        let rows = self.step.sort_count as usize;
        let needed = rows + grains.len();
        if needed > self.room.particles as usize {
            let more = Room::new((needed + needed / 2) as u32, relative_reach(self.weak.as_ref()));
            let room = Room {
                particles: more.particles,
                slots: more.slots.max(self.room.slots),
                contacts: more.contacts.max(self.room.contacts),
                cells: more.cells.max(self.room.cells),
            };
            self.make_room(room)?;
        }
        let column = |f: &dyn Fn(&NewParticle) -> [f32; 4]| grains.iter().map(f).collect::<Vec<_>>();
        let position = column(&|g| g.position.extend(g.radius).to_array());
        let velocity = column(&|g| g.velocity.extend(g.mass).to_array());
        let tags: Vec<[u32; 4]> =
            (self.next_id..).zip(grains).map(|(id, grain)| [id, u32::from(grain.material), 0, 0]).collect();
        let zeros = vec![[0.0f32; 8]; grains.len()];
        // The weakly compressible solver has accelerations there.
        let mut loads = [0.0f32; 8];
        if self.weak.is_some() {
            loads[..3].copy_from_slice(&self.gravity.to_array());
        }
        let loads = vec![loads; grains.len()];
        let write = |buffer: &wgpu::Buffer, size: usize, bytes: &[u8]| {
            self.gpu.queue.write_buffer(buffer, (rows * size) as u64, bytes);
        };
        write(&self.columns.position, 16, bytemuck::cast_slice(&position));
        write(&self.columns.velocity, 16, bytemuck::cast_slice(&velocity));
        write(&self.columns.tags, 16, bytemuck::cast_slice(&tags));
        write(&self.columns.stress, 32, bytemuck::cast_slice(&loads));
        write(&self.columns.found, 16, &bytemuck::cast_slice(&zeros)[..16 * grains.len()]);
        write(&self.columns.prediction, 16, &bytemuck::cast_slice(&zeros)[..16 * grains.len()]);
        if self.next_id > 0 || self.time > 0.0 {
            note_birth(&mut self.births, self.next_id, self.time);
        }
        let [low, high] = self.added.unwrap_or([grains[0].position; 2]);
        let around =
            |[low, high]: [Vec3; 2], grain: &NewParticle| [low.min(grain.position), high.max(grain.position)];
        self.added = Some(grains.iter().fold([low, high], around));
        self.next_id += grains.len() as u32;
        self.there += grains.len();
        self.step.sort_count = needed as u32;
        self.forget_neighbors();
        Ok(())
    }

    /// Buffers with other room, or for another variant; the state is taken along.
    pub(crate) fn make_room(&mut self, room: Room) -> Result<(), GpuError> {
        let weak = self.weak.as_ref().map(WeakVariant::new);
        let variant = Variant::new(&self.setup, self.air.is_some(), BodyVariant::of(&self.bodies), weak);
        let air = self.air_records().len();
        let columns = Columns::new(&self.gpu, &room, &extents(&self.scene, &variant, &self.program, air))?;
        let old = &self.columns;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut copy = |from: &wgpu::Buffer, at: u64, to: &wgpu::Buffer, target: u64, size: u64| {
            encoder.copy_buffer_to_buffer(from, at, to, target, size);
        };
        for (from, to) in [
            (&old.position, &columns.position),
            (&old.velocity, &columns.velocity),
            (&old.stress, &columns.stress),
            (&old.tags, &columns.tags),
            (&old.found, &columns.found),
            (&old.reports, &columns.reports),
        ] {
            copy(from, 0, to, 0, from.size().min(to.size()));
        }
        // Accelerations come first.
        copy(&old.prediction, 0, &columns.prediction, 0, old.position.size().min(columns.position.size()));
        // Lists that hold are kept, so that a step that makes room for contacts alone goes on as it would have.
        let same = room.particles == self.room.particles && room.slots == self.room.slots;
        if self.step.listed == 1 && same {
            for (from, to) in [(&old.list, &columns.list), (&old.scratch, &columns.scratch)] {
                copy(from, 0, to, 0, from.size());
            }
        } else {
            self.step.listed = 0;
        }
        // Each half of the contacts begins where its room does.
        let half = |buffer: &wgpu::Buffer| buffer.size() / 2;
        let size = half(&old.contacts).min(half(&columns.contacts));
        copy(&old.contacts, 0, &columns.contacts, 0, size);
        copy(&old.contacts, half(&old.contacts), &columns.contacts, half(&columns.contacts), size);
        self.gpu.queue.submit([encoder.finish()]);
        if variant != self.variant {
            self.kernels = Kernels::new(&self.gpu, variant);
        }
        self.stages = Stages::new(&self.gpu, &columns, &mut self.kernels, &self.program);
        (self.columns, self.room, self.variant) = (columns, room, variant);
        self.prepared = None;
        self.upload_program();
        self.upload_constants()?;
        self.gpu.wait()?;
        Ok(())
    }

    /// Remembers the first failure; steps do nothing from then on.
    pub(crate) fn fail(&mut self, error: impl std::fmt::Display) {
        self.failure.get_or_insert_with(|| error.to_string());
    }
}

/// Constants of the weakly compressible solver for a scene that asks for it.
pub(crate) fn weak_setup(scene: &Scene) -> Option<wcsph::params::Setup> {
    (scene.simulation.solver == SolverKind::Wcsph).then(|| crate::wcsph::setup(scene))
}

/// How far pairs are listed, in supports.
pub(crate) fn relative_reach(weak: Option<&wcsph::params::Setup>) -> f32 {
    weak.map_or(1.0, |weak| 1.0 + weak.params.skin / weak.params.support)
}

fn air_records(scene: &Scene, air: Option<&Air>, start: f64) -> Vec<[f32; 4]> {
    let settings = scene.air.clone().unwrap_or_default();
    air.map_or(Vec::new(), |air| air::records(&settings, air.uniform_wind(), start))
}

/// Sizes of buffers that follow from the scene.
fn extents(scene: &Scene, variant: &Variant, program: &Program, air: usize) -> Extents {
    Extents {
        ranges: variant.ranges(),
        explicit: variant.explicit,
        boundaries: (scene.boundary.len() + scene.body.len()) as u32,
        bodies: scene.body.len() as u32,
        program: program.records.len() as u32,
        air: air as u32,
    }
}

impl Simulator for GpuIisph {
    fn solver(&self) -> &'static str {
        SolverEntry::of(self.scene.simulation.solver).name
    }

    fn device(&self) -> String {
        let adapter = &self.gpu.adapter;
        format!("{} ({}, {})", adapter.name, adapter.kind.word(), adapter.backend)
    }

    fn step(&mut self, max_dt: f64) -> StepReport {
        self.advance(max_dt, 1).pop().unwrap_or_default()
    }

    fn advance(&mut self, max_dt: f64, most: usize) -> Vec<StepReport> {
        if self.failure.is_some() {
            return Vec::new();
        }
        // Bodies move after every step.
        let most = if self.bodies.is_empty() { most } else { most.min(1) };
        match self.run_batch(max_dt, most) {
            Ok(reports) => reports,
            Err(error) => {
                self.fail(error);
                Vec::new()
            }
        }
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn apply(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        self.apply_command(command)
    }

    fn emit(&mut self, material: u16, places: &[Vec3], velocity: Vec3, most: usize) -> usize {
        self.add_grains(material, places, velocity, most)
    }

    fn remove_inside(&mut self, regions: &[&Sdf]) -> Vec<usize> {
        self.remove_grains_inside(regions)
    }

    fn fields(&self) -> &'static [FieldInfo] {
        SolverEntry::of(self.scene.simulation.solver).fields
    }

    fn read(&mut self, fields: &[&str]) -> Result<ReadTicket, FieldError> {
        self.read_fields(fields)
    }

    fn poll(&mut self, ticket: ReadTicket, snapshot: &mut Snapshot) -> bool {
        self.poll_read(ticket, snapshot)
    }

    fn particle_count(&self) -> usize {
        self.there
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn bytes_per_particle(&self) -> f64 {
        self.columns.bytes() as f64 / self.there.max(1) as f64
    }

    fn traffic(&self) -> Vec<(Stage, f64)> {
        self.stage_bytes()
    }

    fn state_hash(&self) -> u64 {
        self.hash_state()
    }

    fn bodies(&self) -> Vec<BodyReport> {
        self.bodies.reports(&self.boundaries)
    }

    fn set_diagnostics(&mut self, on: bool) {
        self.diagnostics = on;
    }

    fn checkpoint(&self) -> Result<Vec<u8>, StateError> {
        self.save_state()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.restore_state(state)
    }
}
