//! A simulation on a device, behind the engine's `Simulator`: what all methods share, and the method.

use glam::Vec3;
use granule::air::Air;
use granule::bodies::Bodies;
use granule::boundary::Boundaries;
use granule::cell::StrainedCell;
use granule::clumps::PlacedAssembly;
use granule::grains::GrainShapes;
use granule::particles::{Birth, NewParticle, note_birth};
use granule::scene::Scene;
use granule_device::GpuDevice;

use crate::GpuError;
use crate::solid_table::SolidTable;

use super::air;
use super::binder::{Binder, Kernels};
use super::bodies;
use super::buffers::{Buffers, Extents};
use super::capacity::Capacity;
use super::columns::{Allocator, META, POSITION, VELOCITY};
use super::constants::{self, BodyVariant, SceneConstants, Variant};
use super::layout::{BodyRecord, LANES, MotionSegmentRecord, PoseRecord, StepRecord};
use super::method::{Method, MethodEntry, MethodInput, MethodStages};
use super::motion;
use super::pacing::{Pacing, PacingReport};
use super::queries::Queries;
use super::reads::Reads;
use super::recording::{Frame, RecordedSteps};
use super::rhythm::Rhythm;
use super::shared::SharedStages;
use super::timing::{KernelTime, KernelTimes, Timing};
use super::view::Views;

/// Iterations recorded for the first step; later ones follow what steps needed.
const FIRST_ITERATIONS: u32 = 8;

/// Passes of the sort that are recorded for the first step, for keys of 24 bits; more follow where steps need them.
const FIRST_PASSES: u32 = 3;

