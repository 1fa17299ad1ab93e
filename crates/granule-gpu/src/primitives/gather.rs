//! Reordering of columns.

use granule_device::GpuDevice;
use wgpu::Buffer;

use super::DISPATCH;
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader};

pub(crate) const SHADER: Shader =
    Shader { name: "gather", parts: &[DISPATCH, include_str!("../../shader/primitives/gather.wgsl")] };

/// Reorders a column of 16-byte records.
pub struct Gather(Kernel);

impl Gather {
    /// Compiles the kernel.
    pub fn new(gpu: &GpuDevice) -> Self {
        let access = [Access::Uniform, Access::Read, Access::Read, Access::Write];
        let plan =
            KernelPlan { shader: &SHADER, entry: "gather", access: &access, shared: &[], constants: &[] };
        Self(Kernel::new(gpu, &plan))
    }

    /// `gathered[k] = source[order[k]]`, with a workgroup per 256 records.
    pub fn bind(&self, gpu: &GpuDevice, extent: &Buffer, order: &Buffer, columns: [&Buffer; 2]) -> Bound {
        let [source, gathered] = columns;
        self.0.bind(gpu, &[extent, order, source, gathered])
    }
}
