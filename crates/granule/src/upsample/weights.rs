//! Weights of guides at a point, and the share of guides in a grain's motion that follows from them.
//!
//! ```text
//! w(d) = (1 - d^2 / h^2)^3   within h = 3 r_LR          [NED24] eq. 37, corrected (physics A27)
//! ```

use crate::simd::Real;

/// Support of the weights, in radii of the guides \[SSS22\] section 4; \[NED24\] eq. 37 prints three times the support of the
/// particles, with which its own threshold 512/729 would not hold (physics A27).
pub const SUPPORT: f32 = 3.0;

/// Sum of the weights inside a mass of guides: the integral of w times one guide per (2 r)^3,
/// `4 pi (16/315) 27 / 8`.
pub const FULL_SUM: f32 = 2.154_237;

/// Coverage below which a grain flies, and from which on guides alone move it.
///
/// A choice that replaces the share of \[NED24\] eqs. 39 and 40, with which grains fall inside a heap at rest (creep of 24
/// r_LR in 10 s, half of the volume gone; docs/validation.md). The flat surface of a lattice has a coverage of a half;
/// 0.35 is reached 0.3 radii of a guide outside it and 0.15 at 0.77 (sums of w), so the topmost grains are held with some to
/// spare, and grains leave a surface without a jump. Other bounds were not tried one by one: with these the limits of
/// `granule measure upsample` hold.
pub const COVERAGE_RAMP: [f32; 2] = [0.15, 0.35];

/// Sum of the weights over the largest, below which guides carry nothing and from which on they do: 1 next to a single guide,
/// 1.7 in a single layer of a lattice (sums of w). A choice between these two.
pub const NEIGHBOR_RAMP: [f32; 2] = [1.2, 1.6];

/// Sum of the weights at a guide itself, above which it carries grains only together with others and below which it does so
/// alone: 1 where it has no neighbours, 1.7 in a single layer of a lattice (sums of w). A choice between these two.
pub const ISOLATION_RAMP: [f32; 2] = [1.6, 1.3];

/// Sum of the weights of isolated guides below which they do not carry a grain, and from which on they do. A choice: at 0.2
/// a lone guide carries what is within 0.64 of its support, 1.9 of its radii, which is more than the grains of its volume
/// (the corners of its cube are at 1.7).
pub const CARRIED_RAMP: [f32; 2] = [0.05, 0.2];

/// From 0 to 1 between two values.
#[inline(always)]
pub fn ramp<F: Real>(value: F, [from, to]: [f32; 2]) -> F {
    ((value - F::splat(from)) / F::splat(to - from)).at_least(F::splat(0.0)).at_most(F::splat(1.0))
}

/// The weight at a squared distance, in supports squared.
#[inline(always)]
pub fn weight<F: Real>(squared: F) -> F {
    let t = (F::splat(1.0) - squared).at_least(F::splat(0.0));
    t * t * t
}

/// Part of the weights' integral that lies beyond a flat wall at a distance, in supports.
///
/// ```text
/// lambda(t) = 315/256 (128/315 - t + 4/3 t^3 - 6/5 t^5 + 4/7 t^7 - 1/9 t^9)
/// ```
#[inline(always)]
pub fn beyond_wall<F: Real>(t: F) -> F {
    let c = F::splat;
    let t = t.at_least(c(-1.0)).at_most(c(1.0));
    let t2 = t * t;
    let odd = c(6.0 / 5.0) - t2 * (c(4.0 / 7.0) - t2 / c(9.0));
    let odd = t * (c(1.0) - t2 * (c(4.0 / 3.0) - t2 * odd));
    (c(0.5) - c(315.0 / 256.0) * odd).at_least(c(0.0)).at_most(c(1.0))
}

/// Part of the volume around a point that guides fill, of what walls leave of it; at least a quarter counts as left, so that
/// nothing is divided by 0 in corners.
#[inline(always)]
pub fn coverage<F: Real>(sum: F, wall: F) -> F {
    sum / (F::splat(FULL_SUM) * (F::splat(1.0) - wall).at_least(F::splat(0.25)))
}