/// A simulation on a device: buffers, batches, reads, checkpoints, bodies, walls, air and views, and a method.
pub struct GpuSimulation {
    pub(crate) gpu: GpuDevice,
    pub(crate) method: Box<dyn Method>,
    pub(crate) scene: Scene,
    pub(crate) constants: SceneConstants,
    pub(crate) gravity: Vec3,
    pub(crate) boundaries: Boundaries,
    pub(crate) bodies: Bodies,
    pub(crate) air: Option<Air>,
    /// The periodic cell, where it strains.
    pub(crate) cell: Option<StrainedCell>,
    pub(crate) solid_table: SolidTable,
    pub(crate) wall_table: u32,
    pub(crate) poses: Vec<PoseRecord>,
    pub(crate) segments: Vec<MotionSegmentRecord>,
    pub(crate) capacity: Capacity,
    pub(crate) variant: Variant,
    pub(crate) kernels: Kernels,
    pub(crate) buffers: Buffers,
    /// What the buffers were made for.
    pub(crate) extents: Extents,
    pub(crate) shared: SharedStages,
    pub(crate) stages: Box<dyn MethodStages>,
    /// The bodies as the last iteration left them.
    pub(crate) pushed: Vec<BodyRecord>,
    /// The same, of methods that move them: the bytes of their pool.
    pub(crate) flown: Vec<u8>,
    /// Steps since rapier moved bodies, and how long they took \[s\].
    pub(crate) since_visit: (u32, f64),
    /// The step as the device left it.
    pub(crate) step: StepRecord,
    /// Live particles; `step.sort_count` counts removed ones, too.
    pub(crate) live_count: usize,
    /// How many of them belong to bodies, and are not shown.
    pub(crate) hidden: usize,
    /// How many of them are beyond the first of their grain.
    pub(crate) beyond_grains: usize,
    pub(crate) next_id: u32,
    /// When grains entered that were not there from the beginning.
    pub(crate) births: Vec<Birth>,
    pub(crate) time: f64,
    pub(crate) frame: Frame,
    pub(crate) last_dt: Option<f64>,
    pub(crate) iterations: u32,
    /// Which recorded steps sort.
    pub(crate) rhythm: Rhythm,
    pub(crate) timings: Vec<Timing>,
    /// Where kernels are timed.
    pub(crate) kernel_times: Option<KernelTimes>,
    pub(crate) pacing: Pacing,
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

impl GpuSimulation {
    /// A simulation of a checked scene with its initial grains, by a method.
    ///
    /// # Errors
    /// Says what does not fit the device, or how it failed.
    pub fn new(
        gpu: GpuDevice,
        entry: &MethodEntry,
        scene: Scene,
        boundaries: Boundaries,
        bodies: Bodies,
        NewGrains { grains, assemblies, shapes }: NewGrains,
    ) -> Result<Self, GpuError> {
        let constants = SceneConstants::new(&scene);
        let air = scene.air.clone().map(Air::new);
        let mut solid_table = SolidTable::default();
        let mut poses = motion::poses(&boundaries, &mut solid_table)?;
        let method = (entry.make)(&MethodInput {
            scene: &scene,
            bodies: &bodies,
            grains,
            assemblies,
            grain_shapes: shapes,
            solids: solid_table.constants(),
            most_bytes: Allocator::new(&gpu).most(),
        })?;
        if method.touches_triangles() {
            solid_table.push_facets();
        }
        let of_bodies = method.particles_of_bodies();
        let all = [grains, &of_bodies].concat();
        for body in method.bodies_of_particles() {
            poses[scene.boundary.len() + body].solids[1] = 0;
        }
        bodies::mark_free(&mut poses, scene.boundary.len(), &bodies, &boundaries);
        bodies::mark_loaded(&mut poses, scene.boundary.len(), &boundaries);
        let wall_table = solid_table.push_wall_table(&constants.wall_table);
        let variant = Variant::new(&constants, air.is_some(), BodyVariant::of(&bodies), method.overrides());
        let capacity = capacity_for(all.len() as u32, method.as_ref(), &constants);
        let records = air_records(&scene, air.as_ref(), 0.0);
        let extents = extents(&scene, &variant, method.as_ref(), &solid_table, records.len(), &capacity);
        let buffers = Buffers::new(&gpu, &capacity, &extents)?;
        let queries = Queries::new(&gpu);
        let mut kernels = Kernels::new(&gpu, variant.clone(), method.hooks());
        let (shared, stages) = bind(&gpu, &buffers, &mut kernels, &solid_table, method.as_ref());
        let (progress, rhythm) = (method.first_progress(), Rhythm::new(method.sort_every()));
        let mut simulation = Self {
            gravity: Vec3::from(scene.simulation.gravity),
            gpu,
            method,
            cell: StrainedCell::new(&scene),
            scene,
            constants,
            boundaries,
            bodies,
            air,
            solid_table,
            wall_table,
            poses,
            segments: Vec::new(),
            capacity,
            variant,
            kernels,
            buffers,
            extents,
            shared,
            stages,
            pushed: Vec::new(),
            flown: Vec::new(),
            since_visit: (0, 0.0),
            step: StepRecord { progress, pass_capacity: FIRST_PASSES, ..StepRecord::default() },
            live_count: 0,
            hidden: of_bodies.len(),
            beyond_grains: 0,
            next_id: 0,
            births: Vec::new(),
            time: 0.0,
            frame: Frame::default(),
            last_dt: None,
            iterations: FIRST_ITERATIONS,
            rhythm,
            timings: Vec::new(),
            kernel_times: None,
            pacing: Pacing::default(),
            prepared: None,
            diagnostics: false,
            reads: Reads::default(),
            queries,
            views: Views::default(),
            added: None,
            failure: None,
        };
        simulation.upload_solids();
        simulation.upload_constants()?;
        simulation.append(&all, assemblies)?;
        simulation.gpu.wait()?;
        Ok(simulation)
    }

    /// The device.
    pub fn gpu(&self) -> &GpuDevice {
        &self.gpu
    }

    /// How steps were submitted, where somebody else draws with the device.
    pub fn pacing(&self) -> PacingReport {
        self.pacing.report()
    }

    /// Begins to time kernels, or begins anew. Devices without timestamps between dispatches find nothing, and steps take a little longer.
    pub fn time_kernels(&mut self) {
        self.kernel_times = Some(KernelTimes::default());
        self.prepared = None;
    }

