//! Exclusive scan.

use granule_device::GpuDevice;
use wgpu::{Buffer, ComputePass};

use super::{DISPATCH, Launch, TILE, WORKGROUP_SCAN};
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader};

pub(crate) const SHADER: Shader = Shader {
    name: "scan",
    parts: &[DISPATCH, WORKGROUP_SCAN, include_str!("../../shader/primitives/scan.wgsl")],
};

/// Exclusive scan of u32, in place.
pub struct Scan {
    tiles: Kernel,
    sums: Kernel,
    add: Kernel,
}

/// A scan with its buffers.
pub struct BoundScan {
    tiles: Bound,
    sums: Bound,
    add: Bound,
}

impl Scan {
    /// Compiles the kernels.
    pub fn new(gpu: &GpuDevice) -> Self {
        let access = [Access::Uniform, Access::Write, Access::Write];
        let kernel = |entry| {
            let plan = KernelPlan { shader: &SHADER, entry, access: &access, shared: &[], constants: &[] };
            Kernel::new(gpu, &plan)
        };
        Self { tiles: kernel("scan_tiles"), sums: kernel("scan_sums"), add: kernel("add_sums") }
    }

    /// Entries of the buffer of sums for `count` entries: one per tile, then the total.
    pub fn sums_len(count: u32) -> u32 {
        count.div_ceil(TILE) + 1
    }

    /// Scans `data`, whose number of entries is the first word of `extent`.
    pub fn bind(&self, gpu: &GpuDevice, extent: &Buffer, data: &Buffer, sums: &Buffer) -> BoundScan {
        let bind = |kernel: &Kernel| kernel.bind(gpu, &[extent, data, sums]);
        BoundScan { tiles: bind(&self.tiles), sums: bind(&self.sums), add: bind(&self.add) }
    }
}

impl BoundScan {
    /// Records the three passes.
    pub fn record(&self, pass: &mut ComputePass, launch: Launch) {
        launch.tiles(&self.tiles, pass);
        launch.one(&self.sums, pass);
        launch.tiles(&self.add, pass);
    }
}