/// Share of a grain's motion that guides have: 1 inside, 0 where it flies. `wall` is the part of the weights beyond
/// the nearest wall, `carrying` the sum of those of guides that fly with the grains around them.
#[inline(always)]
pub fn guided_share<F: Real>(sum: F, largest: F, carrying: F, wall: F) -> F {
    let held = ramp(coverage(sum, wall), COVERAGE_RAMP) * ramp(sum / largest, NEIGHBOR_RAMP);
    let share = held.at_least(ramp(carrying, CARRIED_RAMP));
    F::splat(0.0).if_below(largest, share, F::splat(0.0))
}

/// The share that Ihmsen et al. give to guides, for comparison: 1 - alpha of \[NED24\] eqs. 39 and 40 (physics A28).
#[inline]
pub fn published_share(sum: f32, largest: f32) -> f32 {
    let near = 512.0 / 729.0;
    if largest <= 0.0 {
        0.0
    } else if largest <= near || largest / sum >= 0.6 {
        largest
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sum and largest of the weights of a lattice of guides (radius 1, spacing 2) that fills y <= -1.
    fn lattice(x: [f32; 3], filled: impl Fn([f32; 3]) -> bool) -> (f32, f32) {
        let (mut sum, mut largest) = (0.0, 0.0f32);
        for k in -4..=4i32 {
            for j in -4..=4 {
                for i in -4..=4 {
                    let p = [i, j, k].map(|c| 2.0 * c as f32 + 1.0);
                    if filled(p) {
                        let d2: f32 = (0..3).map(|a| (x[a] - p[a]).powi(2)).sum();
                        let w = weight(d2 / (SUPPORT * SUPPORT));
                        sum += w;
                        largest = largest.max(w);
                    }
                }
            }
        }
        (sum, largest)
    }

    #[test]
    fn the_weight_at_a_radius_is_the_published_threshold() {
        assert!((weight(1.0f32 / 9.0) - 512.0 / 729.0).abs() < 1e-6);
        assert_eq!((weight(0.0f32), weight(1.0f32), weight(4.0f32)), (1.0, 0.0, 0.0));
    }

    #[test]
    fn inside_a_mass_the_sum_is_full_and_at_its_surface_half() {
        let mut mean = 0.0;
        for i in 0..1000 {
            let x = [i % 10, i / 10 % 10, i / 100].map(|c| 0.2 * c as f32 + 0.1);
            mean += lattice(x, |_| true).0 / 1000.0;
        }
        assert!((mean / FULL_SUM - 1.0).abs() < 1e-3, "{mean}");
        let (sum, largest) = lattice([0.4, 0.0, 0.7], |p| p[1] < 0.0);
        assert!((coverage(sum, 0.0) - 0.5).abs() < 0.05, "{}", coverage(sum, 0.0));
        assert_eq!(guided_share(sum, largest, 0.0, 0.0), 1.0);
    }

    #[test]
    fn a_wall_is_no_missing_support() {
        assert!((beyond_wall(0.0) - 0.5).abs() < 1e-6);
        assert!(beyond_wall(1.0) < 1e-6 && beyond_wall(-1.0) > 1.0 - 1e-6);
        // In the edge between a wall and the surface a quarter is filled, and half of what the wall leaves.
        let (sum, _) = lattice([0.0, 0.0, 0.7], |p| p[1] < 0.0 && p[0] < 0.0);
        assert!((coverage(sum, beyond_wall(0.0)) - 0.5).abs() < 0.05);
    }

    #[test]
    fn a_single_guide_carries_nothing_and_a_layer_does() {
        assert_eq!(guided_share(0.9, 0.9, 0.0, 0.0), 0.0);
        assert_eq!(guided_share(0.9, 0.9, 0.9, 0.0), 1.0);
        let (sum, largest) = lattice([1.0, 1.0, 1.0], |p| p[1] == 1.0);
        assert_eq!(guided_share(sum, largest, 0.0, 0.0), 1.0);
        let far = lattice([1.0, 3.0, 1.0], |p| p[1] == 1.0);
        assert!(guided_share(far.0, far.1, 0.0, 0.0) < 0.1);
    }

    #[test]
    fn the_published_share_lets_a_grain_fall_inside_a_mass() {
        // In the middle between eight guides, where nothing could fall.
        let (sum, largest) = lattice([0.0; 3], |_| true);
        assert!(published_share(sum, largest) < 0.4);
        assert_eq!(guided_share(sum, largest, 0.0, 0.0), 1.0);
    }
}
