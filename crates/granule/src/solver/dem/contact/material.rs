//! From materials to the constants of a pair of them.
//!
//! Every pair of materials has its own constants: those of elasticity follow from both, restitution and friction are given
//! for the pair. Nothing else is mixed, so the order of two materials does not matter and no rule has to be known.

use std::f64::consts::PI;

/// An isotropic elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Young's modulus E \[Pa\].
    pub young: f64,
    /// Poisson's ratio nu \[1\].
    pub poisson: f64,
}

impl Elasticity {
    /// Shear modulus \[Pa\].
    ///
    /// ```text
    /// G = E/(2 (1 + nu))
    /// ```
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }
}

/// Effective modulus of two materials in normal contact \[Pa\], Hertz 1882.
///
/// ```text
/// 1/E* = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j          one material: E* = E/(2 (1 - nu^2))
/// ```
pub fn effective_modulus(i: Elasticity, j: Elasticity) -> f64 {
    let compliance = |m: Elasticity| (1.0 - m.poisson * m.poisson) / m.young;
    1.0 / (compliance(i) + compliance(j))
}

/// Effective shear modulus of two materials in tangential contact \[Pa\], Mindlin 1949.
///
/// ```text
/// 1/G* = (2 - nu_i)/G_i + (2 - nu_j)/G_j          one material: G* = E/(4 (2 - nu) (1 + nu))
/// ```
/// Not to be had from E*: a program that puts E* for E into the form for one material is off by a factor (LAMMPS does so
/// where it mixes; its input then has to name each pair).
pub fn effective_shear_modulus(i: Elasticity, j: Elasticity) -> f64 {
    let compliance = |m: Elasticity| (2.0 - m.poisson) / m.shear_modulus();
    1.0 / (compliance(i) + compliance(j))
}

/// Damping factor alpha \[1\] by which a Hertz contact has the coefficient of restitution e at any speed.
///
/// ```text
/// alpha = -sqrt(5) ln e / sqrt(pi^2 + ln^2 e)          Tsuji, Tanaka, Ishida 1992; Antypov, Elliott 2011
/// ```
/// Exact where the contact ends with the overlap; e in (0, 1].
pub fn damping_of_hertz(restitution: f64) -> f64 {
    5f64.sqrt() * damping_ratio(restitution)
}

/// What [`damping_of_hertz`] is for a linear contact.
///
/// ```text
/// alpha = -2 ln e / sqrt(pi^2 + ln^2 e)
/// ```
pub fn damping_of_hooke(restitution: f64) -> f64 {
    2.0 * damping_ratio(restitution)
}

/// Damping relative to critical of an oscillator of which half a period leaves the share e of the speed.
fn damping_ratio(restitution: f64) -> f64 {
    let log = restitution.ln();
    -log / (PI * PI + log * log).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOFT: Elasticity = Elasticity { young: 1e7, poisson: 0.3 };
    const HARD: Elasticity = Elasticity { young: 1e8, poisson: 0.2 };

    #[test]
    fn one_material_gives_the_short_forms() {
        let (e, nu) = (SOFT.young, SOFT.poisson);
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-15, "{a} {b}");
        near(effective_modulus(SOFT, SOFT), e / (2.0 * (1.0 - nu * nu)));
        near(effective_shear_modulus(SOFT, SOFT), e / (4.0 * (2.0 - nu) * (1.0 + nu)));
    }

    /// E = 10 and 100 MPa, nu = 0.3 and 0.2: G* is 2.061 MPa, not the 1.137 MPa that a modulus mixed first gives.
    #[test]
    fn pairs_of_materials_have_their_own_shear_modulus() {
        let g = effective_shear_modulus(SOFT, HARD);
        assert!((g - 2.061e6).abs() < 1e3, "{g}");
        assert_eq!(g, effective_shear_modulus(HARD, SOFT));
    }

    #[test]
    fn elastic_contacts_are_not_damped() {
        assert_eq!((damping_of_hertz(1.0), damping_of_hooke(1.0)), (0.0, 0.0));
        // Half of an oscillation leaves 0.7 of the speed at a damping ratio of 0.1128.
        assert!((damping_of_hooke(0.7) / 2.0 - 0.112_8).abs() < 1e-4);
    }
}
