//! Normal force of a contact: Hertz, Hooke, and the cohesive laws of Derjaguin, Muller, Toporov (DMT) and of Johnson,
//! Kendall, Roberts (JKR).

use std::f64::consts::PI;

use super::geometry::hertz_radius;
use super::scalar::{Scalar, magnitude};

/// Which elastic law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalModel {
    /// Elastic spheres, Hertz 1882.
    Hertz,
    /// A linear spring.
    Hooke,
    /// Hertz with a constant pull, Derjaguin, Muller, Toporov 1975: stiff and small grains.
    Dmt,
    /// Surfaces that stick and neck, Johnson, Kendall, Roberts 1971: soft and large grains.
    Jkr,
}

/// What resists the speed of approach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damping {
    /// A coefficient of restitution that is the same at any speed.
    Restitution,
    /// In proportion to the radius of the area of contact, for cohesive laws.
    Viscoelastic,
}

/// Normal law of a pair of materials.
#[derive(Clone, Copy, Debug)]
pub struct Normal<F> {
    /// Which elastic law.
    pub model: NormalModel,
    /// Effective modulus E* \[Pa\]; of Hooke's law the stiffness [N/m].
    pub stiffness: F,
    /// Surface energy gamma_s of cohesive laws [J/m2].
    pub surface_energy: F,
    /// What resists the speed of approach.
    pub damping: Damping,
    /// Factor alpha \[1\] from the coefficient of restitution, or gamma_n [1/(m s)] of viscoelastic damping.
    pub damping_factor: F,
    /// Whether the dashpot may not pull (LAMMPS: `limit_damping`). Restitution is then higher than asked for: 0.55 for 0.5.
    pub limit_damping: bool,
}

impl Normal<f64> {
    /// The same law in another precision.
    pub fn cast<F: Scalar>(&self) -> Normal<F> {
        Normal {
            model: self.model,
            stiffness: F::of(self.stiffness),
            surface_energy: F::of(self.surface_energy),
            damping: self.damping,
            damping_factor: F::of(self.damping_factor),
            limit_damping: self.limit_damping,
        }
    }
}

/// What a contact bears along its normal.
#[derive(Clone, Copy, Debug)]
pub struct NormalForce<F> {
    /// Force on i along the normal F_n \[N\]; negative where it pulls.
    pub force: F,
    /// The elastic part F_e \[N\].
    pub elastic: F,
    /// Coefficient of the dashpot eta [N s/m].
    pub damping: F,
    /// What friction is bounded by, F_c \[N\].
    pub bound: F,
    /// Radius of the area of contact a \[m\].
    pub contact_radius: F,
}

/// Normal force of two surfaces that touch.
///
/// ```text
/// Hertz  F_e = 4/3 E* a delta,                     a = sqrt(R_eff delta)
/// Hooke  F_e = k delta
/// DMT    F_e = 4/3 E* a delta - F_po,              F_po = 4 pi gamma_s R_eff
/// JKR    F_e = 4/3 E* a^3/R_eff - 2 pi a^2 sqrt(4 gamma_s E*/(pi a)),   a: jkr_radius,   F_po = 3 pi gamma_s R_eff
///
/// F_n = F_e - eta v_n,   eta = alpha sqrt(m_eff F_e/delta)  or  gamma_n m_eff a
/// F_c = |F_n|,  with cohesion |F_e + 2 F_po|
/// ```
/// Secant stiffness F_e/delta, as Tsuji, Tanaka, Ishida 1992 and LAMMPS (`damping coeff_restitution`); gamma_s has the
/// convention of LAMMPS (`pair_style granular`). `speed` is v_n [m/s], negative while the two approach.
#[inline(always)]
pub fn normal_force<F: Scalar>(
    law: &Normal<F>,
    overlap: F,
    effective_radius: F,
    effective_mass: F,
    speed: F,
) -> NormalForce<F> {
    let depth = overlap.at_least(F::splat(0.0));
    let hertz_stiffness = |radius: F| F::of(4.0 / 3.0) * law.stiffness * radius;
    // Elastic force, secant stiffness, radius of contact, force of pull-off.
    let (elastic, secant, contact_radius, pull_off) = match law.model {
        NormalModel::Hertz => {
            let a = hertz_radius(effective_radius, overlap);
            let secant = hertz_stiffness(a);
            (secant * depth, secant, a, None)
        }
        NormalModel::Hooke => {
            (law.stiffness * depth, law.stiffness, hertz_radius(effective_radius, overlap), None)
        }
        NormalModel::Dmt => {
            let a = hertz_radius(effective_radius, overlap);
            let pull_off = F::of(4.0 * PI) * law.surface_energy * effective_radius;
            let secant = hertz_stiffness(a);
            (secant * depth - pull_off, secant, a, Some(pull_off))
        }
        NormalModel::Jkr => {
            let scale = jkr_scale(law, effective_radius);
            let relative = jkr_relative_radius(overlap * effective_radius / (scale * scale));
            let elastic = jkr_force(law, effective_radius, relative);
            let a = scale * relative;
            let pull_off = F::of(3.0 * PI) * law.surface_energy * effective_radius;
            (elastic, hertz_stiffness(a), a, Some(pull_off))
        }
    };
    let damping = match law.damping {
        Damping::Restitution => law.damping_factor * (effective_mass * secant).root(),
        Damping::Viscoelastic => law.damping_factor * effective_mass * contact_radius,
    };
    let force = elastic - damping * speed;
    let force = if law.limit_damping { force.at_least(F::splat(0.0)) } else { force };
    let bound = match pull_off {
        None => magnitude(force),
        Some(pull_off) => magnitude(elastic + pull_off + pull_off),
    };
    NormalForce { force, elastic, damping, bound, contact_radius }
}

