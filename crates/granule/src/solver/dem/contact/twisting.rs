//! Resistance to twisting about the normal: a spring, a dashpot and a slider; LAMMPS `twisting sds`.

use super::scalar::{Scalar, magnitude};

/// Twisting resistance of a pair of materials.
#[derive(Clone, Copy, Debug)]
pub struct Twisting<F> {
    /// Stiffness k_w [N m/rad].
    pub stiffness: F,
    /// Damping gamma_w [N m s/rad].
    pub damping: F,
    /// Largest torque over normal force mu_w \[m\].
    pub friction: F,
}

impl Twisting<f64> {
    /// The same law in another precision.
    pub fn cast<F: Scalar>(&self) -> Twisting<F> {
        Twisting {
            stiffness: F::of(self.stiffness),
            damping: F::of(self.damping),
            friction: F::of(self.friction),
        }
    }
}

/// Torque on i along the normal [N m], of which j gets the opposite, and the angle of the spring after the step \[rad\].
///
/// ```text
/// phi <- phi + w dt,   M = -k_w phi - gamma_w w
/// where |M| > mu_w F_c:   M <- -mu_w F_c sgn w,   phi <- (mu_w F_c sgn w - gamma_w w)/k_w
/// ```
/// `speed` is w = (omega_i - omega_j) . n [rad/s]. The sign at the limit is that of the motion, not of the spring.
#[inline(always)]
pub fn twisting_torque<F: Scalar>(law: &Twisting<F>, speed: F, bound: F, angle: F, dt: F) -> (F, F) {
    let limit = law.friction * bound;
    let angle = angle + speed * dt;
    let dashpot = law.damping * speed;
    let torque = -(law.stiffness * angle) - dashpot;
    let zero = F::splat(0.0);
    let signed = zero.if_below(speed, limit, speed.if_below(zero, -limit, zero));
    let size = magnitude(torque);
    let slipped = (signed - dashpot) / law.stiffness;
    (limit.if_below(size, -signed, torque), limit.if_below(size, slipped, angle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torque_is_against_the_motion_and_bounded() {
        let law = Twisting { stiffness: 2.0, damping: 0.0, friction: 0.01f64 };
        let (torque, angle) = twisting_torque(&law, 1.0, 10.0, 0.0, 0.01);
        assert!((torque + 0.02).abs() < 1e-15 && angle == 0.01);
        let (torque, angle) = twisting_torque(&law, -100.0, 10.0, 0.0, 0.01);
        assert!((torque - 0.1).abs() < 1e-15 && (angle + 0.05).abs() < 1e-15);
    }
}
