//! The solver's own columns, beside those of the particles.

use glam::{Quat, Vec4};

use crate::columns::particle_columns;
use crate::contacts::ContactMemory;
use crate::position::ExactPosition;

use super::walls::Walls;

/// Numbers that a pair of grains remembers: force along the normal \[N\], force across it \[N\], torque against rolling [N m], and
/// whether a pull connects the two.
pub const REMEMBERED: usize = 8;

particle_columns! {
    /// Columns of the solver.
    pub struct PbdState {
        /// Centre, exactly.
        place: Vec<ExactPosition> => State,
        /// Orientation, world from body, up to when lists were made.
        orientation: Vec<Quat> => Follower,
        /// How far it has turned since, as a rotation vector \[rad\].
        turn: Vec<Vec4> => Follower,
        /// How far overlaps push a grain in this step \[m\].
        push: Vec<Vec4> => Scratch,
        /// What rounding took from the position \[m\]: the exact centre less it.
        rest: Vec<Vec4> => Scratch,
    }
    beside {
        /// What pairs of grains remember.
        pub memory: ContactMemory<[f32; REMEMBERED]>,
        /// Walls that may touch, and what their contacts remember.
        pub walls: Walls,
    }
}
