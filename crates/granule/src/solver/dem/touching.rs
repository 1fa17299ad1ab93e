//! The contacts of now as data.
//!
//! They follow from what outlives a step: exact positions, velocities, and what contacts remember, which says who touches whom.
//! The law is evaluated once more, of a step in which no time passes. So contacts are there after a restart, and when grains
//! have come or gone since the last step; and their damping is that of the velocities now, where a step takes those of its
//! middle.

use glam::Vec3;

use crate::contacts::{Contact, Partner};
use crate::particles::Particles;
use crate::team::{block_count, block_range, map};

use super::Dem;
use super::contact::{History, Motion, contact_loads, contact_sphere_sphere};
use super::params::Setup;
use super::state::DemState;
use super::walls::{WallInput, WallTouch};

/// A contact, with the places of its partners in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touching {
    /// Place of the particle.
    pub(super) i: usize,
    /// Place of its partner, where that is a particle.
    pub(super) j: Option<usize>,
    /// From the particle's centre to the point of contact \[m\].
    pub(super) arm: Vec3,
    /// Whether the surfaces touch, rather than that a neck or a bridge connects them.
    pub(super) touches: bool,
    /// The contact.
    pub(super) contact: Contact,
}

/// Nowhere in memory.
const GONE: u32 = u32::MAX;

impl Dem {
    /// The contacts of now, in memory order.
    pub(super) fn touching(&self) -> Vec<Touching> {
        let world = &self.world;
        let bodies = world.bodies.free_motions(&world.boundaries, world.gravity, 0.0);
        let inverse_mass: Vec<f32> = bodies.iter().map(|body| body.inverse_mass).collect();
        let found = Now::new(self, &inverse_mass);
        let count = world.particles.len();
        let blocks = world.team.clone().install(|| {
            map(block_count(count), 1, |b| {
                block_range(b, count).flat_map(|i| found.of(i)).collect::<Vec<_>>()
            })
        });
        blocks.concat()
    }
}

/// All that contacts depend on while no time passes.
struct Now<'a> {
    setup: &'a Setup,
    particles: &'a Particles,
    state: &'a DemState,
    walls: WallInput<'a>,
    /// Rates at which the periodic cell strains [1/s].
    strain: Vec3,
    /// Places in memory by id.
    place_of: Vec<u32>,
}

impl<'a> Now<'a> {
    fn new(dem: &'a Dem, inverse_mass: &'a [f32]) -> Self {
        let Dem { setup, world, state, .. } = dem;
        let particles = &world.particles;
        let mut place_of = vec![GONE; particles.next_id() as usize];
        for (place, id) in particles.id.iter().enumerate() {
            place_of[*id as usize] = place as u32;
        }
        let walls = WallInput {
            laws: &setup.laws,
            boundaries: &world.boundaries,
            inverse_mass,
            position: &particles.position,
            place: &state.place,
            velocity: &particles.velocity,
            angular_velocity: particles.angular_velocity.as_deref().unwrap_or_default(),
            material: &particles.material,
            dt: 0.0,
        };
        let strain = world.cell.as_ref().map_or(Vec3::ZERO, |cell| cell.state().rate.as_vec3());
        Self { setup, particles, state, walls, strain, place_of }
    }

    /// The contacts that a particle keeps: with others, then with walls.
    fn of(&self, i: usize) -> Vec<Touching> {
        let (partners, states) = self.state.memory.of(i);
        let known = partners.iter().zip(states).filter(|(_, state)| **state != [0.0; 8]);
        let pairs = known.filter_map(|(partner, state)| {
            let place = self.place_of.get(partner.as_particle()? as usize).copied();
            let j = place.filter(|place| *place != GONE)? as usize;
            Some(self.pair(i, j, *partner, *state))
        });
        let mut found: Vec<Touching> = pairs.collect();
        let walls = self.state.walls.touching(&self.walls, i);
        found.extend(walls.iter().map(|touch| self.at_wall(i, touch)));
        found
    }

    fn pair(&self, i: usize, j: usize, partner: Partner, state: [f32; 8]) -> Touching {
        let (particles, places, spin) = (self.particles, &self.state.place, self.walls.angular_velocity);
        let apart = self.setup.exact_domain.difference(places[i], places[j]);
        let [radius_i, radius_j] = [i, j].map(|k| particles.position[k].w);
        let geometry = contact_sphere_sphere(apart.to_array(), radius_i, radius_j);
        let motion = Motion {
            velocity: [
                (particles.velocity[i].truncate() + self.strain * apart).to_array(),
                particles.velocity[j].truncate().to_array(),
            ],
            angular_velocity: [i, j].map(|k| spin[k].truncate().to_array()),
        };
        let law = self.setup.laws.of_grains(particles.material[i], particles.material[j]);
        let mass = 1.0 / (spin[i].w + spin[j].w);
        let history = History::from_array(state);
        let (loads, now) = contact_loads(law, &geometry, mass, &motion, 0.0, &history);
        let (normal, center) = (Vec3::from(geometry.normal), particles.position[i].truncate());
        let arm = -geometry.arm[0] * normal;
        let force = Vec3::from(loads.force);
        let contact = Contact {
            particle: particles.id[i],
            partner,
            center,
            branch: -apart,
            point: center + arm,
            normal,
            normal_force: force.dot(normal),
            tangential_force: force - force.dot(normal) * normal,
            overlap: geometry.overlap,
        };
        Touching { i, j: Some(j), arm, touches: now.contact_radius > 0.0, contact }
    }

    fn at_wall(&self, i: usize, touch: &WallTouch) -> Touching {
        let (center, radius) = (self.particles.position[i].truncate(), self.particles.position[i].w);
        let &WallTouch { partner, normal, point, overlap, force, .. } = touch;
        let arm = (overlap - radius) * normal;
        let contact = Contact {
            particle: self.particles.id[i],
            partner,
            center,
            branch: arm,
            point,
            normal,
            normal_force: force.dot(normal),
            tangential_force: force - force.dot(normal) * normal,
            overlap,
        };
        Touching { i, j: None, arm, touches: touch.history[3] > 0.0, contact }
    }
}
