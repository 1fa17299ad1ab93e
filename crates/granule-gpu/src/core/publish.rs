//! Particles for a renderer on the same device: they are drawn without leaving it.
//!
//! Publishing copies 24 bytes per particle on the device, so that the next steps may go on while a picture is drawn, and
//! waits for nothing.

use glam::Vec3;
use granule::simulator::FieldError;
use wgpu::BufferUsages;

use crate::kernel::Access::{Read, Write};
use crate::kernel::{Kernel, KernelPlan, SharedLayout, WORKGROUP};

use super::columns::{ColumnInfo, POSITION};
use super::shaders;
use super::simulation::GpuSimulation;
use super::view::ParticleView;

/// Fields that all methods can publish, if they have them; the place is `FIELD` of publish.wgsl.
const SHARED_FIELDS: [&str; 3] = ["material", "speed", "density"];

/// `FIELD` of publish.wgsl for numbers of a column.
const OF_COLUMN: usize = SHARED_FIELDS.len();

/// Where the value of a published field comes from.
struct Source {
    name: &'static str,
    kind: usize,
    column: ColumnInfo,
    number: u32,
}

impl GpuSimulation {
    /// The fields that views can carry.
    pub fn view_fields(&self) -> Vec<&'static str> {
        self.sources().iter().map(|source| source.name).collect()
    }

    fn sources(&self) -> Vec<Source> {
        let shared = SHARED_FIELDS.iter().enumerate().map(|(kind, name)| Source {
            name,
            kind,
            column: POSITION,
            number: 0,
        });
        let own = self.method.published().iter().map(|field| Source {
            name: field.name,
            kind: OF_COLUMN,
            column: field.column,
            number: field.number,
        });
        let has = |source: &Source| self.method.fields().iter().any(|info| info.name == source.name);
        shared.chain(own).filter(has).collect()
    }

    /// Publishes the particles as they are between two steps, with a field that gives their colours.
    ///
    /// # Errors
    /// Names the solver and those of its fields that views can carry.
    pub fn publish(&mut self, field: &str) -> Result<ParticleView, FieldError> {
        let source = self.sources().into_iter().find(|source| source.name == field);
        let source = source.ok_or_else(|| FieldError {
            solver: self.method.name(),
            name: field.into(),
            known: self.view_fields().join(", "),
        })?;
        let count = self.step.sort_count;
        let view = self.view_buffers();
        self.gpu.queue.write_buffer(&view.draw, 0, bytemuck::cast_slice(&[4, count, 0, 0]));
        let constants = SharedLayout::new(&self.gpu, "constants", shaders::CONSTANTS);
        let gpu = &self.gpu;
        let kernel = self.views.kernels.entry(source.name).or_insert_with(|| {
            let overrides = [
                ("FIELD", source.kind as f64),
                ("NUMBERS", f64::from(source.column.bytes / 4)),
                ("NUMBER", f64::from(source.number)),
            ];
            let plan = KernelPlan {
                shader: &shaders::PUBLISH,
                entry: "publish",
                access: &[Read, Read, Read, Read, Read, Read, Write, Write],
                shared: &[&constants],
                constants: &overrides,
            };
            Kernel::new(gpu, &plan)
        });
        let c = &self.buffers;
        let buffers = [
            &c.position,
            &c.velocity,
            c.columns.of(source.column),
            &c.meta,
            &c.density_state,
            &view.draw,
            &view.spheres,
            &view.tags,
        ];
        let shared = constants.bind(gpu, &shaders::constants_of(c));
        let bound = kernel.bind_shared(gpu, &buffers, &[&shared]);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        bound.dispatch(&mut encoder.begin_compute_pass(&Default::default()), count.div_ceil(WORKGROUP));
        gpu.queue.submit([encoder.finish()]);
        Ok(view)
    }

    /// Buffers with room for all particles; those of the last view where they suffice.
    fn view_buffers(&mut self) -> ParticleView {
        let (bounds, radius) = (self.bounds(), self.constants.radius);
        if let Some((capacity, view)) = &mut self.views.view
            && *capacity >= self.step.sort_count
        {
            view.bounds = bounds;
            return view.clone();
        }
        let capacity = self.capacity.particles;
        let create = |name, size, usage| self.gpu.create_buffer(name, size, usage | BufferUsages::STORAGE);
        let view = ParticleView {
            spheres: create("published spheres", 16 * u64::from(capacity), BufferUsages::VERTEX),
            tags: create("published tags", 8 * u64::from(capacity), BufferUsages::VERTEX),
            draw: create("published draw", 16, BufferUsages::INDIRECT | BufferUsages::COPY_DST),
            bounds,
            radius,
        };
        self.views.view = Some((capacity, view.clone()));
        view
    }

    /// The cells of the last step, one more on each side for what has moved since, and what was added.
    pub(crate) fn bounds(&self) -> [Vec3; 2] {
        let around = Vec3::splat(self.constants.radius);
        let added = self.added.map(|[low, high]| [low - around, high + around]);
        let boxes = [self.bounds_of_cells(), added];
        let both = boxes.into_iter().flatten().reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]);
        both.unwrap_or([-around, around])
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
