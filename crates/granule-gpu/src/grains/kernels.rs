//! The kernels of fine grains, and a frame of them.

use granule::upsample::nodes::{BLOCK, OWN};
use granule_device::GpuDevice;
use wgpu::{BindGroup, Buffer};

use super::layout::{FrameRecord, LIST_HEAD};
use super::room::Room;
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
    ask: Kernel,
    count: Kernel,
    even: Kernel,
    share: Kernel,
    compare: Kernel,
    advance_inside: Kernel,
    close_list: Kernel,
    advance: Kernel,
    /// Those of the sort.
    pub sorting: SortKernels,
    /// Whether kernels that find walls know those of meshes.
    maps: bool,
    bound: Option<BoundFrame>,
}

/// The kernels of a frame with the buffers of a room.
struct BoundFrame {
    /// The room's version.
    version: u64,
    deform: Bound,
    ask: Bound,
    count: Bound,
    even: Bound,
    share: Bound,
    compare: Bound,
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
        let [ask, advance] = Self::of_walls(gpu, &shared, false);
        // Kernels of stages have the solids first and the tables second, whether they read them or not.
        Self {
            deform: kernel(&shaders::FINE_DEFORM, "deform", &[Read, Read, Read, Write]),
            ask,
            count: kernel(&shaders::FINE_COUNT, "count", &[Read, Read, Read, Write, Write]),
            even: kernel(&shaders::FINE_EVEN, "even", &[Read, Read, Read, Read, Write]),
            share: kernel(&shaders::FINE_SHARE, "share", &[Read, Read, Read, Read, Write, Write]),
            compare: kernel(&shaders::FINE_COMPARE, "compare", &[Read, Read, Read, Write]),
            advance_inside: kernel(&shaders::FINE_INSIDE, "advance_inside", &MOVING),
            close_list: kernel(&shaders::FINE_LIST, "close_list", &[Write, Write]),
            advance,
            sorting: SortKernels::new(gpu, &shared),
            maps: false,
            bound: None,
            shared,
        }
    }

    /// The kernels that find walls, `ask` and `advance`, with or without those of meshes: maps are a large part of them,
    /// which drivers in software compile for minutes.
    fn of_walls(gpu: &GpuDevice, shared: &SharedLayout, maps: bool) -> [Kernel; 2] {
        let constants = &[("MAPS", f64::from(u8::from(maps)))];
        let kernel = |shader: &Shader, entry, access: &[Access]| {
            Kernel::new(gpu, &KernelPlan { shader, entry, access, shared: &[shared], constants })
        };
        [
            kernel(&shaders::FINE_ASK, "ask", &[Read, Read, Read, Read, Write, Write]),
            kernel(&shaders::FINE_MOVE, "advance", &MOVING),
        ]
    }

    /// Chooses kernels for walls with or without meshes.
    pub fn choose(&mut self, gpu: &GpuDevice, maps: bool) {
        if self.maps != maps {
            [self.ask, self.advance] = Self::of_walls(gpu, &self.shared, maps);
            (self.maps, self.bound) = (maps, None);
        }
    }

    /// The group of the frame's numbers.
    pub fn frame_group(&self, gpu: &GpuDevice, room: &Room) -> BindGroup {
        self.shared.bind(gpu, &[&room.frame, &room.scene])
    }

    /// What kernels share.
    pub fn shared(&self) -> &SharedLayout {
        &self.shared
    }

    fn bind_frame(&self, gpu: &GpuDevice, r: &Room) -> BoundFrame {
        let shared = self.frame_group(gpu, r);
        let bind = |kernel: &Kernel, own: &[&Buffer]| {
            let buffers: Vec<&Buffer> =
                [&r.solids, &r.tables].into_iter().chain(own.iter().copied()).collect();
            kernel.bind_shared(gpu, &buffers, &[&shared])
        };
        let moving = [&r.guides, &r.nodes, &r.tally, &r.places, &r.velocities, &r.counters];
        BoundFrame {
            version: r.version,
            deform: bind(&self.deform, &[&r.guides, &r.deformation]),
            ask: bind(&self.ask, &[&r.guides, &r.deformation, &r.own, &r.cover]),
            count: bind(&self.count, &[&r.places, &r.counts, &r.tally]),
            even: bind(&self.even, &[&r.counts, &r.cover, &r.own]),
            share: bind(&self.share, &[&r.own, &r.cover, &r.nodes, &r.node_cover]),
            compare: bind(&self.compare, &[&r.node_cover, &r.tally]),
            advance_inside: bind(&self.advance_inside, &moving),
            close_list: self.close_list.bind_shared(gpu, &[&r.counters, &r.arguments], &[&shared]),
            advance: bind(&self.advance, &moving),
        }
    }

    /// Records and submits a frame, for which all has been written.
    pub fn record(&mut self, gpu: &GpuDevice, room: &Room, frame: &FrameRecord) {
        let known = self.bound.take().filter(|bound| bound.version == room.version);
        let bound = known.unwrap_or_else(|| self.bind_frame(gpu, room));
        let threads = |count: u64| count.div_ceil(u64::from(WORKGROUP)) as u32;
        let blocks = u64::from(frame.blocks);
        let mesh = u64::from(frame.parts) * u64::from(frame.along).pow(3) + 1;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&room.counters, 0, Some(4 * u64::from(frame.list + LIST_HEAD)));
        if frame.spreads != 0 {
            encoder.clear_buffer(&room.counts, 0, Some(4 * OWN as u64 * blocks));
            encoder.clear_buffer(&room.tally, 0, Some(4 * mesh));
        }
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            let mut run = |bound: &Bound, workgroups: u32| {
                if workgroups > 0 {
                    bound.dispatch(&mut pass, workgroups);
                }
            };
            run(&bound.deform, threads(u64::from(frame.cells[3])));
            run(&bound.ask, threads(32 * blocks));
            if frame.spreads != 0 {
                run(&bound.count, frame.grains.div_ceil(COUNT_RUN));
                run(&bound.even, frame.parts);
            }
            run(&bound.share, threads(BLOCK as u64 * blocks));
            if frame.spreads != 0 {
                run(&bound.compare, threads(mesh));
            }
            for first in (0..frame.grains).step_by(frame.list_length as usize) {
                let round = (frame.grains - first).min(frame.list_length);
                bound.advance_inside.dispatch(&mut pass, threads(u64::from(round)));
                bound.close_list.dispatch(&mut pass, 1);
                bound.advance.dispatch_indirect(&mut pass, &room.arguments, 0);
            }
        }
        gpu.queue.submit([encoder.finish()]);
        self.bound = Some(bound);
    }
}
