//! Fine grains on a device: the stages of `crates/granule/src/upsample/` as compute shaders, `shader/fine_*.wgsl`.
//!
//! ```text
//! deform          surroundings of every guide                          a thread per guide
//! interpolate     motion of guides at the nodes of blocks              a thread per node
//! count           grains at nodes and on the fine grid                 a workgroup per 1024 grains, whole numbers
//! shift_nodes     shifts from dense to sparse at nodes                 a workgroup per active block
//! gather          nodes of blocks from those of cells                  a thread per node
//! find_excess     excess of grains on the fine grid                    a thread per node of the grid
//! advance_inside  grains that only guides move; others are listed      a thread per grain
//! advance         those collide with walls, land, leave                a thread per grain on the list
//! sort            every eighth frame, chunk by chunk                   for locality only
//! ```
//!
//! Both of `advance` take turns, as many grains at a time as fit on the list. Most grains are inside the guides' mass and far
//! from walls; a kernel for them that knows no walls has few registers, and the threads of the other one have alike work.
//!
//! A grain is 32 bytes. Guides and the list of blocks come from the host once per frame, or are made here from a solver's
//! own particles (`guide_tracking.rs`). Grains write their own state only and are counted in whole numbers, so results depend
//! neither on scheduling nor on the order in memory.

mod buffers;
mod guide_tracking;
mod kernels;
mod layout;
mod publish;
mod sorting;
#[cfg(test)]
mod tests;

use glam::Vec3;
use granule::BackendError;
use granule::boundary::{MOST_SLOPE, Sdf};
use granule::simulator::Simulator;
use granule::upsample::advection::{LANDED, LANDING_STEP, LANDING_STEPS};
use granule::upsample::deformation::{LEAST_VOLUME, MOST_DEFORMATION, REGULARISATION};
use granule::upsample::fine_grid::{FINE_SHIFT, FIXED_POINT_ONE, MOST_FINE_SHIFT, fine_cells_along, offset};
use granule::upsample::nodes::{ALONG, FULL_SHARE, NONE, Nodes};
use granule::upsample::shifting::{IN_MOTION, MOST_NODE_SHIFT, NODE_SHIFT, SURFACE_RAMP};
use granule::upsample::weights::{CARRIED_RAMP, ISOLATION_RAMP};
use granule::upsample::{
    AdvectionReport, AdvectionSettings, Anchors, COVERAGE_RAMP, DeviceFrameInput, FULL_SUM, FrameInput,
    Grain, GrainAdvector, NEIGHBOR_RAMP, NewGuide, SUPPORT, VOLUME_PER_GRAIN, Wall, moving_walls, wall_reach,
};
use granule_device::GpuDevice;

use crate::GpuError;
use crate::kernel::WORKGROUP;
use crate::solid_table::SolidTable;
use buffers::GrainBuffers;
use guide_tracking::GuideTracking;
use kernels::Kernels;
use layout::{FrameRecord, MOST_MATERIALS, MOST_WALLS, WallRecord};
use publish::FineView;

/// Frames from one sort of the grains to the next.
const SORT_PERIOD: u64 = 8;

/// How many grains are taken at once by stages that need memory for each.
#[derive(Clone, Copy, Debug)]
struct Batches {
    /// Grains that are sorted at once.
    chunk: u32,
    /// Grains that fit on the list of those that more than guides move. A round over so many ends with a wait for its
    /// slowest thread, so it is long; 64 MiB are little where rounds are more than one.
    list: u32,
}

const BATCHES: Batches = Batches { chunk: 1 << 22, list: 1 << 24 };

/// Fine grains on a device.
pub struct GpuGrains {
    gpu: GpuDevice,
    settings: AdvectionSettings,
    batches: Batches,
    kernels: Kernels,
    buffers: GrainBuffers,
    /// Grains in memory, with those that were removed since the last sort.
    stored: u32,
    /// Removed grains of each chunk since the last sort.
    removed: Vec<u32>,
    /// Solids of walls and regions, where each begins, and which regions they belong to.
    solids: Option<Solids>,
    /// Blocks of guides that come from the host.
    nodes: Nodes,
    /// Tracks the guides of a solver on the same device, where there is one.
    guide_tracking: Option<GuideTracking>,
    /// What was last published for a renderer.
    published: FineView,
}

/// The table of solids on the device.
struct Solids {
    ranges: Vec<[u32; 2]>,
    regions: Vec<usize>,
}

/// What the host prepares for a frame.
struct Prepared {
    record: FrameRecord,
    tables: Vec<u32>,
}