/// How far two surfaces that touched may separate before the contact ends \[m\]: 0 except for JKR, whose neck lasts up to
/// the point of largest tension, where F_e = -F_po.
///
/// ```text
/// delta_po = (3 pi^2/16)^(1/3) (R_eff gamma_s^2/E*^2)^(1/3)
/// ```
#[inline(always)]
pub fn pull_off_distance<F: Scalar>(law: &Normal<F>, effective_radius: F) -> F {
    match law.model {
        NormalModel::Jkr => {
            let ratio = law.surface_energy / law.stiffness;
            (F::of(3.0 * PI * PI / 16.0) * effective_radius * ratio * ratio).cube_root()
        }
        _ => F::splat(0.0),
    }
}

/// Radius of the area of contact by Johnson, Kendall, Roberts \[m\]: the larger root of
///
/// ```text
/// delta = a^2/R - 2 sqrt(pi gamma_s a/E*)
/// ```
/// Found in units in which R = gamma_s = E* = 1, by the closed form of the quartic and one step of Newton's method, without
/// which cancellation takes half of the digits where grains overlap far for their stickiness.
#[inline(always)]
pub fn jkr_radius<F: Scalar>(law: &Normal<F>, effective_radius: F, overlap: F) -> F {
    let scale = jkr_scale(law, effective_radius);
    scale * jkr_relative_radius(overlap * effective_radius / (scale * scale))
}

/// Length (gamma_s R^2/E*)^(1/3) that JKR contacts scale with \[m\].
#[inline(always)]
fn jkr_scale<F: Scalar>(law: &Normal<F>, effective_radius: F) -> F {
    (law.surface_energy * effective_radius * (effective_radius / law.stiffness)).cube_root()
}

/// Larger root a of `d = a^2 - 2 sqrt(pi a)`; where there is none, near the least d that has one.
#[inline(always)]
fn jkr_relative_radius<F: Scalar>(d: F) -> F {
    let zero = F::splat(0.0);
    let t1 = F::of(27.0 * PI * PI);
    let t2 = F::splat(8.0) * d * d * d;
    let t4 = (t1 + t2 + F::of(3.0 * 3f64.sqrt() * PI) * (t1 + t2 + t2).at_least(zero).root()).cube_root();
    let t5 = F::splat(4.0) * d * d / t4 + t4;
    let t6 = (d + d + t5).at_least(zero).root();
    let rest = F::splat(4.0) * d - t5 + F::of(6.0 * 6f64.sqrt() * PI) / t6;
    let a = (t6 + rest.at_least(zero).root()) / F::of(6f64.sqrt());
    // With s = sqrt(a): s^4 - 2 sqrt(pi) s - d = 0. At the least d the slope is 0 and the root cannot be told better.
    let s = a.root();
    let linear = F::of(2.0 * PI.sqrt());
    let slope = F::splat(4.0) * s * a - linear;
    let step = (a * a - linear * s - d) / slope;
    let s = linear.if_below(slope, s - step, s);
    s * s
}

