//! Fine grains in the order of nodes, chunk by chunk; removed ones are dropped.

use granule::upsample::nodes::OWN;
use granule_device::GpuDevice;
use wgpu::{BindGroup, ComputePass};

use super::GpuGrains;
use super::layout::FrameRecord;
use super::room::{ROW, Room, Sorting};
use crate::GpuError;
use crate::kernel::Access::{Read, Uniform, Write};
use crate::kernel::{Bound, Kernel, KernelPlan, SharedLayout, WORKGROUP};
use crate::primitives::{BoundSort, Sort};
use crate::shaders;

/// The kernels of a sort, and as they were last bound: bindings made anew for every chunk cost as much as kernels.
pub struct SortKernels {
    find_keys: Kernel,
    put_in_order: Kernel,
    sort: Sort,
    bound: Option<BoundSorting>,
}

/// The kernels of a sort with the buffers of a room.
struct BoundSorting {
    /// The room's version.
    version: u64,
    find_keys: Bound,
    sort: BoundSort,
    /// With the order in each of both buffers.
    put_in_order: [Bound; 2],
}

impl BoundSorting {
    /// Records the sort of a chunk of so many grains by keys of so many bits.
    fn record(&self, pass: &mut ComputePass, bits: u32, count: u32) {
        let workgroups = count.div_ceil(WORKGROUP);
        self.find_keys.dispatch(pass, workgroups);
        let last = self.sort.record(pass, bits, count);
        self.put_in_order[last].dispatch(pass, workgroups);
    }
}

impl SortKernels {
    /// Compiles the kernels.
    pub fn new(gpu: &GpuDevice, shared: &SharedLayout) -> Self {
        let access = [Read, Read, Uniform, Read, Read, Write, Write, Write, Write];
        let kernel = |entry| {
            let shader = &shaders::FINE_SORT;
            let plan = KernelPlan { shader, entry, access: &access, shared: &[shared], constants: &[] };
            Kernel::new(gpu, &plan)
        };
        Self {
            find_keys: kernel("find_keys"),
            put_in_order: kernel("put_in_order"),
            sort: Sort::short(gpu),
            bound: None,
        }
    }

    fn bind(&self, gpu: &GpuDevice, room: &Room, s: &Sorting, frame: &BindGroup) -> BoundSorting {
        let bind = |kernel: &Kernel, order: usize| {
            let buffers = [
                &room.solids,
                &room.tables,
                &s.chunk,
                &room.places,
                &room.velocities,
                &s.keys[order],
                &s.order[order],
                &s.sorted[0],
                &s.sorted[1],
            ];
            kernel.bind_shared(gpu, &buffers, &[frame])
        };
        BoundSorting {
            version: room.version,
            find_keys: bind(&self.find_keys, 0),
            sort: self.sort.bind(gpu, &s.chunk, s.keys.each_ref(), s.order.each_ref(), &s.starts),
            put_in_order: [0, 1].map(|last| bind(&self.put_in_order, last)),
        }
    }
}

impl GpuGrains {
    /// Sorts the grains of every chunk and closes the gaps that removed ones leave.
    pub(super) fn sort(&mut self, frame: &FrameRecord) -> Result<(), GpuError> {
        self.room.hold_sorting(&self.gpu, self.held.min(self.parts.chunk))?;
        let Some(s) = self.room.sorting.as_ref() else { return Ok(()) };
        let known = self.kernels.sorting.bound.take().filter(|bound| bound.version == self.room.version);
        let bound = known.unwrap_or_else(|| {
            let group = self.kernels.frame_group(&self.gpu, &self.room);
            self.kernels.sorting.bind(&self.gpu, &self.room, s, &group)
        });
        let bits = u32::BITS - (OWN as u32 * frame.blocks + 1).leading_zeros();
        let mut kept = 0;
        for (k, first) in (0..self.held).step_by(self.parts.chunk as usize).enumerate() {
            let count = (self.held - first).min(self.parts.chunk);
            let live = count - self.removed.get(k).copied().unwrap_or(0);
            // Every chunk is submitted by itself: the next one's numbers take the place of its own.
            self.gpu.queue.write_buffer(&s.chunk, 0, bytemuck::bytes_of(&[count, first, 0, 0]));
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            bound.record(&mut encoder.begin_compute_pass(&Default::default()), bits, count);
            for (sorted, column) in s.sorted.iter().zip([&self.room.places, &self.room.velocities]) {
                let (to, size) = (u64::from(kept) * ROW, u64::from(live) * ROW);
                encoder.copy_buffer_to_buffer(sorted, 0, column, to, size);
            }
            self.gpu.queue.submit([encoder.finish()]);
            kept += live;
        }
        self.kernels.sorting.bound = Some(bound);
        self.held = kept;
        self.removed.clear();
        Ok(())
    }
}
