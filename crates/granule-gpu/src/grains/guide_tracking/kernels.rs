//! The kernels that make guides of a solver's particles, and how they are bound and recorded.

use bytemuck::{Pod, Zeroable};
use granule_device::GpuDevice;
use wgpu::{Buffer, ComputePass};

use super::buffers::TrackingBuffers;
use crate::core::simulation::GpuSimulation;
use crate::grains::buffers::GrainBuffers;
use crate::grains::kernels::Kernels;
use crate::grains::layout::FrameRecord;
use crate::kernel::Access::{Read, Uniform, Write};
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader, SharedLayout, WORKGROUP};
use crate::primitives::{BoundScan, BoundSort, DIGIT_BITS, Launch, Scan, Sort};
use crate::shaders;

/// What a frame tracks; twin of `Track`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct TrackRecord {
    /// Particles of the solver.
    pub particles: u32,
    /// Ids that there are.
    pub ids: u32,
    /// Ids that the last frame knew.
    pub known: u32,
    /// Number of the frame, which tells the latest particles from older ones.
    pub stamp: u32,
    /// How far a guide may stray from its anchor \[m\].
    pub slack: f32,
    /// Fills the record.
    pub unused: [f32; 3],
}

/// Compiled kernels.
pub struct TrackingKernels {
    scatter_by_id: Kernel,
    track: Kernel,
    find_cells: Kernel,
    fill_guides: Kernel,
    mark_blocks: Kernel,
    list_blocks: Kernel,
    scan: Scan,
    sort: Sort,
}

/// The kernels with their buffers.
pub struct BoundTracking {
    /// Versions of the buffers of tracking and of grains.
    versions: [u64; 2],
    /// A column of the solver, which replaces all of them at once.
    position: Buffer,
    scatter_by_id: Bound,
    track: Bound,
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

impl TrackingKernels {
    /// Compiles all kernels.
    pub fn new(gpu: &GpuDevice, shared: &SharedLayout) -> Self {
        let kernel = |shader: &Shader, entry, access: &[Access]| {
            let plan = KernelPlan { shader, entry, access, shared: &[shared], constants: &[] };
            Kernel::new(gpu, &plan)
        };
        let tracked = [Uniform, Read, Read, Read, Write, Write, Write, Write, Write];
        let cells = [Uniform, Read, Write, Write, Write, Write, Write];
        let blocks = [Read, Read, Read, Write, Write, Write];
        Self {
            scatter_by_id: kernel(&shaders::FINE_TRACK, "scatter_by_id", &tracked),
            track: kernel(&shaders::FINE_TRACK, "track_guides", &tracked),
            find_cells: kernel(&shaders::FINE_CELLS, "find_cells", &cells),
            fill_guides: kernel(&shaders::FINE_CELLS, "fill_guides", &cells),
            mark_blocks: kernel(&shaders::FINE_BLOCKS, "mark_blocks", &blocks),
            list_blocks: kernel(&shaders::FINE_BLOCKS, "list_blocks", &blocks),
            scan: Scan::new(gpu),
            sort: Sort::short(gpu),
        }
    }

