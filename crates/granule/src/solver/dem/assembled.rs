//! Grains of several spheres: forces of the members move the whole grain, which carries them along.
//!
//! ```text
//! P, L += dt/2;  x_cm, q drift;  members: x = x_cm + R d, v = v_cm + omega x R d with the rates of the half step
//! forces of members -> F = sum f + m g, T = sum R d x f + t;   P, L += dt/2;   members: rates of now
//! ```
//! Contacts of members feel the mass of the whole grain.

use glam::Vec3;

use crate::assemblies::{Assembly, Load, Rates};
use crate::clumps::PlacedAssembly;
use crate::team::{self, SharedColumn};

use super::Dem;
use super::state::mover;

/// Fewest grains that are worth a thread.
const LEAST_SHARE: usize = 64;

impl Dem {
    /// Makes the newest particles members of rigid grains: as many as each has spheres, in their order.
    pub fn assemble(&mut self, new: &[PlacedAssembly]) {
        for PlacedAssembly { first, assembly } in new {
            let members = *first..first + assembly.spheres.len();
            self.assemblies.push(assembly, &self.world.particles.id[members.clone()], *first);
            for i in members {
                self.state.mover[i] = mover::MEMBER;
                self.state.force[i] = glam::Vec4::ZERO;
                if let Some(spin) = self.world.particles.angular_velocity.as_mut() {
                    spin[i].w = (1.0 / assembly.properties.mass) as f32;
                }
            }
        }
        if !new.is_empty() {
            self.place_members(Rates::Now);
            self.search.invalidate();
        }
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
        let farthest = |k: usize| self.assemblies.places(k).iter().map(way).fold(0.0, f32::max);
        team::map(self.assemblies.len(), LEAST_SHARE, farthest).into_iter().fold(0.0, f32::max)
    }

    /// The second half kick of rigid grains.
    pub(super) fn kick_assemblies(&mut self, dt: f64) {
        if !self.assemblies.is_empty() {
            let loads = self.assembly_loads();
            self.assemblies.kick(&loads, 0.5 * dt);
            self.place_members(Rates::Now);
        }
    }

    /// Energy of motion and rotation of all rigid grains \[J\].
    pub(super) fn energy_of_assemblies(&self) -> f64 {
        self.assemblies.all().iter().map(Assembly::kinetic_energy).sum()
    }

    fn place_members(&mut self, rates: Rates) {
        let particles = &mut self.world.particles;
        let Some(spin) = particles.angular_velocity.as_mut() else { return };
        let place = &mut self.state.place;
        self.assemblies.place_members(rates, place, &mut particles.velocity, spin);
        let (place, position) = (SharedColumn::of(place), SharedColumn::of(&mut particles.position));
        let (assemblies, domain) = (&self.assemblies, &self.setup.exact_domain);
        team::for_each(assemblies.len(), LEAST_SHARE, |k| {
            for &i in assemblies.places(k) {
                // SAFETY: members are among the particles, and no other grain has this one.
                let (place, position) = unsafe { (place.get_mut(i as usize), position.get_mut(i as usize)) };
                *place = domain.wrap(*place);
                *position = place.to_vec3().extend(position.w);
            }
        });
    }
}