impl GpuGrains {
    /// No grains yet.
    ///
    /// # Errors
    /// Says what of the settings devices do not have.
    pub fn new(gpu: GpuDevice, settings: AdvectionSettings) -> Result<Self, GpuError> {
        if settings.friction.len() > MOST_MATERIALS {
            return Err(GpuError::Materials { count: settings.friction.len(), most: MOST_MATERIALS });
        }
        let kernels = Kernels::new(&gpu);
        let buffers = GrainBuffers::new(&gpu)?;
        if let Some(error) = gpu.take_error() {
            return Err(error.into());
        }
        Ok(Self {
            gpu,
            settings,
            batches: BATCHES,
            kernels,
            buffers,
            stored: 0,
            removed: Vec::new(),
            solids: None,
            nodes: Nodes::default(),
            guide_tracking: None,
            published: FineView::default(),
        })
    }

    /// Takes this many grains at a time where stages need memory for each, rounded up to whole workgroups and no more than
    /// otherwise; for advectors without grains. Grains move in the same way, but are in another order in memory.
    #[must_use]
    pub fn in_batches_of(mut self, grains: u32) -> Self {
        let grains = grains.clamp(1, BATCHES.list).next_multiple_of(WORKGROUP);
        self.batches = Batches { chunk: grains, list: grains };
        self
    }

    fn removed(&self) -> u32 {
        self.removed.iter().sum()
    }

    fn step(&mut self, frame: &FrameInput) -> Result<AdvectionReport, GpuError> {
        let mut nodes = std::mem::take(&mut self.nodes);
        nodes.build(frame, wall_reach(&self.settings));
        self.upload_walls(frame.walls, frame.outlets)?;
        let Prepared { mut record, tables } = self.prepare(frame, &nodes);
        let guides = frame.guides.guide.len().max(frame.after.guide.len());
        self.buffers.reserve_guides(&self.gpu, guides as u32)?;
        self.buffers.reserve_frame(&self.gpu, &record, tables.len())?;
        self.buffers.write_guides(&self.gpu, frame);
        self.buffers.write_tables(&self.gpu, &tables);
        self.buffers.write_frame(&self.gpu, &record);
        if frame.frame.is_multiple_of(SORT_PERIOD) && self.stored > 0 {
            self.sort()?;
            record.grains = self.stored;
            self.buffers.write_frame(&self.gpu, &record);
        }
        self.nodes = nodes;
        self.run_frame(&record)
    }

    /// Runs a frame, for which all has been written.
    fn run_frame(&mut self, record: &FrameRecord) -> Result<AdvectionReport, GpuError> {
        self.kernels.record(&self.gpu, &self.buffers, record);
        let counters = self.buffers.read_counters(&self.gpu, 2 + self.chunk_count())?;
        self.removed.resize(self.chunk_count(), 0);
        self.removed.iter_mut().zip(&counters[2..]).for_each(|(removed, more)| *removed += more);
        Ok(AdvectionReport { drained: counters[0] as usize, lost: counters[1] as usize })
    }

    fn chunk_count(&self) -> usize {
        self.stored.div_ceil(self.batches.chunk).max(1) as usize
    }

    /// The frame's numbers and tables.
    fn prepare(&self, frame: &FrameInput, nodes: &Nodes) -> Prepared {
        let (guides, after) = (frame.guides, frame.after);
        let mut tables = nodes.block_of_cell.clone();
        let starts = tables.len() as u32;
        tables.extend_from_slice(&guides.start);
        let after_starts = tables.len() as u32;
        tables.extend_from_slice(&after.start);
        let cell_parts = tables.len() as u32;
        tables.resize(tables.len() + nodes.block_of_cell.len(), NONE);
        let block_table = tables.len() as u32;
        let mut active = Vec::new();
        for (block, &cell) in nodes.cell_of_block.iter().enumerate() {
            let part = if nodes.active[block] { active.len() as u32 } else { NONE };
            if nodes.active[block] {
                active.push(block as u32);
                tables[(cell_parts + cell) as usize] = part;
            }
            let region_is_near = frame
                .outlets
                .iter()
                .any(|sdf| sdf.distance(Vec3::from(nodes.center[block])) < self.region_reach(nodes.side));
            let flags = u32::from(nodes.active[block]) | u32::from(region_is_near) << 1;
            tables.extend([cell, flags, part, nodes.walls[block]]);
        }
        let part_table = tables.len() as u32;
        tables.extend_from_slice(&active);
        let (number, own) = (frame.outlets.len(), self.settings.guide_radius);
        let record = FrameRecord {
            after_origin: after.origin.extend(0.0).to_array(),
            cells: with(guides.count, guides.guide.len() as u32),
            after_cells: with(after.count, guides.guide.len() as u32),
            blocks: nodes.cell_of_block.len() as u32,
            parts: active.len() as u32,
            starts,
            after_starts,
            cell_parts,
            block_table,
            part_table,
            shifts: u32::from(!active.is_empty()),
            support: guides.support,
            sized: u32::from(guides.guide.iter().chain(&after.guide).any(|guide| guide.radius != own)),
            ..self.frame_record(
                frame.frame,
                frame.dt,
                frame.gravity,
                nodes.origin,
                nodes.side,
                frame.walls,
                number,
            )
        };
        Prepared { record, tables }
    }

