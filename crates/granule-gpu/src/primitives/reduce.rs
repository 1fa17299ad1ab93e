//! Sums and maxima in fixed order.

use granule_device::GpuDevice;
use wgpu::{Buffer, ComputePass};

use super::{DISPATCH, Launch, TREE};
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader, WORKGROUP};

pub(crate) const SHADER: Shader =
    Shader { name: "reduce", parts: &[DISPATCH, TREE, include_str!("../../shader/primitives/reduce.wgsl")] };

/// Sum and maximum of 4-vectors.
pub struct Reduce {
    blocks: Kernel,
    total: Kernel,
}

/// A reduction with its buffers.
pub struct BoundReduce {
    blocks: Bound,
    total: Bound,
}

impl Reduce {
    /// Compiles the kernels.
    pub fn new(gpu: &GpuDevice) -> Self {
        let access = [Access::Uniform, Access::Read, Access::Write, Access::Write];
        let kernel = |entry| {
            let plan = KernelPlan { shader: &SHADER, entry, access: &access, shared: &[], constants: &[] };
            Kernel::new(gpu, &plan)
        };
        Self { blocks: kernel("reduce_blocks"), total: kernel("reduce_total") }
    }

    /// Vectors of the buffer of blocks for `count` vectors.
    pub fn blocks_len(count: u32) -> u32 {
        2 * count.div_ceil(WORKGROUP).max(1)
    }

    /// Writes sum and maximum of `data` to `total`; the number of vectors is the first word of `extent`.
    pub fn bind(
        &self,
        gpu: &GpuDevice,
        extent: &Buffer,
        data: &Buffer,
        blocks: &Buffer,
        total: &Buffer,
    ) -> BoundReduce {
        let bind = |kernel: &Kernel| kernel.bind(gpu, &[extent, data, blocks, total]);
        BoundReduce { blocks: bind(&self.blocks), total: bind(&self.total) }
    }
}

impl BoundReduce {
    /// Records both passes.
    pub fn record(&self, pass: &mut ComputePass, launch: Launch) {
        launch.blocks(&self.blocks, pass);
        launch.one(&self.total, pass);
    }
}
