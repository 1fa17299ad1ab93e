//! Compaction: the indices of marked entries.

use granule_device::GpuDevice;
use wgpu::{Buffer, ComputePass};

use super::{BoundScan, DISPATCH, Launch, Scan};
use crate::kernel::{Access, Bound, Kernel, KernelPlan, Shader};

pub(crate) const SHADER: Shader =
    Shader { name: "compact", parts: &[DISPATCH, include_str!("../../shader/primitives/compact.wgsl")] };

/// Lists the indices of the entries whose flag is 1.
pub struct Compact {
    scan: Scan,
    list: Kernel,
}

/// A compaction with its buffers.
pub struct BoundCompact {
    scan: BoundScan,
    list: Bound,
}

impl Compact {
    /// Compiles the kernels.
    pub fn new(gpu: &GpuDevice) -> Self {
        let access = [Access::Uniform, Access::Read, Access::Read, Access::Write];
        let plan = KernelPlan {
            shader: &SHADER,
            entry: "list_marked",
            access: &access,
            shared: &[],
            constants: &[],
        };
        Self { scan: Scan::new(gpu), list: Kernel::new(gpu, &plan) }
    }

    /// Turns `flags` (0 or 1) into their exclusive scan and lists the marked entries; `sums` as for [`Scan`], its entry
    /// after the tiles' is the number of marked entries. Those that do not fit into `indices` are left out.
    pub fn bind(
        &self,
        gpu: &GpuDevice,
        extent: &Buffer,
        flags: &Buffer,
        sums: &Buffer,
        indices: &Buffer,
    ) -> BoundCompact {
        BoundCompact {
            scan: self.scan.bind(gpu, extent, flags, sums),
            list: self.list.bind(gpu, &[extent, flags, sums, indices]),
        }
    }
}

impl BoundCompact {
    /// Records the passes.
    pub fn record(&self, pass: &mut ComputePass, launch: Launch) {
        self.scan.record(pass, launch);
        launch.blocks(&self.list, pass);
    }
}
