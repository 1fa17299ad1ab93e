//! Grains of several spheres: forces of the members move the whole grain, which carries them along.
//!
//! ```text
//! P, L += dt/2;  x_cm, q drift;  members: x = x_cm + R d, v = v_cm + omega x R d with the rates of the half step
//! forces of members -> F = sum f + m g, T = sum R d x f + t;   P, L += dt/2;   members: rates of now
//! ```
//! Contacts of members feel the mass of the whole grain.

use glam::Vec3;

use crate::assemblies::{Load, NewAssembly, Rates};
use crate::position::ExactPosition;

use super::Dem;
use super::state::mover;

impl Dem {
    /// Makes the newest particles, from `first` on, the members of a rigid grain: as many as it has spheres, in their
    /// order.
    pub fn assemble(&mut self, new: &NewAssembly, first: usize) {
        let ids: Vec<u32> = self.world.particles.id[first..first + new.spheres.len()].to_vec();
        self.assemblies.push(new, &ids, first);
        for i in first..first + new.spheres.len() {
            self.state.mover[i] = mover::MEMBER;
            self.state.force[i] = glam::Vec4::ZERO;
            if let Some(spin) = self.world.particles.angular_velocity.as_mut() {
                spin[i].w = (1.0 / new.properties.mass) as f32;
            }
        }
        self.place_members(Rates::Now);
        self.search.invalidate();
    }

    /// Loads on rigid grains: forces of their members, and gravity.
    fn assembly_loads(&self) -> Vec<Load> {
        let gravity = self.world.gravity.as_dvec3();
        let mut loads = self.assemblies.gather(&self.state.force, &self.state.torque);
        for (load, assembly) in loads.iter_mut().zip(self.assemblies.all()) {
            load.force += assembly.properties.mass * gravity;
        }
        loads
    }

    /// The first half kick of rigid grains, and their drift. Gives the farthest way of a member since lists were made, squared
    /// \[m2\].
    pub(super) fn kick_and_drift_assemblies(&mut self, dt: f64) -> f32 {
        if self.assemblies.is_empty() {
            return 0.0;
        }
        let loads = self.assembly_loads();
        self.assemblies.kick(&loads, 0.5 * dt);
        let lost = self.assemblies.drift(dt);
        self.place_members(Rates::HalfStep);
        for k in lost {
            for &place in self.assemblies.places(k) {
                let x = &mut self.world.particles.position[place as usize];
                *x = Vec3::NAN.extend(x.w);
            }
        }
        let position = &self.world.particles.position;
        let way = |place: &u32| {
            let i = *place as usize;
            self.search.moved_squared(&self.setup.domain, i, position[i].truncate())
        };
        (0..self.assemblies.len()).flat_map(|k| self.assemblies.places(k)).map(way).fold(0.0, f32::max)
    }

    /// The second half kick of rigid grains.
    pub(super) fn kick_assemblies(&mut self, dt: f64) {
        if !self.assemblies.is_empty() {
            let loads = self.assembly_loads();
            self.assemblies.kick(&loads, 0.5 * dt);
            self.place_members(Rates::Now);
        }
    }

    fn place_members(&mut self, rates: Rates) {
        let particles = &mut self.world.particles;
        let Some(spin) = particles.angular_velocity.as_mut() else { return };
        let place = &mut self.state.place;
        self.assemblies.place_members(rates, place, &mut particles.velocity, spin);
        for k in 0..self.assemblies.len() {
            for &i in self.assemblies.places(k) {
                let i = i as usize;
                place[i] = self.setup.exact_domain.wrap(place[i]);
                let x: ExactPosition = place[i];
                particles.position[i] = x.to_vec3().extend(particles.position[i].w);
            }
        }
    }
}
