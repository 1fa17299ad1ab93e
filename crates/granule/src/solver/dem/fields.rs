//! The fields that the solver with distinct elements hands out.

use crate::simulator::{FieldData, FieldInfo, FieldKind};
use crate::solver::reads::{Gather, field};

use super::Dem;

/// The solver's fields.
pub const FIELDS: &[FieldInfo] = &[
    field("id", "1", FieldKind::Integer),
    field("material", "1", FieldKind::Integer),
    field("position", "m", FieldKind::Vec3),
    field("velocity", "m/s", FieldKind::Vec3),
    field("speed", "m/s", FieldKind::Scalar),
    field("radius", "m", FieldKind::Scalar),
    field("angular_velocity", "rad/s", FieldKind::Vec3),
    field("density", "kg/m3", FieldKind::Scalar),
    field("pressure", "Pa", FieldKind::Scalar),
    field("coordination", "1", FieldKind::Integer),
    field("force", "N", FieldKind::Vec3),
    field("torque", "N m", FieldKind::Vec3),
    field("age", "s", FieldKind::Scalar),
];

impl Dem {
    /// A field that the world does not have.
    pub(super) fn own_field(&self, name: &str, order: &[u32]) -> FieldData {
        let (gather, state) = (Gather(order), &self.state);
        match name {
            "coordination" => gather.integer(|i| state.coordination[i]),
            "density" => {
                gather.scalar(|i| self.setup.materials[usize::from(self.world.particles.material[i])].density)
            }
            "pressure" => gather.scalar(|i| state.pressure[i]),
            "torque" => gather.vec3(|i| state.torque[i].truncate()),
            _ => gather.vec3(|i| state.force[i].truncate()),
        }
    }
}
