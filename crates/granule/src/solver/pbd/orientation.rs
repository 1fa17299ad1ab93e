//! How grains are turned: their angular velocity, added up.
//!
//! ```text
//! theta += h omega   in every step,       q <- exp(theta) q, theta <- 0   when lists are made
//! ```
//! As in `dem`: nothing acts back on the motion, so no hash covers it.

use glam::{Quat, Vec4};

use crate::team::{QUICK, for_each_block};

use super::Pbd;

/// Turns an orientation by a rotation vector \[rad\].
fn turned(orientation: Quat, turn: Vec4) -> Quat {
    (Quat::from_scaled_axis(turn.truncate()) * orientation).normalize()
}

impl Pbd {
    /// Takes over into orientations what grains have turned.
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
        turned(self.state.orientation[i], self.state.turn[i])
    }
}
