//! The solver's fields.

use crate::contacts::Contact;
use crate::simulator::{FieldData, FieldInfo, FieldKind};
use crate::solver::orientation::turned;
use crate::solver::reads::{Gather, field};

use super::Pbd;

/// The fields it has.
pub const FIELDS: &[FieldInfo] = &[
    field("id", "1", FieldKind::Integer),
    field("material", "1", FieldKind::Integer),
    field("position", "m", FieldKind::Vec3),
    field("velocity", "m/s", FieldKind::Vec3),
    field("speed", "m/s", FieldKind::Scalar),
    field("radius", "m", FieldKind::Scalar),
    field("orientation", "1", FieldKind::Quaternion),
    field("angular_velocity", "rad/s", FieldKind::Vec3),
    field("density", "kg/m3", FieldKind::Scalar),
    field("pressure", "Pa", FieldKind::Scalar),
    field("coordination", "1", FieldKind::Integer),
    field("contact_force", "N", FieldKind::Scalar),
    field("age", "s", FieldKind::Scalar),
];

/// What all contacts of a grain do to it together.
#[derive(Clone, Copy, Debug, Default)]
struct GrainLoad {
    contacts: u32,
    /// Sum of the moduli of all contact forces \[N\].
    force: f64,
    /// Trace of the stress, times the volume \[J\].
    trace: f64,
}

impl Pbd {
    /// A field that the world does not have.
    pub(super) fn own_field(&self, name: &str, order: &[u32]) -> FieldData {
        let gather = Gather(order);
        let particles = &self.world.particles;
        match name {
            "orientation" => {
                let rows = order.iter().map(|&i| {
                    turned(self.state.orientation[i as usize], self.state.turn[i as usize]).to_array()
                });
                FieldData::Quaternion(rows.collect())
            }
            "density" => gather.scalar(|i| self.setup.materials[usize::from(particles.material[i])].density),
            "coordination" => {
                let loads = self.grain_loads();
                gather.integer(|i| loads[i].contacts)
            }
            "contact_force" => {
                let loads = self.grain_loads();
                gather.scalar(|i| loads[i].force as f32)
            }
            _ => {
                let loads = self.grain_loads();
                let volume =
                    |i: usize| 4.0 / 3.0 * std::f64::consts::PI * f64::from(particles.position[i].w).powi(3);
                gather.scalar(|i| (loads[i].trace / (3.0 * volume(i))) as f32)
            }
        }
    }

    /// What contacts do to every grain, in memory order. The pressure is that of Love and Weber:
    ///
    /// ```text
    /// p = -tr(sigma)/3,   V sigma = sum (l f^T + f l^T)/2
    /// ```
    /// f: force on the grain, l: from its centre to the point of contact, V: its volume.
    fn grain_loads(&self) -> Vec<GrainLoad> {
        let mut loads = vec![GrainLoad::default(); self.world.particles.len()];
        let places = self.places_by_id();
        let mut add = |id: u32, force: glam::Vec3, arm: glam::Vec3| {
            let load = &mut loads[places[id as usize] as usize];
            load.contacts += 1;
            load.force += f64::from(force.length());
            load.trace -= f64::from(force.dot(arm));
        };
        for contact in self.touching() {
            let Contact { particle, partner, center, point, branch, .. } = contact;
            let force = contact.force();
            add(particle, force, point - center);
            if let Some(other) = partner.as_particle() {
                add(other, -force, point - center - branch);
            }
        }
        loads
    }
}
