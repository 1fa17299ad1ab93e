//! The solver's own columns, beside those of the particles.

use glam::{Quat, Vec4};

use crate::columns::particle_columns;
use crate::contacts::ContactMemory;
use crate::position::ExactPosition;

use super::pairs::Pairs;
use super::walls::Walls;

particle_columns! {
    /// Columns of the solver.
    pub struct DemState {
        /// Centre, exactly.
        place: Vec<ExactPosition> => State,
        /// Force at the end of the last step \[N\], gravity and air included.
        force: Vec<Vec4> => State,
        /// Torque at the end of the last step [N m].
        torque: Vec<Vec4> => State,
        /// What moves the particle: see [`mover`].
        mover: Vec<u16> => State,
        /// Orientation of a free sphere, world from body, up to when lists were made.
        orientation: Vec<Quat> => Follower,
        /// How far it has turned since, as a rotation vector \[rad\].
        turn: Vec<Vec4> => Follower,
    }
    beside {
        /// What pairs of grains remember.
        pub memory: ContactMemory<[f32; 8]>,
        /// Pairs that may touch.
        pub pairs: Pairs,
        /// Walls that may touch.
        pub walls: Walls,
    }
}

/// What moves a particle.
pub mod mover {
    /// Forces.
    pub const FREE: u16 = 0;
    /// Nothing: it is held where it is.
    pub const HELD: u16 = 1;
    /// The rigid assembly that it belongs to.
    pub const MEMBER: u16 = 2;
    /// A path that it is led along; contacts feel its mass.
    pub const LED: u16 = 3;
}

impl DemState {
    /// Bytes held beside columns.
    pub fn other_bytes(&self) -> usize {
        self.memory.bytes() + self.pairs.bytes() + self.walls.bytes()
    }
}
