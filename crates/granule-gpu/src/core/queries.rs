//! Work between steps that the host waits for: particles in a box, particles in regions.

use glam::{Vec3, Vec4};
use granule_device::GpuDevice;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{Buffer, BufferUsages, ComputePass};

use crate::GpuError;
use crate::kernel::Access::{Read, Uniform, Write};
use crate::kernel::{Access, Kernel, KernelPlan, Shader, SharedLayout, WORKGROUP};
use crate::primitives::{Compact, Gather, Launch, Scan};
use crate::solid_table::SolidTable;

use super::buffers::Buffers;
use super::method::Regions;
use super::shaders;

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
        let constants = SharedLayout::new(gpu, "constants", shaders::CONSTANTS);
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

    /// Centre and radius of those of so many particles that lie in a box, given by its centre and half its size.
    pub fn particles_in_box(
        &self,
        gpu: &GpuDevice,
        c: &Buffers,
        count: u32,
        periodic: bool,
        [center, half]: [Vec3; 2],
    ) -> Result<Vec<Vec4>, GpuError> {
        let region = [center.extend(0.0).to_array(), half.extend(0.0).to_array()];
        let region = init(gpu, bytemuck::cast_slice(&region), BufferUsages::UNIFORM);
        let extent = init(gpu, bytemuck::cast_slice(&[count, 0, 0, 0]), BufferUsages::UNIFORM);
        // Free between steps: marks of cells, their sums, and the order.
        let (flags, sums, indices) = (&c.heads, &c.sums, &c.first_order);
        let near = &self.near[usize::from(periodic)];
        let near = near.bind_shared(
            gpu,
            &[&c.position, &c.meta, flags, &region],
            &[&self.constants.bind(gpu, &shaders::constants_of(c)), &self.step.bind(gpu, &[&c.step])],
        );
        let compact = self.compact.bind(gpu, &extent, flags, sums, indices);
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
        let size = 16 * u64::from(found);
        let gathered = gpu.create_buffer("query", size, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let gather = self.gather.bind(gpu, &extent, indices, [&c.position, &gathered]);
        run(gpu, |pass| gather.dispatch(pass, found.div_ceil(WORKGROUP)));
        let bytes = gpu.read_buffer(&gathered, 0, size)?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    /// Marks the particles in regions as removed and counts them.
    pub fn mark_inside(
        &self,
        gpu: &GpuDevice,
        c: &Buffers,
        count: u32,
        regions: &Regions,
    ) -> Result<Vec<usize>, GpuError> {
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let taken = init(gpu, &vec![0; 4 * regions.count.next_multiple_of(4)], storage);
        let mark = self.mark.bind_shared(
            gpu,
            &[&regions.table, &c.position, &c.meta, &regions.solids, &taken],
            &[&self.constants.bind(gpu, &shaders::constants_of(c)), &self.step.bind(gpu, &[&c.step])],
        );
        run(gpu, |pass| mark.dispatch(pass, count.div_ceil(WORKGROUP)));
        let bytes = gpu.read_buffer(&taken, 0, 4 * regions.count as u64)?;
        let counts: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        Ok(counts.iter().map(|count| *count as usize).collect())
    }
}

impl Regions {
    /// Regions for the device, each with first record and number of its solids.
    pub fn new(gpu: &GpuDevice, table: &SolidTable, solids: &[[u32; 4]]) -> Self {
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        Self {
            table: init(gpu, bytemuck::cast_slice(&table.records), storage),
            solids: init(gpu, bytemuck::cast_slice(solids), storage),
            count: solids.len(),
        }
    }
}

/// A buffer with content.
pub fn init(gpu: &GpuDevice, contents: &[u8], usage: BufferUsages) -> Buffer {
    gpu.device.create_buffer_init(&BufferInitDescriptor { label: Some("query"), contents, usage })
}

/// Runs a pass.
pub fn run(gpu: &GpuDevice, record: impl FnOnce(&mut ComputePass)) {
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    record(&mut encoder.begin_compute_pass(&Default::default()));
    gpu.queue.submit([encoder.finish()]);
}
