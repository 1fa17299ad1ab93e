//! Grains of several spheres: forces of the members move the whole grain, which carries them along.
//!
//! ```text
//! P, L += dt/2;  x_cm, q drift;  members: x = x_cm + R d, v = v_cm + omega x R d with the rates of the half step
//! forces of members -> F = sum f + m g, T = sum R d x f + t;   P, L += dt/2;   members: rates of now
//! ```
//! Contacts of members feel the mass of the whole grain.

use glam::{DMat3, DVec3, Mat3, Vec3, Vec4};

use crate::assemblies::{Assembly, Load, Member};
use crate::clumps::PlacedAssembly;
use crate::position::{ExactDomain, ExactPosition};
use crate::solver::world::World;
use crate::team::SharedColumn;

use super::Dem;
use super::params::Setup;
use super::state::mover;

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
            self.member_loads.clear();
            self.place_members();
            self.search.invalidate();
        }
    }

    /// The first half kick of rigid grains, and their drift. Gives the farthest way of a member since lists were made, squared
    /// \[m2\].
    pub(super) fn kick_and_drift_assemblies(&mut self, dt: f64) -> f32 {
        if self.assemblies.is_empty() {
            return 0.0;
        }
        let (search, domain) = (&self.search, &self.setup.domain);
        let (force, torque, gravity) = (&self.state.force, &self.state.torque, self.world.gravity.as_dvec3());
        let (strain, known) = (self.strain, &self.member_loads);
        let Some(rows) = Rows::new(&mut self.world, &mut self.state.place, &self.setup) else { return 0.0 };
        let ways = self.assemblies.map_mut(|k, grain, middle, members, places| {
            // Forces are those that the last step has ended with.
            let known = known.get(k).copied();
            let load = known.unwrap_or_else(|| member_load(grain, members, places, force, torque));
            grain.kick(&with_weight(load, grain, gravity), 0.5 * dt);
            let way = strain.map(|strain| strain.way_of(grain.position.to_meters()));
            let mut inside;
            (*middle, inside) = grain.drift(dt);
            if let (Some(strain), Some(way)) = (strain, way) {
                inside &= grain.position.advance_meters(way);
                grain.momentum *= strain.slowing.as_dvec3();
            }
            let sound = inside && grain.is_finite();
            rows.put(grain, *middle, members, places, sound);
            let way = |place: &u32| search.moved_squared(domain, *place as usize, rows.position(*place));
            places.iter().map(way).fold(0.0, f32::max)
        });
        ways.into_iter().fold(0.0, f32::max)
    }

    /// The second half kick of rigid grains, of forces that are found. Gives their energy of motion and rotation \[J\].
    pub(super) fn kick_assemblies(&mut self, dt: f64) -> f64 {
        if self.assemblies.is_empty() {
            return 0.0;
        }
        let (force, torque, gravity) = (&self.state.force, &self.state.torque, self.world.gravity.as_dvec3());
        self.member_loads.resize(self.assemblies.len(), Load::default());
        let loads = SharedColumn::of(&mut self.member_loads);
        let Some(rows) = Rows::new(&mut self.world, &mut self.state.place, &self.setup) else { return 0.0 };
        let energies = self.assemblies.map_mut(|k, grain, _, members, places| {
            let load = member_load(grain, members, places, force, torque);
            // SAFETY: every grain has a load of its own, and is taken once.
            *unsafe { loads.get_mut(k) } = load;
            grain.kick(&with_weight(load, grain, gravity), 0.5 * dt);
            let spin = grain.angular_velocity();
            rows.put_rates(grain, spin, members, places);
            grain.kinetic_energy_of(spin)
        });
        energies.into_iter().sum()
    }

    fn place_members(&mut self) {
        let Some(rows) = Rows::new(&mut self.world, &mut self.state.place, &self.setup) else { return };
        self.assemblies.map_mut(|_, grain, _, members, places| {
            rows.put(grain, grain.angular_velocity(), members, places, grain.is_finite());
        });
    }
}

