//! Momentum of the coupled pressure and friction solve.
//!
//! An iteration gives x = P(y + w D^-1 r(y)), the projection of a Jacobi step from y. The next one starts from
//!
//! ```text
//! y <- P(x + beta_k (x - x')) ,    x' <- x          [BT09], projected once more
//! ```
//!
//! x' is what the last iteration gave, so the fixed point stays what it is without momentum. Errors are measured at x; walls,
//! fluids and explicit friction have no momentum.

use crate::simd::Real;
use crate::sym3::Sym3;

/// Growth of the error, over the lowest one, at which momentum begins anew.
///
/// \[OC15\] restart as soon as the objective grows. The errors here are sums of norms, which go up and down though momentum
/// leads on. Found by experiment, with a relaxation of 0.25: whoever begins anew where an error exceeds the one before takes 0.2
/// iterations per step more in a collapse (`column`, first 0.6 s), and 3 of 300 steps miss the tolerance, which all meet with
/// 1.5, with 2 and without restart; in `silo --quick` 28 steps miss it, against 5 with 1.5 and 7 without restart.
pub const ERROR_GROWTH: f64 = 1.5;

/// Momentum of a step's iterations: its sequence, and where it begins anew.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    least: u32,
    began_after: u32,
    lowest_error: f64,
}

impl Momentum {
    /// For a step of at least so many iterations.
    pub fn new(least: u32) -> Self {
        Self { least, began_after: 0, lowest_error: f64::INFINITY }
    }

    /// beta of an iteration, counted from 1.
    ///
    /// There is none in the last of the fewest, with which a step at rest ends: what lies beyond the projection would move
    /// grains that it holds, and a bed of 30 layers at rest would have several times the kinetic energy.
    pub fn of(&self, iteration: u32) -> f32 {
        if iteration == self.least { 0.0 } else { momentum((iteration - self.began_after) as f32) }
    }

    /// Takes note of the error left after an iteration: where it has grown, momentum carries too far and begins anew.
    ///
    /// Errors before the last of the fewest iterations do not count, since not all of them are looked at.
    pub fn note(&mut self, iteration: u32, error: f64) {
        if iteration < self.least {
            return;
        }
        if error > ERROR_GROWTH * self.lowest_error {
            self.began_after = iteration;
            self.lowest_error = error;
        }
        self.lowest_error = self.lowest_error.min(error);
    }
}

/// Share beta of the last change by which an iteration goes further, `k` being counted from 1 where momentum began.
///
/// ```text
/// beta_k = (k - 1) / (k + 2) = 0, 0.25, 0.4, 0.5, ...
/// ```
/// \[BT09\] eq. 4.2 has (t_k - 1) / t_(k+1) with t_(k+1) = (1 + sqrt(1 + 4 t_k^2)) / 2, that is 0, 0.28, 0.43, 0.53; the
/// quotient is its common short form (\[OC15\] section 2.1), which needs no memory.
#[inline(always)]
pub fn momentum(k: f32) -> f32 {
    (k - 1.0) / (k + 2.0)
}

/// Pressure beyond the one that an iteration gave, never negative. NaN becomes 0.
///
/// ```text
/// p <- max(0, p + beta (p - p'))
/// ```
#[inline(always)]
pub fn extrapolate_pressure<F: Real>(pressure: F, previous: F, momentum: F) -> F {
    (pressure + momentum * (pressure - previous)).at_least(F::splat(0.0))
}

