//! Guides that never leave the device: the solver's particles as they lie in its columns.

use std::any::Any;

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use granule::simulator::Simulator;
use granule::upsample::guides::MOST_CELLS;
use granule::upsample::{Anchors, BesideFrame, MoverReport, NewGuide, SLACK, SUPPORT};
use granule_device::GpuDevice;
use wgpu::{Buffer, BufferUsages, ComputePass};

use super::kernels::Kernels;
use super::layout::FrameRecord;
use super::room::{KEPT, Room, create, hold};
use super::{GpuGrains, SORT_PERIOD};
use crate::GpuError;
use crate::kernel::Access::{Read, Uniform, Write};
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader, SharedLayout, WORKGROUP};
use crate::primitives::{BoundScan, BoundSort, DIGIT_BITS, Launch, Scan, Sort};
use crate::shaders;
use crate::solver::GpuIisph;

/// What a frame follows; twin of `Follow`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct FollowRecord {
    particles: u32,
    ids: u32,
    known: u32,
    stamp: u32,
    slack: f32,
    unused: [f32; 3],
}

/// Kernels and buffers of following.
pub struct Following {
    see: Kernel,
    follow: Kernel,
    find_cells: Kernel,
    fill_guides: Kernel,
    mark_blocks: Kernel,
    list_blocks: Kernel,
    scan: Scan,
    sort: Sort,
    buffers: Buffers,
    /// Changes whenever a buffer is replaced.
    version: u64,
    bound: Option<BoundFollowing>,
    /// Ids that anchors are known for.
    known: u32,
    /// Box of the guides at the frame's start [m].
    bounds: Option<[Vec3; 2]>,
}

/// The kernels with their buffers.
struct BoundFollowing {
    /// Versions of the buffers here and of the room's.
    versions: [u64; 2],
    /// A column of the solver, which replaces all of them at once.
    position: Buffer,
    see: Bound,
    follow: Bound,
    /// For the start and the end of a frame.
    find_cells: [Bound; 2],
    /// The same, with the order in each of both buffers.
    fill_guides: [[Bound; 2]; 2],
    scan_starts: [BoundScan; 2],
    scan_marks: [BoundScan; 2],
    sort: BoundSort,
    mark_blocks: Bound,
    list_blocks: Bound,
}

