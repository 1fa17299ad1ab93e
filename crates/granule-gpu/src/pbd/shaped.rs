//! Rigid bodies that are made of particles, on the host: what does not change about them, their records, and what they are after a
//! step. The device does with them what `crates/granule/src/solver/pbd/shaped.rs` does, in that order (`shaped_stages.rs`).
//!
//! | data | bytes | life |
//! | --- | --- | --- |
//! | body: centre, orientation, momenta in quanta, inertia, load, weight of its particles | 240 per body | a step; the host has the state |
//! | place of a particle in the shape | 16 per particle | as long as the simulation |
//! | row of a particle; arm, velocity given last, whether it touches; impulse of grains | 64 per particle | as long as lists; a step |
//! | pairs of particles of two bodies | 4 per listed pair, where there are two bodies | as long as lists |
//!
//! Bodies go to the device before every step and come back after it, as those of rapier do, with the same numbers: centres and orientations
//! in quanta of 2^-48, velocities of 2^-40 m/s, angular momenta over the largest moment of inertia of 2^-36 rad/s. A checkpoint has them
//! as the host has them. Particles of bodies are among the others, with a mark in their meta record; their ids follow each other.

use granule::assemblies::{AssembliesError, Assembly};
use granule::bodies::{Bodies, ParticleBody, Wrench};
use granule::particles::{NewParticle, Particles};
use granule::scene::{BodyCoupling, Scene};
use granule::simulator::StateError;
use granule::solver::pbd::shaped::particles_of;

use crate::core::buffers::PoolInfo;
use crate::core::capacity::Capacity;
use crate::core::layout::{LANES, OF_BODY};
use crate::core::method::{MovedBodies, PoolWrite};
use crate::dem::layout::{ClumpRecord, InertiaRecord};

use super::columns::{MEETING, MEMBERS, OFFSETS, SHAPED};
use super::layout::{MEMBER_BYTES, ShapedRecord};

/// How many bodies of a scene are made of particles.
pub fn count_in(scene: &Scene) -> usize {
    scene.body.iter().filter(|body| body.coupling == BodyCoupling::Particles).count()
}

/// All bodies that are made of particles.
pub struct Shaped {
    made: Vec<ParticleBody>,
    /// Material of the particles of the first body; those of the others follow.
    first_material: u16,
    /// Id of the first particle.
    first_id: u32,
    /// The same before a checkpoint that may not be taken over.
    first_id_before: u32,
    /// Particles when the simulation began.
    particles: Vec<NewParticle>,
}

impl Shaped {
    /// The bodies of a scene with so many materials, whose particles follow so many grains.
    pub fn new(bodies: &Bodies, materials: usize, grains: usize) -> Self {
        let first_material = materials as u16;
        let made = bodies.made_of_particles();
        let mut particles = Vec::new();
        for (material, body) in (first_material..).zip(&made) {
            if let Some(state) = bodies.assembly(body.body) {
                particles.extend(particles_of(body, &state, material));
            }
        }
        let first_id = grains as u32;
        Self { made, first_material, first_id, first_id_before: first_id, particles }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.made.len() as u32
    }

    /// Id of the first particle.
    pub fn first_id(&self) -> u32 {
        self.first_id
    }

    /// Radius of the largest particle \[m\].
    pub fn largest_radius(&self) -> f32 {
        self.made.iter().map(|body| body.radius).fold(0.0, f32::max)
    }

    /// Particles when the simulation begins.
    pub fn particles(&self) -> &[NewParticle] {
        &self.particles
    }

    /// Numbers of these bodies among all.
    pub fn numbers(&self) -> Vec<usize> {
        self.made.iter().map(|body| body.body).collect()
    }

    /// Material of a particle, with the mark of those of bodies.
    pub fn material_word(&self, material: u16) -> u32 {
        let mark = if material >= self.first_material { OF_BODY } else { 0 };
        u32::from(material) | mark
    }

    /// Takes the particles of a checkpoint for those of its bodies, and gives the id of the first.
    ///
    /// # Errors
    /// Says that they are others.
    pub fn recognise(&self, particles: &Particles) -> Result<u32, StateError> {
        let pairs = particles.id.iter().zip(&particles.material);
        let mut own: Vec<(u32, u16)> =
            pairs.filter(|(_, m)| **m >= self.first_material).map(|(id, m)| (*id, *m)).collect();
        own.sort_unstable();
        let first = own.first().map_or(self.first_id, |(id, _)| *id);
        let materials = (self.first_material..).zip(&self.made);
        let materials = materials.flat_map(|(material, body)| body.offset.iter().map(move |_| material));
        if (first..).zip(materials).eq(own) {
            Ok(first)
        } else {
            Err(StateError::Impossible(AssembliesError::Particles.to_string()))
        }
    }

