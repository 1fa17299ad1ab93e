//! Contact memory: what two particles, or a particle and a wall, keep of their contact from step to step.
//!
//! [`ContactMemory`] holds a small record per contact (the tangential spring of a distinct element, the impulse of a
//! warm-started solver) under the key (particle, [`Partner`]). It survives sorting, new neighbour lists, particles that
//! come and go, and checkpoints. Particles are treated one by one, in blocks, so nothing depends on the number of
//! threads.
//!
//! **Who keeps a pair.** An entry of particle i with partner j is of the ordered pair (i, j); vectors in it change their
//! sign where the roles are exchanged. A solver that keeps one entry per pair keeps it at the particle with the lower
//! id ([`keeps_pair`]), so that no sort exchanges the roles; one that keeps both has (i, j) at i and (j, i) at j. Wall
//! contacts are kept by the particle.
//!
//! **No contact.** A record of zeros is the same as none: solvers write one where a contact opens, rebuilds give one to
//! partners that are new, and checkpoints leave it out.

mod contact;
mod memory;
mod saved;

pub use contact::Contact;
pub use memory::{Carried, ContactBlock, ContactMemory, best_match};
pub use saved::{ContactError, SavedAtWalls, SavedContacts};

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// What a particle touches: another particle, by its id, or a face of a boundary.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable, Serialize, Deserialize)]
pub struct Partner(u64);

/// Set in the keys of walls.
const WALL: u64 = 1 << 32;

impl Partner {
    /// A particle, by its id.
    pub const fn particle(id: u32) -> Self {
        Self(id as u64)
    }

    /// A face of a boundary. Several contacts of a particle may share it, such as two sides of a mesh that meet.
    pub const fn wall(boundary: u16, face: u16) -> Self {
        Self(WALL | (boundary as u64) << 16 | face as u64)
    }

    /// The particle's id, if it is one.
    pub const fn as_particle(self) -> Option<u32> {
        if self.0 & WALL == 0 { Some(self.0 as u32) } else { None }
    }

    /// Boundary and face, if it is a wall.
    pub const fn as_wall(self) -> Option<(u16, u16)> {
        if self.0 & WALL == 0 { None } else { Some(((self.0 >> 16) as u16, self.0 as u16)) }
    }
}

/// Whether the particle `id` keeps the memory of its pair with the particle `other`.
pub const fn keeps_pair(id: u32, other: u32) -> bool {
    id < other
}

/// What is remembered of a contact: a record of `f32` numbers only, of which all 0 means nothing.
pub trait ContactState: Pod + PartialEq + Send + Sync {}

impl<T: Pod + PartialEq + Send + Sync> ContactState for T {}

#[cfg(test)]
mod tests;
