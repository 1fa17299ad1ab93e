//! How spheres are turned: their angular velocity, added up.
//!
//! ```text
//! theta += dt omega   in every step,       q <- exp(theta) q, theta <- 0   when lists are made
//! ```
//! theta is a rotation vector in the world's axes. Added up in single precision it keeps turns of which a single step's would
//! be lost in q, and a step costs one sum. Turns about different axes do not commute: within the life of lists, in which a
//! grain rolls over a part of its radius, that is neglected. Nothing acts back on the motion, so no hash covers it.

use glam::{Quat, Vec4};

use crate::team::{QUICK, for_each_block};

/// Turns an orientation by a rotation vector \[rad\].
pub fn turned(orientation: Quat, turn: Vec4) -> Quat {
    (Quat::from_scaled_axis(turn.truncate()) * orientation).normalize()
}

/// Takes over into orientations what spheres have turned.
pub fn fold_turns(orientation: &mut [Quat], turn: &mut [Vec4]) {
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
