//! Resistance to rolling: a spring, a dashpot and a slider, Luding 2008; LAMMPS `rolling sds`.

use super::scalar::Scalar;
use super::tangential::{slide, turn_into_plane};
use super::vector::{add, scale};

/// Rolling resistance of a pair of materials.
#[derive(Clone, Copy, Debug)]
pub struct Rolling<F> {
    /// Stiffness k_r [N/m].
    pub stiffness: F,
    /// Damping gamma_r [N s/m].
    pub damping: F,
    /// Coefficient of rolling friction mu_r \[1\].
    pub friction: F,
}

impl Rolling<f64> {
    /// The same law in another precision.
    pub fn cast<F: Scalar>(&self) -> Rolling<F> {
        Rolling {
            stiffness: F::of(self.stiffness),
            damping: F::of(self.damping),
            friction: F::of(self.friction),
        }
    }
}

/// Pseudo-force \[N\] that resists rolling, and the spring after the step \[m\]. Torques on i and j are plus and minus
/// R_eff n x f; no force acts.
///
/// ```text
/// rho <- turned into the plane,   rho <- rho + v_l dt,   f = -k_r rho - gamma_r v_l
/// where |f| > mu_r F_c:   f <- f mu_r F_c/|f|,   rho <- -(f + gamma_r v_l)/k_r;   0 where rho = 0
/// ```
/// `velocity` is v_l = R_eff (omega_i - omega_j) x n [m/s], `bound` F_c \[N\]. A sphere that rolls on a plane slows down by
/// (5/7) mu_r g.
#[inline(always)]
pub fn rolling_force<F: Scalar>(
    law: &Rolling<F>,
    normal: [F; 3],
    velocity: [F; 3],
    bound: F,
    spring: [F; 3],
    dt: F,
) -> ([F; 3], [F; 3]) {
    let limit = law.friction * bound;
    let spring = turn_into_plane(spring, normal, law.stiffness, limit);
    let spring = add(spring, scale(dt, velocity));
    let dashpot = scale(law.damping, velocity);
    let trial = add(scale(law.stiffness, spring), dashpot);
    slide(trial, dashpot, spring, law.stiffness, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resistance_ends_at_its_limit() {
        let law = Rolling { stiffness: 1000.0, damping: 0.0, friction: 0.1f64 };
        let at = |way| rolling_force(&law, [0.0, 0.0, 1.0], [way, 0.0, 0.0], 2.0, [0.0; 3], 1.0);
        assert!((at(1e-4).0[0] + 0.1).abs() < 1e-15);
        assert!((at(1e-2).0[0] + 0.2).abs() < 1e-15);
        assert!((at(1e-2).1[0] - 2e-4).abs() < 1e-18);
    }
}
