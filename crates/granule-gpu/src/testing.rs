//! What tests on a device share.

use granule_device::GpuDevice;
pub use granule_testing::device as gpu;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{Buffer, BufferUsages, ComputePass};

/// A storage buffer with content; at least 16 bytes long.
pub fn storage<T: bytemuck::NoUninit>(gpu: &GpuDevice, content: &[T]) -> Buffer {
    let mut bytes = bytemuck::cast_slice(content).to_vec();
    bytes.resize(bytes.len().max(16), 0);
    init(gpu, &bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST)
}

/// A uniform buffer with content.
pub fn uniform<T: bytemuck::NoUninit>(gpu: &GpuDevice, content: &[T]) -> Buffer {
    init(gpu, bytemuck::cast_slice(content), BufferUsages::UNIFORM)
}

fn init(gpu: &GpuDevice, contents: &[u8], usage: BufferUsages) -> Buffer {
    gpu.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
}

/// Records a pass and runs it.
pub fn run(gpu: &GpuDevice, record: impl FnOnce(&mut ComputePass)) {
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    record(&mut encoder.begin_compute_pass(&Default::default()));
    gpu.queue.submit([encoder.finish()]);
    gpu.wait().unwrap();
}
