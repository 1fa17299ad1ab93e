//! The kernels of fine grains, and a frame of them.

use granule::upsample::nodes::{BLOCK, OWN};
use granule_device::GpuDevice;
use wgpu::{BindGroup, Buffer};

use super::buffers::GrainBuffers;
use super::layout::{FrameRecord, LIST_HEAD};
use super::sorting::SortKernels;
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader, SharedLayout, WORKGROUP};
use crate::shaders;

/// What kernels that move grains do with their buffers.
const MOVING: [Access; 8] = [Read, Read, Read, Read, Read, Write, Write, Write];

/// Grains that a workgroup counts; twin of `RUN`.
pub const COUNT_RUN: u32 = 1024;

/// Compiled kernels.
pub struct Kernels {
    shared: SharedLayout,
    deform: Kernel,
    interpolate: Kernel,
    count: Kernel,
    shift_nodes: Kernel,
    gather: Kernel,
    find_excess: Kernel,
    advance_inside: Kernel,
    close_list: Kernel,
    advance: Kernel,
    /// Those of the sort.
    pub sorting: SortKernels,
    /// Whether kernels that find walls know those of meshes.
    maps: bool,
    bound: Option<BoundFrame>,
}

/// The kernels of a frame with their buffers.
struct BoundFrame {
    /// Version of the buffers.
    version: u64,
    deform: Bound,
    interpolate: Bound,
    count: Bound,
    shift_nodes: Bound,
    gather: Bound,
    find_excess: Bound,
    advance_inside: Bound,
    close_list: Bound,
    advance: Bound,
}

impl Kernels {
    /// Compiles all kernels.
    pub fn new(gpu: &GpuDevice) -> Self {
        let shared = SharedLayout::new(gpu, "fine frame", 2);
        let kernel = |shader: &Shader, entry, access: &[Access]| {
            let plan = KernelPlan { shader, entry, access, shared: &[&shared], constants: &[] };
            Kernel::new(gpu, &plan)
        };
        let [interpolate, advance] = Self::of_walls(gpu, &shared, false);
        // Kernels of stages have the solids first and the tables second, whether they read them or not.
        Self {
            deform: kernel(&shaders::FINE_DEFORM, "deform", &[Read, Read, Read, Write]),
            interpolate,
            count: kernel(&shaders::FINE_COUNT, "count", &[Read, Read, Read, Write, Write]),
            shift_nodes: kernel(&shaders::FINE_NODE_SHIFT, "shift_nodes", &[Read, Read, Read, Read, Write]),
            gather: kernel(&shaders::FINE_GATHER, "gather", &[Read, Read, Read, Read, Write, Write]),
            find_excess: kernel(&shaders::FINE_EXCESS, "find_excess", &[Read, Read, Read, Write]),
            advance_inside: kernel(&shaders::FINE_INSIDE, "advance_inside", &MOVING),
            close_list: kernel(&shaders::FINE_LIST, "close_list", &[Write, Write]),
            advance,
            sorting: SortKernels::new(gpu, &shared),
            maps: false,
            bound: None,
            shared,
        }
    }

    /// The kernels that find walls, `interpolate` and `advance`, with or without those of meshes: maps are a large part of them,
    /// which drivers in software compile for minutes.
    fn of_walls(gpu: &GpuDevice, shared: &SharedLayout, maps: bool) -> [Kernel; 2] {
        let constants = &[("MAPS", f64::from(u8::from(maps)))];
        let kernel = |shader: &Shader, entry, access: &[Access]| {
            Kernel::new(gpu, &KernelPlan { shader, entry, access, shared: &[shared], constants })
        };
        [
            kernel(&shaders::FINE_INTERPOLATE, "interpolate", &[Read, Read, Read, Read, Write, Write]),
            kernel(&shaders::FINE_MOVE, "advance", &MOVING),
        ]
    }

