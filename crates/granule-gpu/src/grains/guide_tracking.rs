//! Tracks guides that never leave the device: the particles of a solver as they lie in its columns.

mod buffers;
mod kernels;

use std::any::Any;

use glam::Vec3;
use granule::simulator::Simulator;
use granule::upsample::guide_grid::MOST_CELLS;
use granule::upsample::{AdvectionReport, Anchors, DeviceFrameInput, NewGuide, SLACK, SUPPORT};
use granule_device::GpuDevice;

use super::layout::FrameRecord;
use super::{GpuGrains, SORT_PERIOD};
use crate::GpuError;
use crate::core::simulation::GpuSimulation;
use crate::kernel::SharedLayout;
use buffers::TrackingBuffers;
use kernels::{BoundTracking, TrackRecord, TrackingKernels};

/// Cells around the guides of the last frame within which they are looked for where strays would make too many cells.
const STRAY_RIM: f32 = 8.0;

/// What tracks guides on a device.
pub struct GuideTracking {
    kernels: TrackingKernels,
    buffers: TrackingBuffers,
    bound: Option<BoundTracking>,
    /// Ids that anchors are known for.
    known: u32,
    /// Box of the guides at the frame's start \[m\].
    bounds: Option<[Vec3; 2]>,
}

/// Cells over a box.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cells {
    origin: Vec3,
    count: [u32; 3],
}

impl Cells {
    fn total(&self) -> u32 {
        self.count.iter().product()
    }
}

impl GuideTracking {
    fn new(gpu: &GpuDevice, shared: &SharedLayout) -> Result<Self, GpuError> {
        Ok(Self {
            kernels: TrackingKernels::new(gpu, shared),
            buffers: TrackingBuffers::new(gpu)?,
            bound: None,
            known: 0,
            bounds: None,
        })
    }

    /// Takes over anchors.
    fn set_anchors(&mut self, gpu: &GpuDevice, anchors: &Anchors) -> Result<(), GpuError> {
        self.known = self.buffers.write_anchors(gpu, anchors)?;
        let box_of = |[low, high]: [Vec3; 2], x: &Vec3| [low.min(*x), high.max(*x)];
        let bounds = anchors.position.iter().fold([Vec3::INFINITY, Vec3::NEG_INFINITY], box_of);
        self.bounds = (!anchors.position.is_empty()).then_some(bounds);
        Ok(())
    }

    /// Cells over the guides of both ends of a frame, on a lattice that stays; those of the last frame and a rim where
    /// strays would make too many.
    fn cells(&mut self, support: f32, now: [Vec3; 2]) -> Cells {
        let both = self.bounds.map_or(now, |[low, high]| [low.min(now[0]), high.max(now[1])]);
        let over = |[low, high]: [Vec3; 2]| {
            let first = (low / support).floor() - 1.0;
            let count = (high / support).floor() - first + 2.0;
            (first * support, count)
        };
        let (mut origin, mut count) = over(both);
        let mut kept = now;
        if count.as_dvec3().element_product() > MOST_CELLS {
            let rim = Vec3::splat(STRAY_RIM * support);
            kept = self.bounds.map_or(now, |[low, high]| [now[0].max(low - rim), now[1].min(high + rim)]);
            (origin, count) = over(kept);
        }
        self.bounds = Some(kept);
        let most = MOST_CELLS.cbrt() as f32;
        let count = if count.as_dvec3().element_product() > MOST_CELLS {
            count.min(Vec3::splat(most))
        } else {
            count
        };
        Cells { origin, count: count.max(Vec3::splat(3.0)).as_uvec3().to_array() }
    }

    /// The kernels bound anew where a buffer was replaced, and the buffers.
    fn bind(&mut self, grains: &GpuGrains, solver: &GpuSimulation) -> (&BoundTracking, &TrackingBuffers) {
        let known = self.bound.take().filter(|b| b.is_current(solver, &self.buffers, &grains.buffers));
        let bound = self.bound.insert(known.unwrap_or_else(|| {
            self.kernels.bind(&grains.gpu, solver, &self.buffers, &grains.kernels, &grains.buffers)
        }));
        (bound, &self.buffers)
    }
}

/// The solver of a simulation, where it is one on a device.
fn solver_of(simulator: &dyn Simulator) -> Option<&GpuSimulation> {
    let solver: &dyn Any = simulator;
    solver.downcast_ref()
}

/// Numbers that the host waits for before it can size the tables.
struct Counts {
    blocks: u32,
    parts: u32,
    born: u32,
}

impl GpuGrains {
    /// Whether the guides are on this device, in a space that does not repeat.
    pub(super) fn can_track_guides(&self, simulator: &dyn Simulator) -> bool {
        let same = |solver: &GpuSimulation| solver.gpu.device == self.gpu.device;
        solver_of(simulator).is_some_and(same) && !self.settings.domain.is_periodic()
    }

    pub(super) fn set_anchors_of(&mut self, anchors: &Anchors) -> Result<(), GpuError> {
        let mut tracking = match self.guide_tracking.take() {
            Some(tracking) => tracking,
            None => GuideTracking::new(&self.gpu, self.kernels.shared())?,
        };
        tracking.set_anchors(&self.gpu, anchors)?;
        self.guide_tracking = Some(tracking);
        Ok(())
    }

