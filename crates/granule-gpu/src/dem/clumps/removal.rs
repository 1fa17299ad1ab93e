//! Rigid grains that leave through regions: by their centres of mass, with all their spheres.

use granule_device::GpuDevice;
use wgpu::{Buffer, BufferUsages};

use crate::GpuError;
use crate::core::buffers::Buffers;
use crate::core::constants::flag;
use crate::core::method::{Regions, RemovedGrains};
use crate::core::queries::{init, run};
use crate::core::shaders::{CONSTANTS, constants_of};
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Access, Kernel, KernelPlan, Shader, SharedLayout, WORKGROUP};

use super::super::columns::{GRAIN, RIGID};
use super::super::shaders;

/// The kernels.
pub struct Removal {
    constants: SharedLayout,
    step: SharedLayout,
    clumps: Kernel,
    members: Kernel,
}

impl Removal {
    /// Compiles them.
    pub fn new(gpu: &GpuDevice, periodic: bool) -> Self {
        let constants = SharedLayout::new(gpu, "constants", CONSTANTS);
        let step = SharedLayout::new(gpu, "step", 1);
        let kernel = |shader: &Shader, entry, access: &[Access], constants_of: &[(&str, f64)]| {
            let shared = [&constants, &step];
            Kernel::new(gpu, &KernelPlan { shader, entry, access, shared: &shared, constants: constants_of })
        };
        let periodic = [("PERIODIC", flag(periodic))];
        let clumps = kernel(&shaders::MARK_CLUMPS, "mark_clumps", &[Read, Write, Read, Write], &periodic);
        let members = kernel(&shaders::MARK_MEMBERS, "mark_members", &[Write, Read, Read], &[]);
        Self { clumps, members, constants, step }
    }

    /// Removes the grains in regions among so many particles.
    ///
    /// # Errors
    /// Says how the device failed.
    pub fn remove(
        &self,
        gpu: &GpuDevice,
        c: &Buffers,
        particles: u32,
        slots: u32,
        regions: &Regions,
    ) -> Result<RemovedGrains, GpuError> {
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let count = regions.count;
        let taken = init(gpu, &vec![0; 4 * (count + 1).next_multiple_of(4)], storage);
        let shared = [&self.constants.bind(gpu, &constants_of(c)), &self.step.bind(gpu, &[&c.step])];
        let rigid = c.pool(RIGID);
        let bind = |kernel: &Kernel, buffers: &[&Buffer]| kernel.bind_shared(gpu, buffers, &shared);
        let clumps = bind(&self.clumps, &[&regions.table, rigid, &regions.solids, &taken]);
        let members = bind(&self.members, &[&c.meta, c.columns.of(GRAIN), rigid]);
        run(gpu, |pass| {
            clumps.dispatch(pass, slots.div_ceil(WORKGROUP));
            members.dispatch(pass, particles.div_ceil(WORKGROUP));
        });
        let bytes = gpu.read_buffer(&taken, 0, 4 * (count as u64 + 1))?;
        let counts: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        let grains = counts[..count].iter().map(|count| *count as usize).collect();
        Ok(RemovedGrains { grains, particles: counts[count] as usize })
    }
}
