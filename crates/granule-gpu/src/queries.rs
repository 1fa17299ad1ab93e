//! Work between steps that the host waits for: particles in a box, particles in regions.

use glam::{Vec3, Vec4};
use granule_device::GpuDevice;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{Buffer, BufferUsages, ComputePass};

use crate::GpuError;
use crate::kernel::Access::{Read, Uniform, Write};
use crate::kernel::{Access, Kernel, KernelPlan, Shader, SharedLayout, WORKGROUP};
use crate::primitives::{Compact, Gather, Launch, Scan};
use crate::program::Program;
use crate::shaders;
use crate::solver::GpuIisph;

/// Kernels of queries.
pub struct Queries {
    constants: SharedLayout,
    step: SharedLayout,
    mark: Kernel,
    near: [Kernel; 2],
    compact: Compact,
    gather: Gather,
}

impl Queries {
    /// Compiles the kernels.
    pub fn new(gpu: &GpuDevice) -> Self {
        let constants = SharedLayout::new(gpu, "constants", 2);
        let step = SharedLayout::new(gpu, "step", 1);
        let kernel = |shader: &Shader, entry, access: &[Access], constants_of: &[(&str, f64)]| {
            let shared = [&constants, &step];
            Kernel::new(gpu, &KernelPlan { shader, entry, access, shared: &shared, constants: constants_of })
        };
        let mark = kernel(&shaders::MARK, "mark_inside", &[Read, Read, Write, Read, Write], &[]);
        let near = [0.0, 1.0].map(|periodic| {
            let access = [Read, Read, Write, Uniform];
            kernel(&shaders::NEAR, "flag_near", &access, &[("PERIODIC", periodic)])
        });
        Self { mark, near, compact: Compact::new(gpu), gather: Gather::new(gpu), constants, step }
    }

    /// Centre and radius of the particles in a box.
    pub fn particles_in_box(
        &self,
        solver: &GpuIisph,
        center: Vec3,
        half: Vec3,
    ) -> Result<Vec<Vec4>, GpuError> {
        let (gpu, c) = (&solver.gpu, &solver.columns);
        let count = solver.step.sort_count;
        let region = [center.extend(0.0).to_array(), half.extend(0.0).to_array()];
        let region = init(gpu, bytemuck::cast_slice(&region), BufferUsages::UNIFORM);
        let extent = init(gpu, bytemuck::cast_slice(&[count, 0, 0, 0]), BufferUsages::UNIFORM);
        // Free between steps: marks of cells, their sums, the order, and velocities of the last sweep.
        let (flags, sums, indices) = (&c.heads, &c.sums, &c.first_order);
        let near = &self.near[usize::from(solver.variant.periodic)];
        let near = near.bind_shared(
            gpu,
            &[&c.position, &c.tags, flags, &region],
            &[&self.constants.bind(gpu, &[&c.params, &c.materials]), &self.step.bind(gpu, &[&c.step])],
        );
        let compact = self.compact.bind(gpu, &extent, flags, sums, indices);
        solver.write_step();
        run(gpu, |pass| {
            near.dispatch(pass, count.div_ceil(WORKGROUP));
            compact.record(pass, Launch::Direct(count));
        });
        let at = 4 * u64::from(Scan::sums_len(count) - 1);
        let found: u32 = bytemuck::pod_read_unaligned(&gpu.read_buffer(sums, at, 4)?);
        if found == 0 {
            return Ok(Vec::new());
        }
        let extent = init(gpu, bytemuck::cast_slice(&[found, 0, 0, 0]), BufferUsages::UNIFORM);
        let gather = self.gather.bind(gpu, &extent, indices, [&c.position, &c.solved]);
        run(gpu, |pass| gather.dispatch(pass, found.div_ceil(WORKGROUP)));
        let bytes = gpu.read_buffer(&c.solved, 0, 16 * u64::from(found))?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    /// Marks the particles in regions as removed and counts them.
    pub fn mark_inside(
        &self,
        solver: &GpuIisph,
        program: &Program,
        regions: &[[u32; 4]],
    ) -> Result<Vec<usize>, GpuError> {
        let (gpu, c) = (&solver.gpu, &solver.columns);
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let taken = init(gpu, &vec![0; 4 * regions.len().next_multiple_of(4)], storage);
        let program = init(gpu, bytemuck::cast_slice(&program.records), storage);
        let solids = init(gpu, bytemuck::cast_slice(regions), storage);
        let mark = self.mark.bind_shared(
            gpu,
            &[&program, &c.position, &c.tags, &solids, &taken],
            &[&self.constants.bind(gpu, &[&c.params, &c.materials]), &self.step.bind(gpu, &[&c.step])],
        );
        solver.write_step();
        run(gpu, |pass| mark.dispatch(pass, solver.step.sort_count.div_ceil(WORKGROUP)));
        let bytes = gpu.read_buffer(&taken, 0, 4 * regions.len() as u64)?;
        let counts: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        Ok(counts.iter().map(|count| *count as usize).collect())
    }
}

fn init(gpu: &GpuDevice, contents: &[u8], usage: BufferUsages) -> Buffer {
    gpu.device.create_buffer_init(&BufferInitDescriptor { label: Some("query"), contents, usage })
}

fn run(gpu: &GpuDevice, record: impl FnOnce(&mut ComputePass)) {
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    record(&mut encoder.begin_compute_pass(&Default::default()));
    gpu.queue.submit([encoder.finish()]);
}
