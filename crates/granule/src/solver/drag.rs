//! Air drag on particles that shield each other.

use glam::Vec3;

use crate::air::Air;
use crate::neighbors::Domain;
use crate::particles::Particles;

use super::material_lanes::MaterialLanes;

/// What drag depends on.
#[derive(Clone, Copy)]
pub struct DragInput<'a> {
    /// The air.
    pub air: &'a Air,
    /// Particles.
    pub particles: &'a Particles,
    /// Materials.
    pub materials: MaterialLanes<'a>,
    /// Space.
    pub domain: &'a Domain,
    /// Step \[s\].
    pub dt: f32,
    /// Time at the start of the step \[s\].
    pub time: f64,
}

impl DragInput<'_> {
    /// Change of a particle's velocity by drag over the step [m/s]; the air never overtakes the grain.
    pub fn change(&self, i: usize, neighbors: impl Iterator<Item = usize>) -> Vec3 {
        let particle = self.particles.position[i];
        let (x, radius) = (particle.truncate(), particle.w);
        let own = self.particles.velocity[i];
        let relative = self.air.wind(x, self.time) - own.truncate();
        let speed = relative.length();
        if speed == 0.0 {
            return Vec3::ZERO;
        }
        let exposed = if self.air.occlusion() { self.exposure(x, relative / speed, neighbors) } else { 1.0 };
        let density = self.materials.of(i).density;
        let rate = self.air.drag_rate(speed, radius, own.w, density);
        (self.dt * rate * speed * exposed).min(1.0) * relative
    }

    /// Share of a grain's cross-section that the air reaches.
    ///
    /// ```text
    /// omega = clamp(1 - max_j u . x_ij / |x_ij|, 0, 1),   x_ij = x_i - x_j,  u = direction of the air seen by the grain
    /// ```
    /// \[Ned24\] 5.6 with the occluder upwind; \[GPB17\].
    fn exposure(&self, x: Vec3, direction: Vec3, neighbors: impl Iterator<Item = usize>) -> f32 {
        let mut shield = 0.0f32;
        for j in neighbors {
            let x_ij = self.domain.displacement(x, self.particles.position[j].truncate());
            shield = shield.max(direction.dot(x_ij.normalize_or_zero()));
        }
        (1.0 - shield).clamp(0.0, 1.0)
    }
}
