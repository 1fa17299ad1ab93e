//! Particles for a renderer on the same device: they are drawn without leaving it.
//!
//! Publishing copies 24 bytes per particle on the device, so that the next steps may go on while a picture is drawn, and
//! waits for nothing.

use std::collections::HashMap;

use glam::Vec3;
use granule::simulator::FieldError;
use wgpu::{Buffer, BufferUsages};

use crate::kernel::Access::{Read, Write};
use crate::kernel::{Kernel, KernelPlan, SharedLayout, WORKGROUP};
use crate::shaders;
use crate::solver::GpuIisph;

/// Fields that a view can carry; the place is `FIELD` of publish.wgsl.
pub const VIEW_FIELDS: [&str; 5] = ["material", "speed", "pressure", "strain_rate", "density"];

/// Published particles.
#[derive(Clone, Debug)]
pub struct ParticleView {
    /// Centre and radius [m] of each, 16 bytes; those that have just been removed have no size. Usage `VERTEX`.
    pub spheres: Buffer,
    /// Value of the field as f32 and id as u32 of each, 8 bytes. Usage `VERTEX`.
    pub tags: Buffer,
    /// Arguments of an indirect draw of a quad each: 4, number of particles, 0, 0. Usage `INDIRECT`.
    pub draw: Buffer,
    /// A box that holds all particles [m]: lower and upper corner, to within a cell.
    pub bounds: [Vec3; 2],
    /// Radius of the particles [m].
    pub radius: f32,
}

/// Kernels and buffers of views.
#[derive(Default)]
pub struct Views {
    kernels: HashMap<usize, Kernel>,
    view: Option<(u32, ParticleView)>,
}

impl GpuIisph {
    /// Publishes the particles as they are between two steps, with a field that gives their colours.
    ///
    /// # Errors
    /// Names the fields that views can carry.
    pub fn publish(&mut self, field: &str) -> Result<ParticleView, FieldError> {
        let number = VIEW_FIELDS.iter().position(|name| *name == field).ok_or_else(|| FieldError {
            solver: "iisph",
            name: field.into(),
            known: VIEW_FIELDS.join(", "),
        })?;
        let count = self.step.sort_count;
        let view = self.view_buffers();
        self.gpu.queue.write_buffer(&view.draw, 0, bytemuck::cast_slice(&[4, count, 0, 0]));
        let constants = SharedLayout::new(&self.gpu, "constants", 2);
        let gpu = &self.gpu;
        let kernel = self.views.kernels.entry(number).or_insert_with(|| {
            let access = [Read, Read, Read, Read, Read, Read, Write, Write];
            let shared = [&constants];
            let plan = KernelPlan {
                shader: &shaders::PUBLISH,
                entry: "publish",
                access: &access,
                shared: &shared,
                constants: &[("FIELD", number as f64)],
            };
            Kernel::new(gpu, &plan)
        });
        let c = &self.columns;
        let buffers =
            [&c.position, &c.velocity, &c.stress, &c.tags, &c.found, &view.draw, &view.spheres, &view.tags];
        let bound = kernel.bind_shared(gpu, &buffers, &[&constants.bind(gpu, &[&c.params, &c.materials])]);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        bound.dispatch(&mut encoder.begin_compute_pass(&Default::default()), count.div_ceil(WORKGROUP));
        gpu.queue.submit([encoder.finish()]);
        Ok(view)
    }

    /// Buffers with room for all particles; those of the last view where they suffice.
    fn view_buffers(&mut self) -> ParticleView {
        let (bounds, radius) = (self.bounds(), self.setup.params.radius);
        if let Some((room, view)) = &mut self.views.view
            && *room >= self.step.sort_count
        {
            view.bounds = bounds;
            return view.clone();
        }
        let room = self.room.particles;
        let create = |name, size, usage| self.gpu.create_buffer(name, size, usage | BufferUsages::STORAGE);
        let view = ParticleView {
            spheres: create("published spheres", 16 * u64::from(room), BufferUsages::VERTEX),
            tags: create("published tags", 8 * u64::from(room), BufferUsages::VERTEX),
            draw: create("published draw", 16, BufferUsages::INDIRECT | BufferUsages::COPY_DST),
            bounds,
            radius,
        };
        self.views.view = Some((room, view.clone()));
        view
    }

    /// The cells of the last step, one more on each side for what has moved since, and what was added.
    pub(crate) fn bounds(&self) -> [Vec3; 2] {
        let room = Vec3::splat(self.setup.params.radius);
        let added = self.added.map(|[low, high]| [low - room, high + room]);
        let boxes = [self.bounds_of_cells(), added];
        let both = boxes.into_iter().flatten().reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]);
        both.unwrap_or([-room, room])
    }

    fn bounds_of_cells(&self) -> Option<[Vec3; 2]> {
        let step = &self.step;
        if step.cell_scale[0] == 0.0 {
            return None;
        }
        let side = |axis: usize, cell: f32| step.cell_origin[axis] + cell / step.cell_scale[axis];
        let low = [0, 1, 2].map(|axis| side(axis, step.cell_min[axis] as f32 - 1.0));
        let high =
            [0, 1, 2].map(|axis| side(axis, step.cell_min[axis] as f32 + step.cell_range[axis] as f32 + 2.0));
        Some([Vec3::from(low), Vec3::from(high)])
    }
}