    pub(super) fn anchors_of(&self) -> Result<Option<Anchors>, GpuError> {
        let read = |tracking: &GuideTracking| tracking.buffers.read_anchors(&self.gpu, tracking.known);
        self.guide_tracking.as_ref().map(read).transpose()
    }

    /// Moves grains through a frame whose guides are the particles of a solver on the same device.
    pub(super) fn step_on_device(
        &mut self,
        simulator: &dyn Simulator,
        input: &DeviceFrameInput,
    ) -> Result<(AdvectionReport, Vec<NewGuide>), GpuError> {
        let (Some(solver), Some(mut tracking)) = (solver_of(simulator), self.guide_tracking.take()) else {
            return Ok(Default::default());
        };
        let outcome = self.track_and_advect(solver, &mut tracking, input);
        self.guide_tracking = Some(tracking);
        outcome
    }

    fn track_and_advect(
        &mut self,
        solver: &GpuSimulation,
        tracking: &mut GuideTracking,
        input: &DeviceFrameInput,
    ) -> Result<(AdvectionReport, Vec<NewGuide>), GpuError> {
        self.upload_walls(input.walls, input.outlets)?;
        let support = SUPPORT * self.settings.guide_radius;
        let cells = tracking.cells(support, solver.bounds());
        let mut record = self.device_frame_record(input, &cells, solver.next_id);
        let Some(counts) = self.track(solver, tracking, input, &record, &cells)? else {
            return Ok(Default::default());
        };
        self.build_tables(solver, tracking, &mut record, &counts, &cells)?;
        if input.frame.is_multiple_of(SORT_PERIOD) && self.stored > 0 {
            self.sort()?;
            record.grains = self.stored;
            self.buffers.write_frame(&self.gpu, &record);
        }
        let report = self.run_frame(&record)?;
        Ok((report, tracking.buffers.read_born(&self.gpu, counts.born, self.settings.guide_radius)?))
    }

    /// Makes guides of the solver's particles and waits for how many blocks they need.
    fn track(
        &mut self,
        solver: &GpuSimulation,
        tracking: &mut GuideTracking,
        input: &DeviceFrameInput,
        frame: &FrameRecord,
        cells: &Cells,
    ) -> Result<Option<Counts>, GpuError> {
        let track = TrackRecord {
            particles: solver.step.sort_count,
            ids: solver.next_id,
            known: tracking.known.min(solver.next_id),
            stamp: input.frame as u32 | 1 << 31,
            slack: SLACK * self.settings.guide_radius,
            unused: [0.0; 3],
        };
        tracking.buffers.reserve(&self.gpu, track.ids, tracking.known, cells.total())?;
        self.buffers.reserve_guides(&self.gpu, track.ids)?;
        self.buffers.write_frame(&self.gpu, frame);
        let (bound, buffers) = tracking.bind(self, solver);
        bound.run(&self.gpu, buffers, &track, cells.total());
        let at = 4 * u64::from(cells.total());
        let [blocks, active] = &buffers.marks;
        let read = self.gpu.begin_read(&[(blocks, at, 4), (active, at, 4), (&buffers.born_count, 0, 4)]);
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&read.take(&self.gpu)?);
        let [blocks, parts, born] = words[..] else { return Ok(None) };
        tracking.known = track.ids;
        Ok(Some(Counts { blocks, parts, born }))
    }

    /// Makes the tables of cells and blocks, now that their sizes are known.
    fn build_tables(
        &mut self,
        solver: &GpuSimulation,
        tracking: &mut GuideTracking,
        record: &mut FrameRecord,
        counts: &Counts,
        cells: &Cells,
    ) -> Result<(), GpuError> {
        record.blocks = counts.blocks;
        record.parts = counts.parts;
        record.part_table = record.block_table + 4 * counts.blocks;
        record.shifts = u32::from(counts.parts > 0);
        let words = record.part_table + counts.parts;
        self.buffers.reserve_frame(&self.gpu, record, words as usize)?;
        self.buffers.write_frame(&self.gpu, record);
        let (bound, buffers) = tracking.bind(self, solver);
        bound.run_tables(&self.gpu, buffers, &self.buffers, record, cells.total());
        Ok(())
    }

    /// The frame's numbers, as far as they are known before blocks are counted.
    fn device_frame_record(&self, input: &DeviceFrameInput, cells: &Cells, ids: u32) -> FrameRecord {
        let side = SUPPORT * self.settings.guide_radius;
        let [x, y, z] = cells.count;
        let total = cells.total();
        FrameRecord {
            cells: [x, y, z, ids],
            after_cells: [x, y, z, ids],
            after_origin: cells.origin.extend(0.0).to_array(),
            starts: total,
            after_starts: 2 * total + 1,
            cell_parts: 3 * total + 2,
            block_table: 4 * total + 2,
            ..self.frame_record(
                input.frame,
                input.dt,
                input.gravity,
                cells.origin,
                side,
                input.walls,
                input.outlets.len(),
            )
        }
    }
}