    /// The numbers of a frame that do not depend on where guides are, for cells of a side \[m\].
    #[allow(clippy::too_many_arguments, reason = "what a frame consists of")]
    fn frame_record(
        &self,
        number: u64,
        dt: f32,
        gravity: Vec3,
        origin: Vec3,
        side: f32,
        walls: &[Wall],
        region_count: usize,
    ) -> FrameRecord {
        let along = fine_cells_along(side, self.settings.spread);
        let fine_side = side / along as f32;
        let per_volume = 1.0 / (VOLUME_PER_GRAIN as f32 * self.settings.spread.powi(3));
        let mut record = FrameRecord {
            origin: origin.extend(side).to_array(),
            gravity: gravity.extend(dt).to_array(),
            offset: offset(number).extend(fine_side).to_array(),
            support: SUPPORT * self.settings.guide_radius,
            full: (side / ALONG as f32).powi(3) * per_volume,
            unit: 1.0 / (FIXED_POINT_ONE * fine_side.powi(3) * per_volume),
            grains: self.stored,
            along,
            wall_count: walls.len() as u32,
            region_count: region_count as u32,
            moving_walls: moving_walls(walls),
            list: 2 + self.chunk_count() as u32,
            region_reach: self.region_reach(side),
            ..self.constants()
        };
        for axis in 0..3 {
            if let Some((origin, length)) = self.settings.domain.period(axis) {
                (record.period_origin[axis], record.period_length[axis]) = (origin, length);
            }
        }
        record
    }

    /// How far a region is at least from the middle of a block of a side \[m\] if it takes no grain whose displacement from there
    /// is as long as walls reach \[m\].
    fn region_reach(&self, side: f32) -> f32 {
        MOST_SLOPE * (0.5 * side * 3.0f32.sqrt() + wall_reach(&self.settings))
    }

    /// What does not change from frame to frame.
    fn constants(&self) -> FrameRecord {
        FrameRecord {
            coverage_ramp: COVERAGE_RAMP,
            neighbor_ramp: NEIGHBOR_RAMP,
            isolation_ramp: ISOLATION_RAMP,
            carried_ramp: CARRIED_RAMP,
            surface_ramp: SURFACE_RAMP,
            radius: self.settings.radius,
            largest: self.settings.radii.largest(),
            radii: radii_of(&self.settings),
            guide_radius: self.settings.guide_radius,
            reach: wall_reach(&self.settings),
            full_sum: FULL_SUM,
            most_deformation: MOST_DEFORMATION,
            least_volume: LEAST_VOLUME,
            regularisation: REGULARISATION,
            in_motion: IN_MOTION,
            node_shift: NODE_SHIFT,
            most_node_shift: MOST_NODE_SHIFT,
            fine_shift: FINE_SHIFT,
            most_fine_shift: MOST_FINE_SHIFT,
            full_share: FULL_SHARE,
            landed: LANDED,
            landing_step: LANDING_STEP,
            landing_steps: LANDING_STEPS,
            fixed_point_one: FIXED_POINT_ONE,
            chunk: self.batches.chunk,
            list_length: self.batches.list,
            ..FrameRecord::default()
        }
    }

    /// Walls and regions with their poses; their solids only where they are others than before.
    fn upload_walls(&mut self, walls: &[Wall], outlets: &[&Sdf]) -> Result<(), GpuError> {
        let regions: Vec<usize> = outlets.iter().map(|sdf| std::ptr::from_ref(*sdf) as usize).collect();
        let count = walls.len() + regions.len();
        if count > MOST_WALLS {
            return Err(GpuError::Walls { count, most: MOST_WALLS });
        }
        let known = |solids: &Solids| solids.regions == regions && solids.ranges.len() == count;
        let solids = match self.solids.take().filter(known) {
            Some(solids) => solids,
            None => self.upload_solids(walls, outlets, regions)?,
        };
        let wall = |(wall, ranges): (&Wall, &[u32; 2])| WallRecord {
            start_rotation: wall.start.rotation.to_array(),
            start_translation: wall.start.translation.extend(wall.friction.unwrap_or(-1.0)).to_array(),
            end_rotation: wall.end.rotation.to_array(),
            end_translation: wall.end.translation.extend(turned(wall)).to_array(),
            solids: [ranges[0], ranges[1], 0, 0],
        };
        let region =
            |ranges: &[u32; 2]| WallRecord { solids: [ranges[0], ranges[1], 0, 0], ..WallRecord::default() };
        let (own, taking) = solids.ranges.split_at(walls.len());
        let records: Vec<WallRecord> =
            walls.iter().zip(own).map(wall).chain(taking.iter().map(region)).collect();
        self.buffers.write_scene(&self.gpu, &records, &self.settings.friction);
        self.solids = Some(solids);
        Ok(())
    }