/// Elastic force of JKR \[N\] from the radius of contact over its scale.
///
/// ```text
/// F_e = gamma_s R (4/3 a^3 - 4 sqrt(pi) a^(3/2))
/// ```
#[inline(always)]
fn jkr_force<F: Scalar>(law: &Normal<F>, effective_radius: F, relative: F) -> F {
    let power = relative * relative.root();
    law.surface_energy * effective_radius * power * (F::of(4.0 / 3.0) * power - F::of(4.0 * PI.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::super::material::{damping_of_hertz, damping_of_hooke};
    use super::*;

    fn law(model: NormalModel) -> Normal<f64> {
        Normal {
            model,
            stiffness: 5.5e6,
            surface_energy: 0.05,
            damping: Damping::Restitution,
            damping_factor: 0.0,
            limit_damping: false,
        }
    }

    #[test]
    fn hertz_force_has_its_value_and_power() {
        let force = |overlap| normal_force(&law(NormalModel::Hertz), overlap, 1.25e-3, 1.0, 0.0).force;
        let expected = 4.0 / 3.0 * 5.5e6 * 1.25e-3f64.sqrt() * 1e-5f64.powf(1.5);
        assert!((force(1e-5) / expected - 1.0).abs() < 1e-14);
        assert!((force(4e-5) / force(1e-5) - 8.0).abs() < 1e-13);
        assert_eq!(force(-1e-5), 0.0);
    }

    #[test]
    fn dashpots_oppose_motion_and_may_be_kept_from_pulling() {
        let mut hertz = law(NormalModel::Hertz);
        hertz.damping_factor = damping_of_hertz(0.2);
        let at = |law: &Normal<f64>, speed| normal_force(law, 1e-7, 1.25e-3, 1e-4, speed);
        assert!(at(&hertz, -0.1).force > at(&hertz, 0.0).force);
        assert!(at(&hertz, 0.1).force < 0.0);
        assert_eq!(at(&hertz, 0.1).bound, -at(&hertz, 0.1).force);
        hertz.limit_damping = true;
        assert_eq!(at(&hertz, 0.1).force, 0.0);
    }

    #[test]
    fn linear_contacts_are_springs() {
        let hooke =
            Normal { stiffness: 1000.0, damping_factor: damping_of_hooke(0.5), ..law(NormalModel::Hooke) };
        let f = normal_force(&hooke, 1e-4, 1e-3, 1e-3, 0.0);
        assert!((f.force - 0.1).abs() < 1e-15);
        assert!((f.damping - damping_of_hooke(0.5)).abs() < 1e-15);
    }

    #[test]
    fn the_radius_of_jkr_inverts_its_equation() {
        let jkr = law(NormalModel::Jkr);
        let r = 1.25e-3;
        let least = -pull_off_distance(&jkr, r);
        for k in 0..200 {
            let overlap = 0.99 * least + (3e-5 - least) * (f64::from(k) / 200.0).powi(3);
            let a = jkr_radius(&jkr, r, overlap);
            let back = a * a / r - 2.0 * (PI * jkr.surface_energy * a / jkr.stiffness).sqrt();
            assert!((back - overlap).abs() < 1e-14 * a * a / r, "{overlap}: {back}");
        }
    }

    /// The closed form alone is off by up to 2e-4 where grains overlap far for their stickiness.
    #[test]
    fn the_radius_of_jkr_keeps_single_precision() {
        let overlaps = (0..4000).map(|k| 1e-2f32 * 1.01f32.powi(k)).take_while(|d| *d < 1e8);
        let error = |d: f32| f64::from(jkr_relative_radius(d)) / jkr_relative_radius(f64::from(d)) - 1.0;
        let worst = overlaps.map(|d| error(d).abs()).fold(0.0, f64::max);
        assert!(worst < 4e-7, "{worst}");
    }

    #[test]
    fn cohesive_contacts_pull_off_with_their_forces() {
        let (r, gamma) = (1.25e-3, 0.05);
        let dmt = normal_force(&law(NormalModel::Dmt), 0.0, r, 1.0, 0.0);
        assert!((dmt.force + 4.0 * PI * gamma * r).abs() < 1e-16);
        assert_eq!(dmt.bound, -dmt.force, "F_e + 2 F_po");
        let jkr = law(NormalModel::Jkr);
        let least = -pull_off_distance(&jkr, r);
        let force = |overlap| normal_force(&jkr, overlap, r, 1.0, 0.0).force;
        let pull_off = 3.0 * PI * gamma * r;
        assert!((force(least) / pull_off + 1.0).abs() < 1e-6, "{} {pull_off}", force(least));
        let weakest = (1..1000).map(|k| force(least * (1.0 - f64::from(k) / 500.0))).fold(0.0, f64::min);
        assert!(weakest > -pull_off * (1.0 + 1e-12), "nowhere does it pull more");
    }
}
