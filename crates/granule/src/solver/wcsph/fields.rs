//! The fields that the weakly compressible solver hands out.

use crate::simulator::{FieldData, FieldError, FieldInfo, FieldKind, ReadTicket, Snapshot};
use crate::solver::reads::{field, find_field};
use crate::solver::surroundings::{cell_numbers, normals};

use super::Wcsph;

/// The solver's fields.
pub const FIELDS: &[FieldInfo] = &[
    field("id", "1", FieldKind::Integer),
    field("material", "1", FieldKind::Integer),
    field("position", "m", FieldKind::Vec3),
    field("velocity", "m/s", FieldKind::Vec3),
    field("speed", "m/s", FieldKind::Scalar),
    field("radius", "m", FieldKind::Scalar),
    field("density", "kg/m3", FieldKind::Scalar),
    field("density_error", "1", FieldKind::Scalar),
    field("pressure", "Pa", FieldKind::Scalar),
    field("neighbor_count", "1", FieldKind::Integer),
    field("age", "s", FieldKind::Scalar),
    field("force", "N", FieldKind::Vec3),
    field("normal", "1", FieldKind::Vec3),
    field("cell", "1", FieldKind::Integer),
];

impl Wcsph {
    pub(super) fn read_fields(&mut self, names: &[&str]) -> Result<ReadTicket, FieldError> {
        let mut columns = Vec::with_capacity(names.len());
        let order = self.world.order_by_id();
        for &name in names {
            columns.push((find_field(FIELDS, "wcsph", name)?, self.column(name, &order)));
        }
        Ok(self.world.reads.push(Snapshot { time: self.world.time, columns }))
    }

    fn column(&self, name: &str, order: &[u32]) -> FieldData {
        let scalar =
            |f: &dyn Fn(usize) -> f32| FieldData::Scalar(order.iter().map(|&i| f(i as usize)).collect());
        let integer =
            |f: &dyn Fn(usize) -> u32| FieldData::Integer(order.iter().map(|&i| f(i as usize)).collect());
        let vec3 =
            |f: &dyn Fn(usize) -> [f32; 3]| FieldData::Vec3(order.iter().map(|&i| f(i as usize)).collect());
        let (particles, state, setup) = (&self.world.particles, &self.state, &self.setup);
        match name {
            "id" => integer(&|i| particles.id[i]),
            "material" => integer(&|i| particles.material[i] as u32),
            "position" => vec3(&|i| particles.position[i].truncate().into()),
            "velocity" => vec3(&|i| particles.velocity[i].truncate().into()),
            "speed" => scalar(&|i| particles.velocity[i].truncate().length()),
            "radius" => scalar(&|i| particles.position[i].w),
            "density" => {
                scalar(&|i| state.density[i] * setup.materials[particles.material[i] as usize].density)
            }
            "density_error" => scalar(&|i| (state.density[i] - 1.0).max(0.0)),
            "pressure" => scalar(&|i| state.pressure[i]),
            "neighbor_count" => integer(&|i| state.neighbors[i] as u32),
            "age" => scalar(&|i| (self.world.time - particles.birth_time(particles.id[i])) as f32),
            "force" => vec3(&|i| (state.acceleration[i].truncate() * particles.velocity[i].w).into()),
            "normal" => {
                let normals = self.world.pool.install(|| {
                    let (kernel, volume) = (&setup.kernel, setup.params.volume);
                    normals(&particles.position, &setup.domain, kernel, volume, setup.instructions)
                });
                vec3(&|i| normals[i].into())
            }
            _ => {
                let support = setup.params.support;
                let numbers =
                    self.world.pool.install(|| cell_numbers(&particles.position, &setup.domain, support));
                integer(&|i| numbers[i])
            }
        }
    }
}