    /// Chooses kernels for walls with or without meshes.
    pub fn choose(&mut self, gpu: &GpuDevice, maps: bool) {
        if self.maps != maps {
            [self.interpolate, self.advance] = Self::of_walls(gpu, &self.shared, maps);
            (self.maps, self.bound) = (maps, None);
        }
    }

    /// The group of the frame's numbers.
    pub fn frame_group(&self, gpu: &GpuDevice, buffers: &GrainBuffers) -> BindGroup {
        self.shared.bind(gpu, &[&buffers.frame, &buffers.scene])
    }

    /// What kernels share.
    pub fn shared(&self) -> &SharedLayout {
        &self.shared
    }

    fn bind_frame(&self, gpu: &GpuDevice, r: &GrainBuffers) -> BoundFrame {
        let shared = self.frame_group(gpu, r);
        let bind = |kernel: &Kernel, own: &[&Buffer]| {
            let buffers: Vec<&Buffer> =
                [&r.solids, &r.tables].into_iter().chain(own.iter().copied()).collect();
            kernel.bind_shared(gpu, &buffers, &[&shared])
        };
        let moving = [&r.guides, &r.nodes, &r.tally, &r.positions, &r.velocities, &r.counters];
        BoundFrame {
            version: r.version,
            deform: bind(&self.deform, &[&r.guides, &r.deformation]),
            interpolate: bind(&self.interpolate, &[&r.guides, &r.deformation, &r.own, &r.cover]),
            count: bind(&self.count, &[&r.positions, &r.counts, &r.tally]),
            shift_nodes: bind(&self.shift_nodes, &[&r.counts, &r.cover, &r.own]),
            gather: bind(&self.gather, &[&r.own, &r.cover, &r.nodes, &r.node_cover]),
            find_excess: bind(&self.find_excess, &[&r.node_cover, &r.tally]),
            advance_inside: bind(&self.advance_inside, &moving),
            close_list: self.close_list.bind_shared(gpu, &[&r.counters, &r.arguments], &[&shared]),
            advance: bind(&self.advance, &moving),
        }
    }

    /// Records and submits a frame, for which all has been written.
    pub fn record(&mut self, gpu: &GpuDevice, buffers: &GrainBuffers, frame: &FrameRecord) {
        let known = self.bound.take().filter(|bound| bound.version == buffers.version);
        let bound = known.unwrap_or_else(|| self.bind_frame(gpu, buffers));
        let threads = |count: u64| count.div_ceil(u64::from(WORKGROUP)) as u32;
        let blocks = u64::from(frame.blocks);
        let fine_cells = u64::from(frame.parts) * u64::from(frame.along).pow(3) + 1;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&buffers.counters, 0, Some(4 * u64::from(frame.list + LIST_HEAD)));
        if frame.shifts != 0 {
            encoder.clear_buffer(&buffers.counts, 0, Some(4 * OWN as u64 * blocks));
            encoder.clear_buffer(&buffers.tally, 0, Some(4 * fine_cells));
        }
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            let mut run = |bound: &Bound, workgroups: u32| {
                if workgroups > 0 {
                    bound.dispatch(&mut pass, workgroups);
                }
            };
            run(&bound.deform, threads(u64::from(frame.cells[3])));
            run(&bound.interpolate, threads(32 * blocks));
            if frame.shifts != 0 {
                run(&bound.count, frame.grains.div_ceil(COUNT_RUN));
                run(&bound.shift_nodes, frame.parts);
            }
            run(&bound.gather, threads(BLOCK as u64 * blocks));
            if frame.shifts != 0 {
                run(&bound.find_excess, threads(fine_cells));
            }
            for first in (0..frame.grains).step_by(frame.list_length as usize) {
                let round = (frame.grains - first).min(frame.list_length);
                bound.advance_inside.dispatch(&mut pass, threads(u64::from(round)));
                bound.close_list.dispatch(&mut pass, 1);
                bound.advance.dispatch_indirect(&mut pass, &buffers.arguments, 0);
            }
        }
        gpu.queue.submit([encoder.finish()]);
        self.bound = Some(bound);
    }
}
