//! How much the buffers of a simulation hold.

use super::layout::{LANES, StepRecord};

/// Neighbour slots per particle that lists begin with: a settled bed of 32 neighbours, padded to the longest of 32.
const SLOTS_PER_PARTICLE: f64 = 40.0;

/// How much buffers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Particles.
    pub particles: u32,
    /// Slots of neighbour lists, of 32 words each.
    pub slots: u32,
    /// Wall contacts, of one step.
    pub contacts: u32,
    /// Occupied cells.
    pub cells: u32,
}

impl Capacity {
    /// For a number of particles, as settled sand needs it, with pairs listed up to so many supports.
    pub fn new(particles: u32, reach: f32) -> Self {
        Self::with_slots(particles, SLOTS_PER_PARTICLE * f64::from(reach).powi(3))
    }

    /// For a number of particles with lists of so many slots each.
    pub fn with_slots(particles: u32, slots: f64) -> Self {
        let particles = particles.max(1024).next_multiple_of(LANES);
        Self {
            particles,
            slots: (f64::from(particles) * slots / f64::from(LANES)) as u32,
            contacts: particles / 4,
            cells: particles / 4,
        }
    }

    /// At least as much as another one of everything.
    pub fn max(&self, other: &Self) -> Self {
        Self {
            particles: self.particles.max(other.particles),
            slots: self.slots.max(other.slots),
            contacts: self.contacts.max(other.contacts),
            cells: self.cells.max(other.cells),
        }
    }

    /// The same with more where a step needed more.
    pub fn grown(&self, step: &StepRecord) -> Self {
        let more = |have: u32, needed: u32| {
            if needed > have { (f64::from(needed) * 1.25) as u32 + 64 } else { have }
        };
        Self {
            particles: self.particles,
            slots: more(self.slots, step.slots_needed),
            contacts: more(self.contacts, step.contacts_needed),
            cells: more(self.cells, step.cells_needed),
        }
    }
}