    fn upload_solids(
        &mut self,
        walls: &[Wall],
        outlets: &[&Sdf],
        regions: Vec<usize>,
    ) -> Result<Solids, GpuError> {
        let mut table = SolidTable::default();
        let all = walls.iter().map(|wall| &wall.sdf).chain(outlets.iter().copied());
        let ranges: Result<Vec<[u32; 2]>, GpuError> = all.map(|sdf: &Sdf| table.push(sdf)).collect();
        self.buffers.write_solids(&self.gpu, &table.records)?;
        self.kernels.choose(&self.gpu, table.has_maps());
        Ok(Solids { ranges: ranges?, regions })
    }
}

/// Radii of all classes, as shaders take them.
fn radii_of(settings: &AdvectionSettings) -> [[[f32; 4]; 8]; 8] {
    let classes = settings.radii.classes();
    std::array::from_fn(|a| std::array::from_fn(|b| std::array::from_fn(|c| classes[32 * a + 4 * b + c])))
}

/// Angle by which a wall turns in a frame.
fn turned(wall: &Wall) -> f32 {
    wall.start.rotation.angle_between(wall.end.rotation)
}

fn with([x, y, z]: [u32; 3], w: u32) -> [u32; 4] {
    [x, y, z, w]
}

impl GrainAdvector for GpuGrains {
    fn device(&self) -> String {
        self.gpu.adapter.name.clone()
    }

    fn add(&mut self, grains: &[Grain]) -> Result<(), BackendError> {
        if grains.is_empty() {
            return Ok(());
        }
        let count = u32::try_from(self.stored as usize + grains.len()).unwrap_or(u32::MAX);
        self.buffers
            .reserve_grains(&self.gpu, self.batches, self.stored, count)
            .map_err(BackendError::new)?;
        self.buffers.write_grains(&self.gpu, self.stored, grains);
        self.stored = count;
        Ok(())
    }

    /// Rare and between frames: the grains go to the host and back, in their order, without those that were removed since
    /// the last sort.
    fn remove_inside(&mut self, region: &Sdf) -> Result<usize, BackendError> {
        let before = self.count();
        let mut grains = self.read()?;
        grains.retain(|grain| !grain.is_inside(region));
        let removed = before - grains.len();
        if removed > 0 {
            self.buffers.write_grains(&self.gpu, 0, &grains);
            self.stored = grains.len() as u32;
            self.removed.clear();
        }
        Ok(removed)
    }

    fn advance(&mut self, frame: &FrameInput) -> Result<AdvectionReport, BackendError> {
        self.step(frame).map_err(BackendError::new)
    }

    fn can_track(&self, simulator: &dyn Simulator) -> bool {
        self.can_track_guides(simulator)
    }

    fn set_anchors(&mut self, anchors: &Anchors) -> Result<(), BackendError> {
        self.set_anchors_of(anchors).map_err(BackendError::new)
    }

    fn anchors(&self) -> Result<Option<Anchors>, BackendError> {
        self.anchors_of().map_err(BackendError::new)
    }

    fn advance_on_device(
        &mut self,
        simulator: &dyn Simulator,
        frame: &DeviceFrameInput,
    ) -> Result<(AdvectionReport, Vec<NewGuide>), BackendError> {
        self.step_on_device(simulator, frame).map_err(BackendError::new)
    }

    fn read(&self) -> Result<Vec<Grain>, BackendError> {
        let mut grains = self.buffers.read_grains(&self.gpu, self.stored).map_err(BackendError::new)?;
        grains.retain(|grain| grain.id != NONE);
        Ok(grains)
    }

    fn count(&self) -> usize {
        (self.stored - self.removed()) as usize
    }

    fn bytes_per_grain(&self) -> f64 {
        self.buffers.bytes() as f64 / f64::from(self.stored.max(1))
    }
}