/// Buffers by id and by cell.
struct Buffers {
    /// Numbers of what is followed, and which end of the frame; numbers of ids and cells.
    follow: Buffer,
    which: [Buffer; 2],
    id_extent: Buffer,
    cell_extent: Buffer,
    seen: Buffer,
    anchors: Buffer,
    records: Buffer,
    born: Buffer,
    born_count: Buffer,
    keys: [Buffer; 2],
    order: [Buffer; 2],
    digit_starts: Buffer,
    starts: [Buffer; 2],
    moves: Buffer,
    marks: [Buffer; 2],
    sums: Buffer,
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

impl Following {
    pub fn new(gpu: &GpuDevice, shared: &SharedLayout) -> Result<Self, GpuError> {
        let kernel = |shader: &Shader, entry, access: &[Access]| {
            let plan = KernelPlan { shader, entry, access, shared: &[shared], constants: &[] };
            Kernel::new(gpu, &plan)
        };
        let followed = [Uniform, Read, Read, Read, Write, Write, Write, Write, Write];
        let cells = [Uniform, Read, Write, Write, Write, Write, Write];
        let blocks = [Read, Read, Read, Write, Write, Write];
        let small = |name| create(gpu, name, 1024, KEPT);
        let pair = |name| Ok::<_, GpuError>([small(name)?, small(name)?]);
        let uniform = |name| create(gpu, name, 32, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        Ok(Self {
            see: kernel(&shaders::FINE_FOLLOW, "see", &followed),
            follow: kernel(&shaders::FINE_FOLLOW, "follow_guides", &followed),
            find_cells: kernel(&shaders::FINE_CELLS, "find_cells", &cells),
            fill_guides: kernel(&shaders::FINE_CELLS, "fill_guides", &cells),
            mark_blocks: kernel(&shaders::FINE_BLOCKS, "mark_blocks", &blocks),
            list_blocks: kernel(&shaders::FINE_BLOCKS, "list_blocks", &blocks),
            scan: Scan::new(gpu),
            sort: Sort::short(gpu),
            version: 0,
            bound: None,
            buffers: Buffers {
                follow: uniform("followed")?,
                which: [uniform("start")?, uniform("end")?],
                id_extent: uniform("number of ids")?,
                cell_extent: uniform("number of cells")?,
                seen: small("seen guides")?,
                anchors: small("anchors")?,
                records: small("guides by id")?,
                born: small("new guides")?,
                born_count: small("number of new guides")?,
                keys: pair("cells of guides")?,
                order: pair("order of guides")?,
                digit_starts: small("digit starts of guides")?,
                starts: pair("guides of cells")?,
                moves: small("moving cells")?,
                marks: pair("marks of cells")?,
                sums: small("sums of cells")?,
            },
            known: 0,
            bounds: None,
        })
    }

    /// Takes over anchors.
    fn set(&mut self, gpu: &GpuDevice, anchors: &Anchors) -> Result<(), GpuError> {
        let ids = anchors.id.last().map_or(0, |id| id + 1);
        let mut rows = vec![[0.0f32; 4]; 2 * ids as usize];
        for ((id, place), velocity) in anchors.id.iter().zip(&anchors.place).zip(&anchors.velocity) {
            rows[2 * *id as usize] = place.extend(1.0).to_array();
            rows[2 * *id as usize + 1] = velocity.extend(0.0).to_array();
        }
        self.version += hold(gpu, &mut self.buffers.anchors, "anchors", 32 * u64::from(ids))?;
        gpu.queue.write_buffer(&self.buffers.anchors, 0, bytemuck::cast_slice(&rows));
        self.known = ids;
        let bounds = |low: Vec3, high: Vec3| if ids > 0 { Some([low, high]) } else { None };
        let (low, high) = anchors
            .place
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
        self.bounds = if anchors.place.is_empty() { None } else { bounds(low, high) };
        Ok(())
    }

    /// The anchors.
    fn get(&self, gpu: &GpuDevice) -> Result<Anchors, GpuError> {
        let bytes = gpu.read_buffer(&self.buffers.anchors, 0, 32 * u64::from(self.known))?;
        let rows: Vec<[[f32; 4]; 2]> = bytemuck::pod_collect_to_vec(&bytes);
        let mut anchors = Anchors::default();
        for (id, [place, velocity]) in rows.iter().enumerate().filter(|(_, row)| row[0][3] != 0.0) {
            anchors.id.push(id as u32);
            anchors.place.push(Vec3::from_slice(place));
            anchors.velocity.push(Vec3::from_slice(velocity));
        }
        Ok(anchors)
    }

    /// Makes room for ids and cells; keeps anchors.
    fn hold(&mut self, gpu: &GpuDevice, ids: u32, cells: u32) -> Result<(), GpuError> {
        let n = u64::from(ids);
        let b = &mut self.buffers;
        if 32 * n > b.anchors.size() {
            let larger = create(gpu, "anchors", 32 * (n + n / 4), KEPT)?;
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&b.anchors, 0, &larger, 0, 32 * u64::from(self.known));
            gpu.queue.submit([encoder.finish()]);
            b.anchors = larger;
            self.version += 1;
        }
        self.version += hold(gpu, &mut b.seen, "seen guides", 32 * n)?;
        self.version += hold(gpu, &mut b.records, "guides by id", 80 * n)?;
        self.version +=
            hold(gpu, &mut b.born, "new guides", 32 * u64::from(ids - self.known.min(ids)).max(1))?;
        for k in 0..2 {
            self.version += hold(gpu, &mut b.keys[k], "cells of guides", 4 * n)?;
            self.version += hold(gpu, &mut b.order[k], "order of guides", 4 * n)?;
            self.version += hold(gpu, &mut b.starts[k], "guides of cells", 4 * (u64::from(cells) + 1))?;
            self.version += hold(gpu, &mut b.marks[k], "marks of cells", 4 * (u64::from(cells) + 1))?;
        }
        self.version +=
            hold(gpu, &mut b.digit_starts, "digit starts of guides", 4 * u64::from(Sort::starts_len(ids)))?;
        self.version += hold(gpu, &mut b.moves, "moving cells", 4 * (u64::from(cells) + 1))?;
        self.version += hold(gpu, &mut b.sums, "sums of cells", 4 * u64::from(Scan::sums_len(cells + 1)))?;
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
            let rim = Vec3::splat(8.0 * support);
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

    fn bind(&self, gpu: &GpuDevice, solver: &GpuIisph, kernels: &Kernels, room: &Room) -> BoundFollowing {
        let shared = kernels.frame_group(gpu, room);
        let (b, c) = (&self.buffers, &solver.columns);
        let bind = |kernel: &Kernel, buffers: &[&Buffer]| kernel.bind_shared(gpu, buffers, &[&shared]);
        let followed = [
            &b.follow,
            &c.position,
            &c.velocity,
            &c.tags,
            &b.seen,
            &b.born,
            &b.born_count,
            &b.anchors,
            &b.records,
        ];
        let cells = |after: usize, order: usize| {
            [
                &b.which[after],
                &b.records,
                &b.keys[order],
                &b.order[order],
                &b.starts[after],
                &b.moves,
                &room.guides,
            ]
        };
        let scan = |data: &Buffer| self.scan.bind(gpu, &b.cell_extent, data, &b.sums);
        let blocks = [&room.solids, &b.starts[0], &b.moves, &b.marks[0], &b.marks[1], &room.tables];
        BoundFollowing {
            versions: [self.version, room.version],
            position: c.position.clone(),
            see: bind(&self.see, &followed),
            follow: bind(&self.follow, &followed),
            find_cells: [0, 1].map(|after| bind(&self.find_cells, &cells(after, 0))),
            fill_guides: [0, 1]
                .map(|after| [0, 1].map(|order| bind(&self.fill_guides, &cells(after, order)))),
            scan_starts: [0, 1].map(|k| scan(&b.starts[k])),
            scan_marks: [0, 1].map(|k| scan(&b.marks[k])),
            sort: self.sort.bind(
                gpu,
                &b.id_extent,
                [&b.keys[0], &b.keys[1]],
                [&b.order[0], &b.order[1]],
                &b.digit_starts,
            ),
            mark_blocks: bind(&self.mark_blocks, &blocks),
            list_blocks: bind(&self.list_blocks, &blocks),
        }
    }

    /// The kernels with their buffers, bound anew where one of these was replaced.
    fn bound(
        &mut self,
        gpu: &GpuDevice,
        solver: &GpuIisph,
        kernels: &Kernels,
        room: &Room,
    ) -> BoundFollowing {
        let versions = [self.version, room.version];
        let position = &solver.columns.position;
        let known = self.bound.take().filter(|b| b.versions == versions && b.position == *position);
        known.unwrap_or_else(|| self.bind(gpu, solver, kernels, room))
    }

    /// Runs all up to the marks of blocks.
    fn run(&self, gpu: &GpuDevice, bound: &BoundFollowing, follow: &FollowRecord, cells: u32) {
        let (b, ids) = (&self.buffers, follow.ids);
        let write =
            |buffer: &Buffer, words: [u32; 4]| gpu.queue.write_buffer(buffer, 0, bytemuck::bytes_of(&words));
        gpu.queue.write_buffer(&b.follow, 0, bytemuck::bytes_of(follow));
        (0..2).for_each(|after| write(&b.which[after], [ids, after as u32, 0, 0]));
        write(&b.id_extent, [ids, 0, 0, 0]);
        write(&b.cell_extent, [cells + 1, 0, 0, 0]);
        let bits = u32::BITS - cells.leading_zeros();
        let last = bits.div_ceil(DIGIT_BITS) as usize % 2;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&b.born_count, 0, None);
        encoder.clear_buffer(&b.moves, 0, None);
        b.starts.iter().for_each(|starts| encoder.clear_buffer(starts, 0, None));
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            let run = |pass: &mut ComputePass, bound: &Bound, threads: u32| {
                if threads > 0 {
                    bound.dispatch(pass, threads.div_ceil(WORKGROUP));
                }
            };
            run(&mut pass, &bound.see, follow.particles);
            run(&mut pass, &bound.follow, ids);
            for after in 0..2 {
                run(&mut pass, &bound.find_cells[after], ids);
                bound.scan_starts[after].record(&mut pass, Launch::Direct(cells + 1));
                bound.sort.record(&mut pass, bits, ids);
                run(&mut pass, &bound.fill_guides[after][last], ids);
            }
            run(&mut pass, &bound.mark_blocks, cells + 1);
            bound.scan_marks.iter().for_each(|scan| scan.record(&mut pass, Launch::Direct(cells + 1)));
        }
        gpu.queue.submit([encoder.finish()]);
    }

