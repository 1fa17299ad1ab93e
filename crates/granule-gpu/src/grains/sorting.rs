//! Sorts fine grains by nodes, chunk by chunk, and drops removed ones.

use bytemuck::{Pod, Zeroable};
use granule_device::GpuDevice;
use wgpu::{BindGroup, ComputePass};

use super::GpuGrains;
use super::buffers::{GrainBuffers, ROW, SortBuffers};
use crate::GpuError;
use crate::kernel::Access::{Read, Uniform, Write};
use crate::kernel::{Bound, Kernel, KernelPlan, SharedLayout, WORKGROUP};
use crate::primitives::{BoundSort, DIGIT_BITS, Sort};
use crate::shaders;

/// Bits of a key. Two passes, after which the order is in the buffer that it began in.
const KEY_BITS: u32 = 2 * DIGIT_BITS;

/// The kernels of a sort, and as they were last bound: bindings made anew for every chunk cost as much as kernels.
pub struct SortKernels {
    find_keys: Kernel,
    narrow_keys: Kernel,
    put_aside: Kernel,
    put_in_order: Kernel,
    sort: Sort,
    bound: Option<BoundSorting>,
}

/// The kernels of a sort with their buffers.
struct BoundSorting {
    /// Version of the buffers.
    version: u64,
    find_keys: Bound,
    narrow_keys: Bound,
    sort: BoundSort,
    put_aside: Bound,
    put_in_order: Bound,
}

/// Grains that are sorted at once; twin of `Chunk`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct ChunkRecord {
    count: u32,
    first: u32,
    live: u32,
    goal: u32,
}

impl BoundSorting {
    /// Records the sort of a chunk; the first one is put aside.
    fn record(&self, pass: &mut ComputePass, chunk: &ChunkRecord) {
        self.find_keys.dispatch(pass, chunk.count.div_ceil(WORKGROUP));
        self.narrow_keys.dispatch(pass, chunk.count.div_ceil(WORKGROUP));
        self.sort.record(pass, KEY_BITS, chunk.count);
        let put = if chunk.first == 0 { &self.put_aside } else { &self.put_in_order };
        if chunk.live > 0 {
            put.dispatch(pass, chunk.live.div_ceil(WORKGROUP));
        }
    }
}

impl SortKernels {
    /// Compiles the kernels.
    pub fn new(gpu: &GpuDevice, shared: &SharedLayout) -> Self {
        let access = [Uniform, Read, Write, Write, Write, Write, Write, Write, Write];
        let kernel = |entry| {
            let shader = &shaders::FINE_SORT;
            let plan = KernelPlan { shader, entry, access: &access, shared: &[shared], constants: &[] };
            Kernel::new(gpu, &plan)
        };
        Self {
            find_keys: kernel("find_keys"),
            narrow_keys: kernel("narrow_keys"),
            put_aside: kernel("put_aside"),
            put_in_order: kernel("put_in_order"),
            sort: Sort::short(gpu),
            bound: None,
        }
    }

    fn bind(
        &self,
        gpu: &GpuDevice,
        buffers: &GrainBuffers,
        s: &SortBuffers,
        frame: &BindGroup,
    ) -> BoundSorting {
        let bind = |kernel: &Kernel| {
            let buffers = [
                &s.chunk,
                &buffers.tables,
                &buffers.positions,
                &buffers.velocities,
                &s.keys[0],
                &s.order[0],
                &s.aside[0],
                &s.aside[1],
                &s.span,
            ];
            kernel.bind_shared(gpu, &buffers, &[frame])
        };
        BoundSorting {
            version: buffers.version,
            find_keys: bind(&self.find_keys),
            narrow_keys: bind(&self.narrow_keys),
            sort: self.sort.bind(gpu, &s.chunk, s.keys.each_ref(), s.order.each_ref(), &s.starts),
            put_aside: bind(&self.put_aside),
            put_in_order: bind(&self.put_in_order),
        }
    }
}

impl GpuGrains {
    /// Sorts the grains of every chunk and closes the gaps that removed ones leave. Chunks change their places: each goes
    /// where the one before it was, and the first comes last.
    pub(super) fn sort(&mut self) -> Result<(), GpuError> {
        self.buffers.reserve_sorting(&self.gpu, self.stored.min(self.batches.chunk))?;
        let Some(s) = self.buffers.sorting.as_ref() else { return Ok(()) };
        let known = self.kernels.sorting.bound.take().filter(|bound| bound.version == self.buffers.version);
        let bound = known.unwrap_or_else(|| {
            let group = self.kernels.frame_group(&self.gpu, &self.buffers);
            self.kernels.sorting.bind(&self.gpu, &self.buffers, s, &group)
        });
        let mut kept = 0;
        let mut aside = 0;
        for (k, first) in (0..self.stored).step_by(self.batches.chunk as usize).enumerate() {
            let count = (self.stored - first).min(self.batches.chunk);
            let live = count - self.removed.get(k).copied().unwrap_or(0);
            let chunk = ChunkRecord { count, first, live, goal: kept };
            // Every chunk is submitted by itself: the next one's numbers take the place of its own.
            self.gpu.queue.write_buffer(&s.chunk, 0, bytemuck::bytes_of(&chunk));
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            encoder.clear_buffer(&s.span, 0, None);
            bound.record(&mut encoder.begin_compute_pass(&Default::default()), &chunk);
            self.gpu.queue.submit([encoder.finish()]);
            if first == 0 {
                aside = live;
            } else {
                kept += live;
            }
        }
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        for (column, from) in [&self.buffers.positions, &self.buffers.velocities].into_iter().zip(&s.aside) {
            let (to, size) = (u64::from(kept) * ROW, u64::from(aside) * ROW);
            encoder.copy_buffer_to_buffer(from, 0, column, to, size);
        }
        self.gpu.queue.submit([encoder.finish()]);
        kept += aside;
        self.kernels.sorting.bound = Some(bound);
        self.stored = kept;
        self.removed.clear();
        Ok(())
    }
}