/// Frictional stress beyond the one that an iteration gave; it has to be returned to the cone.
///
/// ```text
/// s <- s + beta (s - s')
/// ```
#[inline(always)]
pub fn extrapolate_stress<F: Real>(stress: Sym3<F>, previous: Sym3<F>, momentum: F) -> Sym3<F> {
    stress.zip(&previous, |s, s_old| s + momentum * (s - s_old))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::iisph::rheology::{project_pressure, return_to_cone};

    /// Pressure and shear stress of layers.
    type Loads = Vec<(f32, Sym3)>;

    /// Layers of a bed that bear on each other, as a chain of springs: A = (-1, 2, -1), loaded by weight in its middle and
    /// pulled apart at its ends, and sheared throughout, more than friction bears.
    const LAYERS: usize = 16;
    const FRICTION: f32 = 0.5;
    const RELAXATION: f32 = 0.4;

    fn missing(of: impl Fn(usize) -> f32, load: f32, i: usize) -> f32 {
        let next = if i + 1 < LAYERS { of(i + 1) } else { 0.0 };
        let last = if i > 0 { of(i - 1) } else { 0.0 };
        load - (2.0 * of(i) - last - next)
    }

    fn weight(i: usize) -> f32 {
        if (3..LAYERS - 3).contains(&i) { 1.0 } else { -2.0 }
    }

    /// An iteration without momentum from y, and how far it went.
    fn iterate(y: &Loads) -> (Loads, f32) {
        let step = RELAXATION / 2.0;
        let mut change = 0.0f32;
        let x = (0..LAYERS).map(|i| {
            let p = project_pressure(y[i].0, missing(|j| y[j].0, weight(i), i), step);
            let xy = y[i].1.xy + step * missing(|j| y[j].1.xy, 0.9, i);
            let s = return_to_cone(Sym3 { xy, ..Sym3::ZERO }, FRICTION * p);
            change = change.max((p - y[i].0).abs()).max((s.xy - y[i].1.xy).abs());
            (p, s)
        });
        let x = x.collect();
        (x, change)
    }

    /// Iterations until nothing changes any more, and what was found.
    fn solve(accelerated: bool) -> (u32, Loads) {
        let mut y: Loads = vec![(0.0, Sym3::ZERO); LAYERS];
        let mut previous = y.clone();
        let mut momentum = Momentum::new(1);
        for k in 1..5000 {
            let (x, change) = iterate(&y);
            if change < 1e-5 {
                return (k, x);
            }
            let beta = if accelerated { momentum.of(k) } else { 0.0 };
            momentum.note(k, f64::from(change));
            y = x.iter().zip(&previous).map(|(x, old)| beyond(x, old, beta)).collect();
            previous = x;
        }
        panic!("5000 iterations did not do");
    }

    fn beyond(x: &(f32, Sym3), old: &(f32, Sym3), beta: f32) -> (f32, Sym3) {
        let p = extrapolate_pressure(x.0, old.0, beta);
        (p, return_to_cone(extrapolate_stress(x.1, old.1, beta), FRICTION * p))
    }

    #[test]
    fn momentum_finds_the_same_loads_in_less_than_half_of_the_iterations() {
        let ((plain, expected), (accelerated, found)) = (solve(false), solve(true));
        assert!(expected.iter().any(|x| x.0 == 0.0), "some layers come apart: {expected:?}");
        assert!(expected.iter().any(|x| x.1.norm() > 0.0 && x.1.norm() > 0.999 * FRICTION * x.0));
        assert!(2 * accelerated <= plain, "{accelerated} iterations instead of {plain}");
        for ((p, s), (q, t)) in found.iter().zip(&expected) {
            assert!((p - q).abs() < 0.01 && (s.xy - t.xy).abs() < 0.01, "{p} {s:?} instead of {q} {t:?}");
        }
    }

    #[test]
    fn momentum_grows_from_none_towards_all_of_the_last_change() {
        assert_eq!([1.0, 2.0, 3.0, 4.0].map(momentum), [0.0, 0.25, 0.4, 0.5]);
        assert!(momentum(1000.0) < 1.0);
    }

    #[test]
    fn the_first_and_the_last_of_the_fewest_iterations_have_no_momentum() {
        let momentum_of = Momentum::new(5);
        let shares = [1, 2, 3, 4, 5, 6].map(|k| momentum_of.of(k));
        assert_eq!(shares, [0.0, 0.25, 0.4, 0.5, 0.0, momentum(6.0)]);
    }

    #[test]
    fn momentum_begins_anew_where_the_error_has_grown() {
        let mut momentum_of = Momentum::new(3);
        momentum_of.note(2, 1.0);
        momentum_of.note(3, 8.0);
        momentum_of.note(4, 4.0);
        momentum_of.note(5, 5.9);
        assert_eq!(momentum_of.of(6), momentum(6.0), "ups and downs are no growth");
        momentum_of.note(6, 6.1);
        assert_eq!([7, 8].map(|k| momentum_of.of(k)), [0.0, 0.25]);
        momentum_of.note(7, 6.2);
        assert_eq!(momentum_of.of(8), 0.25, "growth counts from where momentum began");
    }

    #[test]
    fn stress_goes_on_in_the_direction_of_its_last_change() {
        let (new, old) = (Sym3 { xx: 1.0, xy: 3.0, ..Sym3::ZERO }, Sym3 { xx: 2.0, xy: 1.0, ..Sym3::ZERO });
        assert_eq!(extrapolate_stress(new, old, 0.5), Sym3 { xx: 0.5, xy: 4.0, ..Sym3::ZERO });
    }

    #[test]
    fn pressure_beyond_never_pulls_and_what_is_not_finite_is_contained() {
        assert_eq!(extrapolate_pressure(1.0, 5.0, 0.5), 0.0);
        assert_eq!(extrapolate_pressure(3.0, 1.0, 0.5), 4.0);
        assert_eq!(extrapolate_pressure(f32::INFINITY, f32::INFINITY, 0.5), 0.0);
    }
}
