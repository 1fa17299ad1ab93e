//! The material materials of granular IISPH as pure functions: what one particle does in one iteration.

use crate::simd::Real;
use crate::sym3::Sym3;

/// Density, relative to rest, above which a loose particle resists compaction.
pub const LOOSE_DENSITY: f32 = 0.8;

/// Share of an excess of density that is removed per step.
pub const EXCESS_CORRECTION: f32 = 0.2;

/// Compaction that the pressure has to bring about or to prevent: the step must expand the particle's volume by at
/// least this share. Negative values allow compaction.
///
/// ```text
/// grains:  e > 0:  0.2 e          e <= 0:  min(rho - 0.8, 0) + kappa dt e          e = rho - 1
/// fluid:   e                      see required_expansion_of_fluid
/// ```
/// `density` is rho [1, relative to rest]; `compaction` is kappa dt. Plain IISPH (\[ICS14\] eq. 8: source e) gives no
/// pressure, hence no friction, wherever a surface or a loose spot lies below rest density, and piles melt from
/// there. Grains above [`LOOSE_DENSITY`] carry load at once and compact only at the rate kappa.
#[inline(always)]
pub fn required_expansion<F: Real>(density: F, compaction: F) -> F {
    let excess = density - F::splat(1.0);
    let zero = F::splat(0.0);
    let loose = (density - F::splat(LOOSE_DENSITY)).at_most(zero) + compaction * excess;
    zero.if_below(excess, F::splat(EXCESS_CORRECTION) * excess, loose)
}

/// What [`required_expansion`] is for a plain fluid.
///
/// `share` is that part of an excess which this step removes: its length over that of the longest step. Were it all, the
/// speed of removal would grow as steps shorten, and faster particles shorten steps.
#[inline(always)]
pub fn required_expansion_of_fluid<F: Real>(density: F, share: F) -> F {
    let excess = density - F::splat(1.0);
    F::splat(0.0).if_below(excess, share * excess, excess)
}

/// Share of a density deficit that shear closes per unit of |E|_F: sqrt(2) K phi with K = 4.1, phi = 0.6.
pub const SHEAR_COMPACTION: f32 = 3.4;

/// Rate at which loose grains compact [1/s]: slowly at rest, and with the shear rate in flow.
///
/// ```text
/// kappa + K phi sqrt(2) |E|_F          dilatancy law d(phi)/dt = -phi K (phi - phi_eq) gamma, [PP09]
/// ```
/// Without the second term every stir of a flow dilates it further and it runs at 0.88 of its rest density; with it,
/// at 0.93 to 0.97. At rest there is no shear and nothing creeps.
#[inline(always)]
pub fn compaction_rate<F: Real>(rest: f32, strain_rate: F) -> F {
    F::splat(rest) + F::splat(SHEAR_COMPACTION) * strain_rate
}

/// Unilateral pressure: a relaxed Jacobi step, never negative. NaN becomes 0.
///
/// ```text
/// p <- max(0, p + omega err / (dt^2 A))          [ICS14] eq. 12, clamped
/// ```
#[inline(always)]
pub fn project_pressure<F: Real>(pressure: F, error: F, step: F) -> F {
    (pressure + step * error).at_least(F::splat(0.0))
}

/// Returns a frictional stress to the yield cone along its own direction. What is not finite becomes 0.
///
/// ```text
/// s <- s min(1, limit / |s|_F)
/// ```
#[inline(always)]
pub fn return_to_cone<F: Real>(stress: Sym3<F>, limit: F) -> Sym3<F> {
    let zero = F::splat(0.0);
    let norm_squared = stress.norm_squared();
    let outside = limit / norm_squared.root();
    let scale = (limit * limit).if_below(norm_squared, outside, F::splat(1.0));
    let returned = stress.scaled(scale);
    returned.zip(&returned, |s, _| norm_squared.if_below(F::splat(f32::INFINITY), s, zero))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_return_lands_on_or_inside_the_cone(c in prop::array::uniform6(-1e6f32..1e6), limit in 0.0f32..1e5) {
            let s = Sym3 { xx: c[0], xy: c[1], xz: c[2], yy: c[3], yz: c[4], zz: c[5] };
            let r = return_to_cone(s, limit);
            prop_assert!(r.norm() <= limit * 1.00001);
            prop_assert!(r.dot(&s) >= 0.0, "the direction is kept");
            if s.norm() <= limit { prop_assert_eq!(r, s); }
        }

        #[test]
        fn pressure_never_pulls(p in 0.0f32..1e6, e in -1.0f32..1.0, k in 0.0f32..1e8) {
            prop_assert!(project_pressure(p, e, k) >= 0.0);
        }
    }

    #[test]
    fn values_that_are_not_finite_are_contained() {
        assert_eq!(project_pressure(f32::NAN, 1.0, 1.0), 0.0);
        let s = Sym3 { xx: f32::NAN, ..Sym3::ZERO };
        assert_eq!(return_to_cone(s, 1.0), Sym3::ZERO);
    }

    /// The dilatancy law of [PP09] closes a deficit of density by K phi per unit of shear, K = 4.1 and phi = 0.6; the shear
    /// rate is sqrt(2) |E|_F.
    #[test]
    fn loose_grains_compact_with_the_shear() {
        let still = compaction_rate(2.0, 0.0f32);
        assert_eq!(still, 2.0);
        let per_shear = (compaction_rate(2.0, 10.0f32) - still) / 10.0;
        assert!((per_shear / (2f32.sqrt() * 4.1 * 0.6) - 1.0).abs() < 0.03, "{per_shear}");
    }

    #[test]
    fn loose_grains_compact_slowly_and_very_loose_ones_freely() {
        let slow = required_expansion(0.95, 0.004);
        assert!(slow < 0.0 && slow > -0.001);
        assert!(required_expansion(0.5, 0.004) < -0.29);
        assert!((required_expansion(1.01, 0.004) - 0.002).abs() < 1e-6);
        assert!((required_expansion_of_fluid(0.5f32, 0.25) + 0.5).abs() < 1e-6);
        assert!((required_expansion_of_fluid(1.04f32, 0.25) - 0.01).abs() < 1e-6);
    }
}
