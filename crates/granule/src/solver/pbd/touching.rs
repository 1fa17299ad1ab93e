//! The contacts of now as data: what they remember, at where grains are.

use glam::Vec3;

use crate::contacts::{Contact, ContactMemory, Partner};

use super::Pbd;
use super::state::REMEMBERED;
use super::walls::AT_WALL;

/// Nowhere in memory.
const GONE: u32 = u32::MAX;

impl Pbd {
    /// Places in memory by id.
    pub(super) fn places_by_id(&self) -> Vec<u32> {
        let particles = &self.world.particles;
        let mut places = vec![GONE; particles.next_id() as usize];
        for (place, id) in particles.id.iter().enumerate() {
            places[*id as usize] = place as u32;
        }
        places
    }

    /// What pairs remember, over a time \[s\]: while there are lists, they know more than the memory does.
    pub(super) fn memory_of_now(&self, dt: f32) -> ContactMemory<[f32; REMEMBERED]> {
        let mut memory = self.state.memory.clone();
        if self.listed {
            self.pairs.remember(&mut memory, dt);
        }
        memory
    }

    /// The contacts of the last step, in memory order.
    pub(super) fn touching(&self) -> Vec<Contact> {
        let places = self.places_by_id();
        let memory = self.memory_of_now(self.dt);
        let mut all = Vec::new();
        for i in 0..self.world.particles.len() {
            let (partners, states) = memory.of(i);
            let known = partners.iter().zip(states).filter(|(_, state)| **state != [0.0; REMEMBERED]);
            all.extend(known.filter_map(|(partner, state)| {
                let place = places.get(partner.as_particle()? as usize).copied();
                self.seen_from_grain(i, place.filter(|place| *place != GONE)? as usize, *partner, state)
            }));
            if self.body_of(i).is_none() {
                let at_walls = self.state.walls.of(i, self.dt);
                all.extend(at_walls.map(|(partner, state)| self.at_wall(i, partner, &state)));
            }
        }
        all
    }

    /// Number of the body that a particle belongs to.
    fn body_of(&self, i: usize) -> Option<usize> {
        self.shaped.number_of(self.world.particles.material[i])
    }

    /// A pair as its grain sees it: particles of bodies are what other bodies' surfaces are, walls. None of two bodies.
    fn seen_from_grain(
        &self,
        i: usize,
        j: usize,
        partner: Partner,
        state: &[f32; REMEMBERED],
    ) -> Option<Contact> {
        let contact = self.pair(i, j, partner, state);
        let wall = |body: usize| Partner::wall((self.world.scene.boundary.len() + body) as u16, 0);
        match (self.body_of(i), self.body_of(j)) {
            (None, None) => Some(contact),
            (None, Some(body)) => Some(Contact { partner: wall(body), ..contact }),
            (Some(body), None) => Some(Contact {
                particle: self.world.particles.id[j],
                partner: wall(body),
                center: self.world.particles.position[j].truncate(),
                branch: -contact.branch,
                normal: -contact.normal,
                tangential_force: -contact.tangential_force,
                ..contact
            }),
            (Some(_), Some(_)) => None,
        }
    }

    fn pair(&self, i: usize, j: usize, partner: Partner, state: &[f32; REMEMBERED]) -> Contact {
        let (particles, places) = (&self.world.particles, &self.state.place);
        let apart = self.setup.exact_domain.difference(places[i], places[j]);
        let [radius_i, radius_j] = [i, j].map(|k| particles.position[k].w);
        let (normal, distance) = (apart.normalize_or_zero(), apart.length());
        let center = particles.position[i].truncate();
        Contact {
            particle: particles.id[i],
            partner,
            center,
            branch: -apart,
            point: center - radius_i / (radius_i + radius_j) * apart,
            normal,
            normal_force: state[0],
            tangential_force: Vec3::from_slice(&state[1..]),
            overlap: radius_i + radius_j - distance,
        }
    }

    fn at_wall(&self, i: usize, partner: Partner, state: &[f32; AT_WALL]) -> Contact {
        let particles = &self.world.particles;
        let (center, radius) = (particles.position[i].truncate(), particles.position[i].w);
        let normal = Vec3::from_slice(&state[REMEMBERED..]);
        let gap = self.gap_to(i, partner, normal);
        Contact {
            particle: particles.id[i],
            partner,
            center,
            branch: -(radius + gap) * normal,
            point: center - (radius + gap) * normal,
            normal,
            normal_force: state[0],
            tangential_force: Vec3::from_slice(&state[1..]),
            overlap: -gap,
        }
    }

    /// Gap between a grain and the wall that it touches with a normal \[m\]; 0 where it is not found any more.
    fn gap_to(&self, i: usize, partner: Partner, normal: Vec3) -> f32 {
        let Some((boundary, _)) = partner.as_wall() else { return 0.0 };
        let Some(wall) = self.world.boundaries.iter().nth(usize::from(boundary)) else { return 0.0 };
        let position = self.world.particles.position[i];
        let mut best = (0.0f32, 0.0);
        wall.near(position.truncate(), self.state.place[i].to_meters(), 1.5 * position.w, &mut |_, exact| {
            let turn = exact.normal.as_vec3().dot(normal);
            if turn > best.0 {
                best = (turn, exact.distance as f32 - position.w);
            }
        });
        best.1
    }
}
