//! The fields that the solver with distinct elements hands out.
//!
//! Spheres of a rigid grain have its orientation, contacts and stress, and forces and torques of their own; `grain` is the id of the
//! grain's first sphere.

use glam::Quat;

use crate::simulator::{FieldData, FieldInfo, FieldKind};
use crate::solver::orientation::turned;
use crate::solver::reads::{Gather, field};

use super::Dem;
use super::state::mover;

/// The solver's fields.
pub const FIELDS: &[FieldInfo] = &[
    field("id", "1", FieldKind::Integer),
    field("grain", "1", FieldKind::Integer),
    field("material", "1", FieldKind::Integer),
    field("position", "m", FieldKind::Vec3),
    field("velocity", "m/s", FieldKind::Vec3),
    field("speed", "m/s", FieldKind::Scalar),
    field("radius", "m", FieldKind::Scalar),
    field("orientation", "1", FieldKind::Quaternion),
    field("angular_velocity", "rad/s", FieldKind::Vec3),
    field("density", "kg/m3", FieldKind::Scalar),
    field("pressure", "Pa", FieldKind::Scalar),
    field("von_mises", "Pa", FieldKind::Scalar),
    field("stress", "Pa", FieldKind::Tensor),
    field("coordination", "1", FieldKind::Integer),
    field("contact_force", "N", FieldKind::Scalar),
    field("force", "N", FieldKind::Vec3),
    field("torque", "N m", FieldKind::Vec3),
    field("age", "s", FieldKind::Scalar),
];

impl Dem {
    /// A field that the world does not have.
    pub(super) fn own_field(&self, name: &str, order: &[u32]) -> FieldData {
        let (gather, state) = (Gather(order), &self.state);
        match name {
            "orientation" => {
                let rows = order.iter().map(|&i| self.orientation_of(i as usize).to_array());
                FieldData::Quaternion(rows.collect())
            }
            "grain" => gather.integer(|i| self.grain_of(i)),
            "density" => {
                gather.scalar(|i| self.setup.materials[usize::from(self.world.particles.material[i])].density)
            }
            "torque" => gather.vec3(|i| state.torque[i].truncate()),
            "force" => gather.vec3(|i| state.force[i].truncate()),
            _ => self.contact_field(name, gather),
        }
    }

    /// The orientation of a particle by its place in memory, world from body. Spheres of a rigid grain have its own; those that are
    /// held or led do not turn.
    fn orientation_of(&self, i: usize) -> Quat {
        match self.assemblies.assembly_of(i) {
            Some(k) if self.state.mover[i] == mover::MEMBER => self.assemblies.all()[k].orientation.as_quat(),
            _ => turned(self.state.orientation[i], self.state.turn[i]),
        }
    }

    /// Id of the first sphere of the grain that a particle belongs to.
    fn grain_of(&self, i: usize) -> u32 {
        let members = self.assemblies.assembly_of(i).map(|k| self.assemblies.members(k));
        members.and_then(|members| members.first()).map_or(self.world.particles.id[i], |first| first.particle)
    }

    /// A field that contacts give.
    fn contact_field(&self, name: &str, gather: Gather) -> FieldData {
        let loads = self.grain_loads();
        match name {
            "coordination" => gather.integer(|i| loads[i].contacts),
            "contact_force" => gather.scalar(|i| loads[i].force as f32),
            "pressure" => gather.scalar(|i| loads[i].pressure() as f32),
            "von_mises" => gather.scalar(|i| loads[i].von_mises() as f32),
            _ => gather.tensor(|i| loads[i].stress.map(|part| part as f32)),
        }
    }
}