/// The load of its members on a rigid grain:
///
/// ```text
/// F = sum f_k,   T = sum (x_k - x_cm) x f_k + t_k
/// ```
fn member_load(
    grain: &Assembly,
    members: &[Member],
    places: &[u32],
    force: &[Vec4],
    torque: &[Vec4],
) -> Load {
    let turned = DMat3::from_quat(grain.orientation);
    let mut load = Load::default();
    for (member, &place) in members.iter().zip(places) {
        let arm = turned * member.offset.as_dvec3();
        let force = force[place as usize].truncate().as_dvec3();
        load.force += force;
        load.torque += arm.cross(force) + torque[place as usize].truncate().as_dvec3();
    }
    load
}

/// A load, and the weight of a grain under gravity [m/s2].
fn with_weight(load: Load, grain: &Assembly, gravity: DVec3) -> Load {
    Load { force: load.force + grain.properties.mass * gravity, ..load }
}

/// The columns of particles that rigid grains write.
struct Rows<'a> {
    place: SharedColumn<'a, ExactPosition>,
    position: SharedColumn<'a, Vec4>,
    velocity: SharedColumn<'a, Vec4>,
    spin: SharedColumn<'a, Vec4>,
    count: usize,
    domain: &'a ExactDomain,
}

impl<'a> Rows<'a> {
    fn new(world: &'a mut World, place: &'a mut [ExactPosition], setup: &'a Setup) -> Option<Self> {
        let particles = &mut world.particles;
        let spin = particles.angular_velocity.as_mut()?;
        let count = place.len().min(particles.position.len()).min(particles.velocity.len()).min(spin.len());
        Some(Self {
            place: SharedColumn::of(place),
            position: SharedColumn::of(&mut particles.position),
            velocity: SharedColumn::of(&mut particles.velocity),
            spin: SharedColumn::of(spin),
            count,
            domain: &setup.exact_domain,
        })
    }

    /// Puts the members of a grain that turns with `spin` [rad/s] where it has them; those of a lost one nowhere.
    fn put(&self, grain: &Assembly, spin: DVec3, members: &[Member], places: &[u32], sound: bool) {
        let turned = DMat3::from_quat(grain.orientation);
        for (member, &place) in members.iter().zip(places) {
            let place = self.checked(place);
            // SAFETY: the place exists, and no other grain has this particle.
            let (exact, x) = unsafe { (self.place.get_mut(place), self.position.get_mut(place)) };
            *exact = grain.position;
            let inside = sound && exact.advance_meters(turned * member.offset.as_dvec3());
            *exact = self.domain.wrap(*exact);
            *x = if inside { exact.to_vec3() } else { Vec3::NAN }.extend(x.w);
        }
        self.put_rates(grain, spin, members, places);
    }

    /// Gives the members of a grain that turns with `spin` [rad/s] their velocities.
    fn put_rates(&self, grain: &Assembly, spin: DVec3, members: &[Member], places: &[u32]) {
        let (velocity, spin) = (grain.velocity().as_vec3(), spin.as_vec3());
        let turned = Mat3::from_quat(grain.orientation.as_quat());
        for (member, &place) in members.iter().zip(places) {
            let place = self.checked(place);
            // SAFETY: the place exists, and no other grain has this particle.
            let (v, turning) = unsafe { (self.velocity.get_mut(place), self.spin.get_mut(place)) };
            *v = (velocity + spin.cross(turned * member.offset)).extend(v.w);
            *turning = spin.extend(turning.w);
        }
    }

    fn checked(&self, place: u32) -> usize {
        assert!((place as usize) < self.count, "members are among the particles");
        place as usize
    }

    /// Where a particle is \[m\] that this grain has put.
    fn position(&self, place: u32) -> Vec3 {
        // SAFETY: only the grain that has put it asks.
        unsafe { self.position.get_mut(place as usize) }.truncate()
    }
}