    /// Goes on with the particles of a checkpoint, until it is known whether that is taken over.
    pub fn expect(&mut self, particles: &Particles) {
        self.first_id_before = self.first_id;
        self.first_id = self.recognise(particles).unwrap_or(self.first_id);
    }

    /// Goes back to those of before, where it was not.
    pub fn settle(&mut self, taken_over: bool) {
        if !taken_over {
            self.first_id = self.first_id_before;
        }
    }

    /// The buffers.
    pub fn pools(&self, capacity: &Capacity) -> Vec<PoolInfo> {
        if self.is_empty() {
            return Vec::new();
        }
        let count = self.particles.len() as u64;
        let pairs = u64::from(capacity.slots) * u64::from(LANES) / 2;
        let meeting = if self.made.len() > 1 { 4 * pairs } else { 16 };
        let sizes = [
            (SHAPED, size_of::<ShapedRecord>() as u64 * self.made.len() as u64),
            (OFFSETS, 16 * count),
            (MEMBERS, MEMBER_BYTES * count),
            (MEETING, meeting),
        ];
        sizes.into_iter().map(|(name, bytes)| PoolInfo { name, bytes: bytes.max(64) }).collect()
    }

    /// Places of particles in the shapes.
    pub fn offsets(&self) -> Vec<PoolWrite> {
        if self.is_empty() {
            return Vec::new();
        }
        let offsets = self.made.iter().flat_map(|body| &body.offset);
        let rows: Vec<[f32; 4]> = offsets.map(|offset| offset.as_vec3().extend(0.0).to_array()).collect();
        vec![PoolWrite { pool: OFFSETS, at: 0, bytes: bytemuck::pod_collect_to_vec(&rows) }]
    }

    /// Bodies as they are now.
    pub fn send(&self, bodies: &Bodies) -> Vec<PoolWrite> {
        if self.is_empty() {
            return Vec::new();
        }
        let (mut first, mut records) = (0, Vec::new());
        for body in &self.made {
            let count = body.offset.len() as u32;
            let state = bodies.assembly(body.body);
            records.push(
                state.map_or(ShapedRecord::default(), |state| record(&state, [first, count], body.radius)),
            );
            first += count;
        }
        vec![PoolWrite { pool: SHAPED, at: 0, bytes: bytemuck::pod_collect_to_vec(&records) }]
    }

    /// Bodies as the device has left them, among all of the scene.
    pub fn fetch(&self, bytes: &[u8], bodies: &Bodies, moved: &mut MovedBodies) {
        let records: Vec<ShapedRecord> = bytemuck::pod_collect_to_vec(bytes);
        let count = self.numbers().last().map_or(0, |last| last + 1);
        moved.free.resize(count, None);
        moved.loads.resize(count, Wrench::default());
        for (body, record) in self.made.iter().zip(&records) {
            let Some(known) = bodies.assembly(body.body) else { continue };
            moved.free[body.body] = Some(Assembly {
                position: record.clump.center(),
                orientation: record.clump.orientation(),
                momentum: record.clump.momentum(&known.properties),
                angular_momentum: record.clump.angular_momentum(&known.properties),
                ..known
            });
            let vector = |row: &[f32; 4]| glam::Vec3::from_slice(row).as_dvec3();
            moved.loads[body.body] = Wrench { force: vector(&record.force), torque: vector(&record.torque) };
            moved.lost += record.lost as usize;
        }
    }
}

/// Fastest velocity [m/s] that records have room for, and fastest angular momentum over a moment of inertia [rad/s].
const FASTEST: [f64; 2] = [4e6, 6e7];

/// Whether a record has room for a motion; a body without any is lost in the next step.
fn has_room(state: &Assembly) -> bool {
    let rotation = state.angular_momentum / state.properties.inertia.max_element();
    state.velocity().abs().max_element() < FASTEST[0] && rotation.abs().max_element() < FASTEST[1]
}

/// The record of a body with its first particle, and how many it has.
fn record(state: &Assembly, [first, count]: [u32; 2], radius: f32) -> ShapedRecord {
    let mut clump = ClumpRecord {
        first,
        count,
        inverse_mass: (1.0 / state.properties.mass) as f32,
        sound: f32::from(u8::from(state.is_finite() && has_room(state))),
        ..ClumpRecord::default()
    };
    clump.put(state.position, state.orientation);
    clump.move_with(state.momentum, state.angular_momentum, &state.properties);
    let InertiaRecord { moments, shape_from_principal } = InertiaRecord::of(&state.properties);
    ShapedRecord { clump, moments, shape_from_principal, radius, weight: 1.0, ..ShapedRecord::default() }
}