    /// Binds the kernels to the columns of a solver and to buffers.
    pub fn bind(
        &self,
        gpu: &GpuDevice,
        solver: &GpuSimulation,
        b: &TrackingBuffers,
        grain_kernels: &Kernels,
        grains: &GrainBuffers,
    ) -> BoundTracking {
        let shared = grain_kernels.frame_group(gpu, grains);
        let c = &solver.buffers;
        let bind = |kernel: &Kernel, buffers: &[&Buffer]| kernel.bind_shared(gpu, buffers, &[&shared]);
        let tracked = [
            &b.track,
            &c.position,
            &c.velocity,
            &c.meta,
            &b.latest,
            &b.born,
            &b.born_count,
            &b.anchors,
            &b.records,
        ];
        let cells = |end: usize, order: usize| {
            let sorted = [&b.keys[order], &b.order[order], &b.starts[end]];
            let [keys, order, starts] = sorted;
            [&b.which[end], &b.records, keys, order, starts, &b.moves, &grains.guides]
        };
        let scan = |data: &Buffer| self.scan.bind(gpu, &b.cell_extent, data, &b.sums);
        let blocks = [&grains.solids, &b.starts[0], &b.moves, &b.marks[0], &b.marks[1], &grains.tables];
        let pairs = (b.keys.each_ref(), b.order.each_ref());
        BoundTracking {
            versions: [b.version, grains.version],
            position: c.position.clone(),
            scatter_by_id: bind(&self.scatter_by_id, &tracked),
            track: bind(&self.track, &tracked),
            find_cells: [0, 1].map(|end| bind(&self.find_cells, &cells(end, 0))),
            fill_guides: [0, 1].map(|end| [0, 1].map(|order| bind(&self.fill_guides, &cells(end, order)))),
            scan_starts: [0, 1].map(|k| scan(&b.starts[k])),
            scan_marks: [0, 1].map(|k| scan(&b.marks[k])),
            sort: self.sort.bind(gpu, &b.id_extent, pairs.0, pairs.1, &b.digit_starts),
            mark_blocks: bind(&self.mark_blocks, &blocks),
            list_blocks: bind(&self.list_blocks, &blocks),
        }
    }
}

impl BoundTracking {
    /// Whether none of the buffers was replaced since.
    pub fn is_current(&self, solver: &GpuSimulation, b: &TrackingBuffers, grains: &GrainBuffers) -> bool {
        self.versions == [b.version, grains.version] && self.position == solver.buffers.position
    }

    /// Runs all from the solver's particles to the marks of blocks.
    pub fn run(&self, gpu: &GpuDevice, b: &TrackingBuffers, record: &TrackRecord, cells: u32) {
        let ids = record.ids;
        write_extents(gpu, b, record, cells);
        let bits = u32::BITS - cells.leading_zeros();
        // Every pass of the sort swaps its buffers.
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
            run(&mut pass, &self.scatter_by_id, record.particles);
            run(&mut pass, &self.track, ids);
            for end in 0..2 {
                run(&mut pass, &self.find_cells[end], ids);
                self.scan_starts[end].record(&mut pass, Launch::Direct(cells + 1));
                self.sort.record(&mut pass, bits, ids);
                run(&mut pass, &self.fill_guides[end][last], ids);
            }
            run(&mut pass, &self.mark_blocks, cells + 1);
            self.scan_marks.iter().for_each(|scan| scan.record(&mut pass, Launch::Direct(cells + 1)));
        }
        gpu.queue.submit([encoder.finish()]);
    }

    /// Runs what makes the tables of cells and blocks.
    pub fn run_tables(
        &self,
        gpu: &GpuDevice,
        b: &TrackingBuffers,
        grains: &GrainBuffers,
        frame: &FrameRecord,
        cells: u32,
    ) {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let size = 4 * (u64::from(cells) + 1);
        for (starts, at) in b.starts.iter().zip([frame.starts, frame.after_starts]) {
            encoder.copy_buffer_to_buffer(starts, 0, &grains.tables, 4 * u64::from(at), size);
        }
        let workgroups = cells.div_ceil(WORKGROUP);
        self.list_blocks.dispatch(&mut encoder.begin_compute_pass(&Default::default()), workgroups);
        gpu.queue.submit([encoder.finish()]);
    }
}

/// Writes what a frame tracks, and how many ids and cells there are.
fn write_extents(gpu: &GpuDevice, b: &TrackingBuffers, record: &TrackRecord, cells: u32) {
    let write =
        |buffer: &Buffer, words: [u32; 4]| gpu.queue.write_buffer(buffer, 0, bytemuck::bytes_of(&words));
    gpu.queue.write_buffer(&b.track, 0, bytemuck::bytes_of(record));
    (0..2).for_each(|end| write(&b.which[end], [record.ids, end as u32, 0, 0]));
    write(&b.id_extent, [record.ids, 0, 0, 0]);
    write(&b.cell_extent, [cells + 1, 0, 0, 0]);
}
