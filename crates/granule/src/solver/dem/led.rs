//! Spheres that follow a path, whatever pushes them: for measurements.

use glam::DVec3;

use crate::position::ExactPosition;

use super::Dem;
use super::state::mover;

/// Place \[m\] and velocity [m/s] at a time \[s\].
pub type Path = Box<dyn Fn(f64) -> (DVec3, DVec3) + Send>;

impl Dem {
    /// Leads a particle, by its id, along a path from the next step on. Contacts feel its own mass. Checkpoints do not know of it.
    pub fn lead(&mut self, id: u32, path: Path) {
        if let Some(i) = self.world.particles.id.iter().position(|known| *known == id) {
            self.state.mover[i] = mover::LED;
            self.leads.push((id, path));
        }
    }

    /// Puts led particles where they are at a time \[s\].
    pub(super) fn follow_paths(&mut self, time: f64) {
        let particles = &mut self.world.particles;
        for (id, path) in &self.leads {
            let Some(i) = particles.id.iter().position(|known| known == id) else { continue };
            let (place, velocity) = path(time);
            self.state.place[i] = ExactPosition::from_meters(place).unwrap_or_default();
            particles.position[i] = self.state.place[i].to_vec3().extend(particles.position[i].w);
            particles.velocity[i] = velocity.as_vec3().extend(particles.velocity[i].w);
            // Few particles are led, and only where nothing has to be fast.
            self.search.invalidate();
        }
    }

    /// Puts a particle, by its place in memory, exactly somewhere \[m\], with velocity [m/s] and angular velocity [rad/s].
    pub(super) fn put(&mut self, i: usize, place: DVec3, velocity: DVec3, turning: DVec3) {
        let particles = &mut self.world.particles;
        self.state.place[i] = ExactPosition::from_meters(place).unwrap_or_default();
        particles.position[i] = self.state.place[i].to_vec3().extend(particles.position[i].w);
        particles.velocity[i] = velocity.as_vec3().extend(particles.velocity[i].w);
        if let Some(spin) = particles.angular_velocity.as_mut() {
            spin[i] = turning.as_vec3().extend(spin[i].w);
        }
    }
}