    /// Runs what makes the tables of cells and blocks.
    fn run_tables(&self, gpu: &GpuDevice, list_blocks: &Bound, room: &Room, frame: &FrameRecord, cells: u32) {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let size = 4 * (u64::from(cells) + 1);
        for (starts, at) in self.buffers.starts.iter().zip([frame.starts, frame.after_starts]) {
            encoder.copy_buffer_to_buffer(starts, 0, &room.tables, 4 * u64::from(at), size);
        }
        list_blocks.dispatch(&mut encoder.begin_compute_pass(&Default::default()), cells.div_ceil(WORKGROUP));
        gpu.queue.submit([encoder.finish()]);
    }
}

/// The solver of a simulation, where it is one on a device.
fn solver_of(simulator: &dyn Simulator) -> Option<&GpuIisph> {
    let solver: &dyn Any = simulator;
    solver.downcast_ref()
}

impl GpuGrains {
    /// Whether the guides are on this device, in a space that does not repeat.
    pub(super) fn can_follow(&self, simulator: &dyn Simulator) -> bool {
        let same = |solver: &GpuIisph| solver.gpu.device == self.gpu.device;
        solver_of(simulator).is_some_and(same) && !self.settings.domain.is_periodic()
    }

    pub(super) fn set_anchors_of(&mut self, anchors: &Anchors) -> Result<(), GpuError> {
        let mut following = match self.following.take() {
            Some(following) => following,
            None => Following::new(&self.gpu, self.kernels.shared())?,
        };
        following.set(&self.gpu, anchors)?;
        self.following = Some(following);
        Ok(())
    }

