//! Fine grains for a renderer on the same device: they are drawn without leaving it.

use glam::Vec3;
use wgpu::{Buffer, BufferUsages};

use super::GpuGrains;
use crate::ParticleView;
use crate::kernel::Access::{Read, Write};
use crate::kernel::{Kernel, KernelPlan, WORKGROUP};
use crate::shaders;

/// Kernel and buffers of the last view.
#[derive(Default)]
pub struct FineView {
    kernel: Option<(bool, Kernel)>,
    view: Option<(u32, ParticleView)>,
    /// Radii of classes of grains.
    radii: Option<Buffer>,
}

impl GpuGrains {
    /// Publishes the grains as they are between two frames, with their materials or their speeds [m/s] as values. `bounds` is a box
    /// that holds all of them \[m\].
    pub fn publish(&mut self, speeds: bool, bounds: [Vec3; 2]) -> ParticleView {
        let (gpu, radius, count) = (self.gpu.clone(), self.settings.radii.largest(), self.stored);
        let fits = |(capacity, _): &(u32, ParticleView)| *capacity >= count;
        let (capacity, mut view) = self.published.view.take().filter(fits).unwrap_or_else(|| {
            let capacity = count.next_multiple_of(WORKGROUP).max(WORKGROUP);
            let create = |name, size, usage| gpu.create_buffer(name, size, usage | BufferUsages::STORAGE);
            let view = ParticleView {
                spheres: create(
                    "published grains",
                    16 * u64::from(capacity),
                    BufferUsages::VERTEX | BufferUsages::COPY_SRC,
                ),
                tags: create(
                    "tags of published grains",
                    8 * u64::from(capacity),
                    BufferUsages::VERTEX | BufferUsages::COPY_SRC,
                ),
                draw: create("draw of grains", 16, BufferUsages::INDIRECT | BufferUsages::COPY_DST),
                bounds,
                radius,
            };
            (capacity, view)
        });
        view.bounds = bounds;
        gpu.queue.write_buffer(&view.draw, 0, bytemuck::cast_slice(&[4, count, 0, 0]));
        let known = self.published.kernel.take().filter(|(of_speeds, _)| *of_speeds == speeds);
        let (_, kernel) = known.unwrap_or_else(|| {
            let constants = [("FIELD", f64::from(u8::from(speeds)))];
            let plan = KernelPlan {
                shader: &shaders::FINE_PUBLISH,
                entry: "publish",
                access: &[Read, Read, Read, Write, Write, Read],
                shared: &[],
                constants: &constants,
            };
            (speeds, Kernel::new(&gpu, &plan))
        });
        let radii = self.published.radii.take().unwrap_or_else(|| {
            let classes = self.settings.radii.classes();
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
            let buffer = gpu.create_buffer("radii of grains", size_of_val(classes) as u64, usage);
            gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(classes));
            buffer
        });
        let b = &self.buffers;
        let buffers = [&b.positions, &b.velocities, &view.draw, &view.spheres, &view.tags, &radii];
        let bound = kernel.bind_shared(&gpu, &buffers, &[]);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        bound.dispatch(&mut encoder.begin_compute_pass(&Default::default()), count.div_ceil(WORKGROUP));
        gpu.queue.submit([encoder.finish()]);
        self.published = FineView {
            kernel: Some((speeds, kernel)),
            view: Some((capacity, view.clone())),
            radii: Some(radii),
        };
        view
    }
}
