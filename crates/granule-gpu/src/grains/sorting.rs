//! Fine grains in the order of nodes, chunk by chunk; removed ones are dropped.

use granule::upsample::nodes::OWN;
use wgpu::BufferUsages;
use wgpu::util::{BufferInitDescriptor, DeviceExt};

use super::GpuGrains;
use super::layout::FrameRecord;
use super::room::ROW;
use crate::GpuError;
use crate::kernel::WORKGROUP;
use crate::primitives::DIGIT_BITS;

impl GpuGrains {
    /// Sorts the grains of every chunk and closes the gaps that removed ones leave.
    pub(super) fn sort(&mut self, frame: &FrameRecord) -> Result<(), GpuError> {
        self.room.hold_sorting(&self.gpu, self.held.min(self.parts.chunk))?;
        let bits = u32::BITS - (OWN as u32 * frame.blocks + 1).leading_zeros();
        let last = bits.div_ceil(DIGIT_BITS) as usize % 2;
        let mut kept = 0;
        for (k, first) in (0..self.held).step_by(self.parts.chunk as usize).enumerate() {
            let count = (self.held - first).min(self.parts.chunk);
            let live = count - self.removed.get(k).copied().unwrap_or(0);
            let words = |words: [u32; 4]| {
                self.gpu.device.create_buffer_init(&BufferInitDescriptor {
                    label: Some("chunk"),
                    contents: bytemuck::bytes_of(&words),
                    usage: BufferUsages::UNIFORM,
                })
            };
            let (chunk, extent) = (words([first, count, 0, 0]), words([count, 0, 0, 0]));
            let bound = self.kernels.bind_chunk(&self.gpu, &self.room, &chunk, last);
            let (Some([find_keys, put_in_order]), Some(s)) = (bound, self.room.sorting.as_ref()) else {
                break;
            };
            let sort = self.kernels.sort.bind(
                &self.gpu,
                &extent,
                [&s.keys[0], &s.keys[1]],
                [&s.order[0], &s.order[1]],
                &s.starts,
            );
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                find_keys.dispatch(&mut pass, count.div_ceil(WORKGROUP));
                sort.record(&mut pass, bits, count);
                put_in_order.dispatch(&mut pass, count.div_ceil(WORKGROUP));
            }
            for (sorted, column) in s.sorted.iter().zip([&self.room.places, &self.room.velocities]) {
                encoder.copy_buffer_to_buffer(
                    sorted,
                    0,
                    column,
                    u64::from(kept) * ROW,
                    u64::from(live) * ROW,
                );
            }
            self.gpu.queue.submit([encoder.finish()]);
            kept += live;
        }
        self.held = kept;
        self.removed.clear();
        Ok(())
    }
}