    /// Times of kernels since [`GpuSimulation::time_kernels`].
    pub fn kernel_times(&self) -> Vec<KernelTime> {
        self.kernel_times.as_ref().map(KernelTimes::list).unwrap_or_default()
    }

    /// Writes constants and materials.
    pub(crate) fn upload_constants(&self) -> Result<(), GpuError> {
        let limits = self.method.limits();
        let mut params =
            constants::params(&self.scene, &self.constants, &limits, self.gravity, &self.capacity);
        params.wall_table = self.wall_table;
        let materials = constants::materials(&self.constants.materials)?;
        let (queue, b) = (&self.gpu.queue, &self.buffers);
        queue.write_buffer(&b.params, 0, bytemuck::bytes_of(&params));
        queue.write_buffer(&b.materials, 0, bytemuck::cast_slice(&materials));
        queue.write_buffer(&b.method_params, 0, &self.method.params());
        queue.write_buffer(&b.method_materials, 0, &self.method.materials());
        for write in self.method.constant_pools() {
            queue.write_buffer(b.pool(write.pool), write.at, &write.bytes);
        }
        self.upload_surroundings();
        Ok(())
    }

    /// Writes solids, maps of meshes and the wall table.
    pub(crate) fn upload_solids(&self) {
        let records = bytemuck::cast_slice(&self.solid_table.records);
        self.gpu.queue.write_buffer(&self.buffers.solid_table, 0, records);
    }

    /// The air; times count from the frame's start.
    fn air_records(&self) -> Vec<[f32; 4]> {
        air_records(&self.scene, self.air.as_ref(), self.frame.start)
    }

    /// Writes what moves by itself: poses of boundaries, the segments of their motions, and the air.
    pub(crate) fn upload_surroundings(&self) {
        let (queue, b) = (&self.gpu.queue, &self.buffers);
        queue.write_buffer(&b.air, 0, bytemuck::cast_slice(&self.air_records()));
        queue.write_buffer(&b.poses, 0, bytemuck::cast_slice(&self.poses));
        bodies::upload(&self.gpu, b, &self.bodies, &self.boundaries);
        queue.write_buffer(&b.segments, 0, bytemuck::cast_slice(&self.segments));
    }

    /// Appends particles, and the rigid grains of several among them.
    pub(crate) fn append(
        &mut self,
        grains: &[NewParticle],
        assemblies: &[PlacedAssembly],
    ) -> Result<(), GpuError> {
        if grains.is_empty() {
            return Ok(());
        }
        self.make_room_for(assemblies)?;
        let rows = self.step.sort_count as usize;
        let needed = rows + grains.len();
        if needed > self.capacity.particles as usize {
            let wanted = capacity_for((needed + needed / 2) as u32, self.method.as_ref(), &self.constants);
            self.make_room(wanted.max(&self.capacity))?;
        }
        let column = |f: &dyn Fn(&NewParticle) -> [f32; 4]| {
            bytemuck::pod_collect_to_vec(&grains.iter().map(f).collect::<Vec<_>>())
        };
        let meta: Vec<[u32; 4]> =
            (self.next_id..).zip(grains).map(|(id, grain)| [id, u32::from(grain.material), 0, 0]).collect();
        let mut given = self.method.begin_particles(grains, self.next_id, self.gravity);
        given.extend([
            (POSITION, column(&|g| g.position.extend(g.radius).to_array())),
            (VELOCITY, column(&|g| g.velocity.extend(g.mass).to_array())),
            (META, bytemuck::pod_collect_to_vec(&meta)),
        ]);
        for write in self.method.assemble(assemblies, self.next_id, rows as u32, &mut given) {
            self.gpu.queue.write_buffer(self.buffers.pool(write.pool), write.at, &write.bytes);
        }
        let spheres = assemblies.iter().map(|placed| placed.assembly.spheres.len());
        self.beyond_grains += spheres.map(|count| count - 1).sum::<usize>();
        let gravity = self.gravity.to_array();
        self.buffers.columns.append(&self.gpu.queue, rows, grains.len(), gravity, &given);
        if self.next_id > 0 || self.time > 0.0 {
            note_birth(&mut self.births, self.next_id, self.time);
        }
        let [low, high] = self.added.unwrap_or([grains[0].position; 2]);
        let around =
            |[low, high]: [Vec3; 2], grain: &NewParticle| [low.min(grain.position), high.max(grain.position)];
        self.added = Some(grains.iter().fold([low, high], around));
        self.next_id += grains.len() as u32;
        self.live_count += grains.len();
        self.step.sort_count = needed as u32;
        self.method.forget_neighbors(&mut self.step);
        Ok(())
    }

