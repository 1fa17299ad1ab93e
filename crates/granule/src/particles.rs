//! Particle columns: structure of arrays with stable ids.
//!
//! The records are the same on every device: 16 bytes of position and radius, 16 bytes of velocity and mass.
//! Particles are kept sorted by cell; nothing outside the engine relies on their order, only on ids.

use glam::{Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::neighbors::{Permutation, Scratch};

/// One particle as it is handed in from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewParticle {
    /// Centre [m].
    pub position: Vec3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Radius [m].
    pub radius: f32,
    /// Mass [kg].
    pub mass: f32,
    /// Index into the scene's materials.
    pub material: u16,
}

/// The particle columns.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// Centre [m] and radius [m].
    pub position: Vec<Vec4>,
    /// Velocity [m/s] and mass [kg].
    pub velocity: Vec<Vec4>,
    /// Identity, never reused within a simulation.
    pub id: Vec<u32>,
    /// Index into the scene's materials.
    pub material: Vec<u16>,
    next_id: u32,
    births: Vec<Birth>,
}

/// When grains entered: all with this id or a later one, up to the next entry, at this time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Birth {
    /// The first of these grains.
    pub first_id: u32,
    /// Simulated time [s].
    pub time: f64,
}

/// Adds an entry for the particles from an id on, which have entered at a time [s].
pub fn note_birth(births: &mut Vec<Birth>, first_id: u32, time: f64) {
    if births.last().is_none_or(|last| last.time != time) {
        births.push(Birth { first_id, time });
    }
}

/// When a particle entered [s]; 0 for those that were there from the beginning.
pub fn birth_time(births: &[Birth], id: u32) -> f64 {
    let after = births.partition_point(|birth| birth.first_id <= id);
    after.checked_sub(1).map_or(0.0, |k| births[k].time)
}

impl Particles {
    /// Particles from whole columns of equal length, in memory order.
    pub fn from_columns(
        position: Vec<Vec4>,
        velocity: Vec<Vec4>,
        id: Vec<u32>,
        material: Vec<u16>,
        next_id: u32,
        births: Vec<Birth>,
    ) -> Self {
        Self { position, velocity, id, material, next_id, births }
    }

    /// The number of particles.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// The id that the next particle will get; also the number of particles ever created.
    pub fn next_id(&self) -> u32 {
        self.next_id
    }

    /// Says that the particles from an id on have entered at a time [s]. Ids grow with time, so a few entries tell the
    /// age of every particle.
    pub fn note_birth(&mut self, first_id: u32, time: f64) {
        note_birth(&mut self.births, first_id, time);
    }

    /// When particles entered that were not there from the beginning, in the order of ids.
    pub fn births(&self) -> &[Birth] {
        &self.births
    }

    /// When a particle entered [s]; 0 for those that were there from the beginning.
    pub fn birth_time(&self, id: u32) -> f64 {
        birth_time(&self.births, id)
    }

    /// Appends a particle and returns its id.
    pub fn push(&mut self, new: NewParticle) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        self.position.push(new.position.extend(new.radius));
        self.velocity.push(new.velocity.extend(new.mass));
        self.id.push(id);
        self.material.push(new.material);
        id
    }

    /// Reorders every column: `new[k] = old[permutation[k]]`.
    pub fn permute(&mut self, permutation: &Permutation, scratch: &mut Scratch) {
        permutation.apply(&mut self.position, &mut scratch.rows);
        permutation.apply(&mut self.velocity, &mut scratch.rows);
        permutation.apply(&mut self.id, &mut scratch.words);
        permutation.apply(&mut self.material, &mut scratch.halves);
    }

    /// Keeps the particles for which `keep` holds, in their order.
    pub fn retain(&mut self, keep: &[bool]) {
        retain_column(&mut self.position, keep);
        retain_column(&mut self.velocity, keep);
        retain_column(&mut self.id, keep);
        retain_column(&mut self.material, keep);
    }
}

/// Keeps the entries of a column for which `keep` holds, in their order.
pub fn retain_column<T>(column: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    column.retain(|_| *flags.next().unwrap_or(&true));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_every_particle_follows_from_its_id() {
        let mut particles = Particles::default();
        particles.note_birth(10, 0.5);
        particles.note_birth(12, 0.5);
        particles.note_birth(20, 0.75);
        let times = [0, 9, 10, 15, 19, 20, 99].map(|id| particles.birth_time(id));
        assert_eq!(times, [0.0, 0.0, 0.5, 0.5, 0.5, 0.75, 0.75]);
        assert_eq!(particles.births().len(), 2, "one entry per time");
    }
}