    pub(super) fn anchors_of(&self) -> Result<Option<Anchors>, GpuError> {
        self.following.as_ref().map(|following| following.get(&self.gpu)).transpose()
    }

    /// Moves grains through a frame behind the particles of a solver on the same device.
    pub(super) fn step_beside(
        &mut self,
        simulator: &dyn Simulator,
        beside: &BesideFrame,
    ) -> Result<(MoverReport, Vec<NewGuide>), GpuError> {
        let (Some(solver), Some(mut following)) = (solver_of(simulator), self.following.take()) else {
            return Ok(Default::default());
        };
        let outcome = self.follow(solver, &mut following, beside);
        self.following = Some(following);
        outcome
    }

    fn follow(
        &mut self,
        solver: &GpuIisph,
        following: &mut Following,
        beside: &BesideFrame,
    ) -> Result<(MoverReport, Vec<NewGuide>), GpuError> {
        self.upload_walls(beside.walls, beside.outlets)?;
        let support = SUPPORT * self.settings.guide_radius;
        let cells = following.cells(support, solver.bounds());
        let follow = FollowRecord {
            particles: solver.step.sort_count,
            ids: solver.next_id,
            known: following.known.min(solver.next_id),
            stamp: beside.frame as u32 | 1 << 31,
            slack: SLACK * self.settings.guide_radius,
            unused: [0.0; 3],
        };
        following.hold(&self.gpu, follow.ids, cells.total())?;
        let mut record = self.frame_beside(beside, &cells, follow.ids);
        self.room.hold_guides(&self.gpu, follow.ids)?;
        self.room.write_frame(&self.gpu, &record);
        let bound = following.bound(&self.gpu, solver, &self.kernels, &self.room);
        following.run(&self.gpu, &bound, &follow, cells.total());
        following.bound = Some(bound);
        let at = 4 * u64::from(cells.total());
        let marks = &following.buffers.marks;
        let read = self.gpu.begin_read(&[
            (&marks[0], at, 4),
            (&marks[1], at, 4),
            (&following.buffers.born_count, 0, 4),
        ]);
        self.gpu.wait()?;
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&read.try_take(&self.gpu)?.unwrap_or_default());
        let [blocks, parts, born] = words[..] else { return Ok(Default::default()) };
        following.known = follow.ids;
        self.complete(&mut record, blocks, parts);
        let words = record.part_table + parts;
        self.room.hold_frame(&self.gpu, &record, words as usize)?;
        self.room.write_frame(&self.gpu, &record);
        let bound = following.bound(&self.gpu, solver, &self.kernels, &self.room);
        following.run_tables(&self.gpu, &bound.list_blocks, &self.room, &record, cells.total());
        following.bound = Some(bound);
        if beside.frame.is_multiple_of(SORT_PERIOD) && self.held > 0 {
            self.sort()?;
            record.grains = self.held;
            self.room.write_frame(&self.gpu, &record);
        }
        let report = self.run_frame(&record)?;
        Ok((report, self.read_born(following, born)?))
    }

    fn read_born(&self, following: &Following, count: u32) -> Result<Vec<NewGuide>, GpuError> {
        let bytes = self.gpu.read_buffer(&following.buffers.born, 0, 32 * u64::from(count))?;
        let rows: Vec<[[f32; 4]; 2]> = bytemuck::pod_collect_to_vec(&bytes);
        let guide = |[place, velocity]: &[[f32; 4]; 2]| NewGuide {
            id: place[3].to_bits(),
            place: Vec3::from_slice(place),
            velocity: Vec3::from_slice(velocity),
            material: velocity[3].to_bits(),
        };
        let mut born: Vec<NewGuide> = rows.iter().map(guide).collect();
        born.sort_unstable_by_key(|guide| guide.id);
        Ok(born)
    }

    /// The frame's numbers, as far as they are known before blocks are counted.
    fn frame_beside(&self, beside: &BesideFrame, cells: &Cells, ids: u32) -> FrameRecord {
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
                beside.frame,
                beside.dt,
                beside.gravity,
                cells.origin,
                side,
                beside.walls,
                beside.outlets.len(),
            )
        }
    }

    fn complete(&self, record: &mut FrameRecord, blocks: u32, parts: u32) {
        record.blocks = blocks;
        record.parts = parts;
        record.part_table = record.block_table + 4 * blocks;
        record.spreads = u32::from(parts > 0);
    }
}