    /// Makes room for rigid grains of several particles in the method's pools.
    fn make_room_for(&mut self, assemblies: &[PlacedAssembly]) -> Result<(), GpuError> {
        if assemblies.is_empty() {
            return Ok(());
        }
        let (gpu, buffers) = (&self.gpu, &self.buffers);
        self.method.make_room_for(assemblies, &|pool| read_pool(gpu, buffers, pool))?;
        if self.method.pools(&self.capacity) == self.extents.pools {
            return Ok(());
        }
        self.make_room(self.capacity)
    }

    /// What kernels must be compiled for now.
    pub(crate) fn wanted_variant(&self) -> Variant {
        let bodies = BodyVariant::of(&self.bodies);
        Variant::new(&self.constants, self.air.is_some(), bodies, self.method.overrides())
    }

    /// Sizes that the scene needs now.
    pub(crate) fn wanted_extents(&self, variant: &Variant, capacity: &Capacity) -> Extents {
        let air = self.air_records().len();
        extents(&self.scene, variant, self.method.as_ref(), &self.solid_table, air, capacity)
    }

    /// Buffers of another capacity, or for another variant; the state is taken along.
    pub(crate) fn make_room(&mut self, capacity: Capacity) -> Result<(), GpuError> {
        let variant = self.wanted_variant();
        let extents = self.wanted_extents(&variant, &capacity);
        let buffers = Buffers::new(&self.gpu, &capacity, &extents)?;
        self.copy_state(&buffers, &capacity);
        (self.buffers, self.extents, self.capacity) = (buffers, extents, capacity);
        self.bind(variant);
        self.upload_solids();
        self.upload_constants()?;
        self.gpu.wait()?;
        Ok(())
    }

