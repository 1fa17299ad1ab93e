//! The fields that the weakly compressible solver hands out.

use crate::simulator::{FieldData, FieldInfo, FieldKind};
use crate::solver::reads::{Gather, field};
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
    /// A field that the world does not have.
    pub(super) fn own_field(&self, name: &str, order: &[u32]) -> FieldData {
        let (gather, particles) = (Gather(order), &self.world.particles);
        let (state, setup) = (&self.state, &self.setup);
        match name {
            "density" => {
                gather.scalar(|i| state.density[i] * setup.materials[particles.material[i] as usize].density)
            }
            "density_error" => gather.scalar(|i| (state.density[i] - 1.0).max(0.0)),
            "pressure" => gather.scalar(|i| state.pressure[i]),
            "neighbor_count" => gather.integer(|i| state.neighbors[i] as u32),
            "force" => gather.vec3(|i| state.acceleration[i].truncate() * particles.velocity[i].w),
            "normal" => {
                let normals = self.world.team.install(|| {
                    let (kernel, volume) = (&setup.kernel, setup.params.volume);
                    normals(&particles.position, &setup.domain, kernel, volume, setup.instructions)
                });
                gather.vec3(|i| normals[i])
            }
            _ => {
                let support = setup.params.support;
                let numbers =
                    self.world.team.install(|| cell_numbers(&particles.position, &setup.domain, support));
                gather.integer(|i| numbers[i])
            }
        }
    }
}
