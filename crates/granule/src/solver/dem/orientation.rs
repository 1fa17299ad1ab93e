//! How spheres are turned: their angular velocity, added up.
//!
//! ```text
//! theta += dt omega   in every step,       q <- exp(theta) q, theta <- 0   when lists are made
//! ```
//! theta is a rotation vector in the world's axes. Added up in single precision it keeps turns of which a single step's would
//! be lost in q, and a step costs one sum. Turns about different axes do not commute: within the life of lists, in which a
//! grain rolls over a part of its radius, that is neglected. Nothing acts back on the motion, so no hash covers it.
//!
//! Spheres of a rigid grain have its orientation; those that are held or led do not turn.

use glam::{Quat, Vec4};

use crate::team::{QUICK, for_each_block};

use super::Dem;
use super::state::mover;

/// Turns an orientation by a rotation vector \[rad\].
fn turned(orientation: Quat, turn: Vec4) -> Quat {
    (Quat::from_scaled_axis(turn.truncate()) * orientation).normalize()
}

impl Dem {
    /// Takes over into orientations what spheres have turned.
    pub(super) fn fold_turns(&mut self) {
        let (orientation, turn) = (&mut self.state.orientation[..], &mut self.state.turn[..]);
        for_each_block(orientation.len(), QUICK, (orientation, turn), |_, (orientation, turn)| {
            for (orientation, turn) in orientation.iter_mut().zip(turn) {
                // What is not finite is about to be removed.
                if *turn != Vec4::ZERO && turn.is_finite() {
                    *orientation = turned(*orientation, *turn);
                }
                *turn = Vec4::ZERO;
            }
        });
    }

    /// The orientation of a particle by its place in memory, world from body.
    pub(super) fn orientation_of(&self, i: usize) -> Quat {
        match self.assemblies.assembly_of(i) {
            Some(k) if self.state.mover[i] == mover::MEMBER => self.assemblies.all()[k].orientation.as_quat(),
            _ => turned(self.state.orientation[i], self.state.turn[i]),
        }
    }
}