    /// Copies what outlives a step to other buffers.
    fn copy_state(&mut self, buffers: &Buffers, capacity: &Capacity) {
        let old = &self.buffers;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        old.columns.copy_to(&buffers.columns, &mut encoder);
        let mut copy = |from: &wgpu::Buffer, at: u64, to: &wgpu::Buffer, target: u64, size: u64| {
            encoder.copy_buffer_to_buffer(from, at, to, target, size);
        };
        copy(&old.reports, 0, &buffers.reports, 0, old.reports.size());
        for (name, from) in &old.pools {
            if let Some((_, to)) = buffers.pools.iter().find(|(theirs, _)| theirs == name) {
                copy(from, 0, to, 0, from.size().min(to.size()));
            }
        }
        // The heads of lists, then their entries, which begin where there is room for all heads.
        let heads = |capacity: &Capacity| 8 * u64::from(capacity.particles.div_ceil(LANES));
        let (from, to) = (heads(&self.capacity), heads(capacity));
        copy(&old.list, 0, &buffers.list, 0, from.min(to));
        let entries = |buffer: &wgpu::Buffer, heads: u64| (buffer.size() - heads) & !3;
        copy(&old.list, from, &buffers.list, to, entries(&old.list, from).min(entries(&buffers.list, to)));
        // Lists that hold are kept, so that a step that makes room for contacts alone goes on as it would have.
        let same = capacity.particles == self.capacity.particles
            && capacity.slots == self.capacity.slots
            && old.reordered.size() == buffers.reordered.size();
        if self.step.listed == 1 && same {
            copy(&old.reordered, 0, &buffers.reordered, 0, old.reordered.size());
        } else {
            self.step.listed = 0;
        }
        // Each half of the contacts begins where its room does.
        let half = |buffer: &wgpu::Buffer| buffer.size() / 2;
        let size = half(&old.contacts).min(half(&buffers.contacts));
        copy(&old.contacts, 0, &buffers.contacts, 0, size);
        copy(&old.contacts, half(&old.contacts), &buffers.contacts, half(&buffers.contacts), size);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Binds the kernels of a variant to the buffers.
    pub(crate) fn bind(&mut self, variant: Variant) {
        if variant != self.variant {
            self.kernels = Kernels::new(&self.gpu, variant.clone(), self.method.hooks());
            self.variant = variant;
        }
        let (shared, stages) =
            bind(&self.gpu, &self.buffers, &mut self.kernels, &self.solid_table, self.method.as_ref());
        (self.shared, self.stages) = (shared, stages);
        self.prepared = None;
    }

    /// Remembers the first failure; steps do nothing from then on.
    pub(crate) fn fail(&mut self, error: impl std::fmt::Display) {
        self.failure.get_or_insert_with(|| error.to_string());
    }
}

/// One of the method's pools, whole.
pub(super) fn read_pool(gpu: &GpuDevice, buffers: &Buffers, pool: &str) -> Result<Vec<u8>, GpuError> {
    let buffer = buffers.pool(pool);
    Ok(gpu.read_buffer(buffer, 0, buffer.size())?)
}

/// Shared kernels and the method's own, bound to buffers.
fn bind(
    gpu: &GpuDevice,
    buffers: &Buffers,
    kernels: &mut Kernels,
    table: &SolidTable,
    method: &dyn Method,
) -> (SharedStages, Box<dyn MethodStages>) {
    let mut binder = Binder::new(gpu, buffers, kernels);
    let coupled = method.shares_body_kernels();
    let shared = SharedStages::new(&mut binder, buffers, table, method.measured(), method.driven(), coupled);
    let stages = method.bind(&mut binder, buffers);
    (shared, stages)
}

/// The grains that a simulation begins with.
#[derive(Clone, Copy)]
pub struct NewGrains<'a> {
    /// All spheres.
    pub grains: &'a [NewParticle],
    /// The rigid grains of several among them.
    pub assemblies: &'a [PlacedAssembly],
    /// What such grains are like.
    pub shapes: &'a GrainShapes,
}

/// Room for so many particles.
pub(crate) fn capacity_for(count: u32, method: &dyn Method, constants: &SceneConstants) -> Capacity {
    match method.slots_per_particle() {
        Some(slots) => Capacity::with_slots(count, slots),
        None => Capacity::new(count, relative_reach(method, constants)),
    }
}

/// How far pairs are listed, in supports.
fn relative_reach(method: &dyn Method, constants: &SceneConstants) -> f32 {
    1.0 + method.limits().skin / constants.kernel.support()
}

pub(crate) fn air_records(scene: &Scene, air: Option<&Air>, start: f64) -> Vec<[f32; 4]> {
    let settings = scene.air.clone().unwrap_or_default();
    air.map_or(Vec::new(), |air| air::records(&settings, air.uniform_wind(), start))
}

/// Sizes of buffers that follow from scene and method.
pub(crate) fn extents(
    scene: &Scene,
    variant: &Variant,
    method: &dyn Method,
    table: &SolidTable,
    air: usize,
    capacity: &Capacity,
) -> Extents {
    Extents {
        ranges: variant.ranges(),
        boundaries: (scene.boundary.len() + scene.body.len()) as u32,
        bodies: scene.body.len() as u32,
        solids: table.records.len() as u32,
        air: air as u32,
        constants: [method.params().len() as u64, method.materials().len() as u64],
        columns: method.columns(),
        pools: method.pools(capacity),
    }
}
