//! Pair mathematics of the weakly compressible solver: pure functions, of one pair or of many side by side.

use crate::scene::PressureLaw;
use crate::simd::Real;

/// Pressure of a fluid \[Pa\] from its density relative to rest.
///
/// ```text
/// tait    p = B ((rho/rho_0)^gamma - 1),   B = rho_0 c^2 / gamma
/// ideal   p = c^2 (rho - rho_0)
/// ```
/// Never negative: a free surface does not pull. `stiffness` is rho_0 c^2 \[Pa\].
#[inline(always)]
pub fn pressure_of<F: Real>(law: PressureLaw, exponent: u32, stiffness: F, density: F) -> F {
    let one = F::splat(1.0);
    let excess = match law {
        PressureLaw::Ideal => density - one,
        PressureLaw::Tait => {
            let mut power = density;
            for _ in 1..exponent {
                power = power * density;
            }
            (power - one) / F::splat(exponent as f32)
        }
    };
    (stiffness * excess).at_least(F::splat(0.0))
}

/// What pushes two particles apart per kernel gradient: pressure, and Monaghan's artificial viscosity where they approach
/// \[Pa\].
///
/// ```text
/// p_i/rho_i^2 + p_j/rho_j^2 - alpha rho_0 c h' min(v . x, 0) / (|x|^2 + 0.01 h'^2),    h' = h/2
/// ```
/// `approach` is v_ij . x_ij [m2/s], `damping` alpha rho_0 c h' [Pa s].
#[inline(always)]
pub fn repulsion<F: Real>(own: F, other: F, damping: F, approach: F, square: F, softening: F) -> F {
    own + other - damping * approach.at_most(F::splat(0.0)) / (square + softening)
}

/// Constant of the cohesion spline's near branch, over h^6.
pub const COHESION_CONSTANT: f32 = 1.0 / 64.0;

/// The cohesion spline of \[AAT13\] over its factor 32/(pi h^3), from q = r/h: attraction is positive.
///
/// ```text
/// C(q) = (1 - q)^3 q^3              for q > 1/2
///        2 (1 - q)^3 q^3 - 1/64     for q <= 1/2,     0 beyond q = 1
/// ```
/// `constant` is 1/64, which makes both branches meet.
#[inline(always)]
pub fn cohesion_spline<F: Real>(q: F, constant: F) -> F {
    let zero = F::splat(0.0);
    let p = (F::splat(1.0) - q).at_least(zero);
    let base = p * q * (p * q) * (p * q);
    let near = base + base - constant;
    F::splat(0.5).if_below(q, base, near)
}

/// Symmetric weight K = 2 rho_0/(rho_i + rho_j) of \[AAT13\], from relative densities: more where neighbours are missing.
#[inline(always)]
pub fn surface_weight<F: Real>(own: F, other: F) -> F {
    F::splat(2.0) / (own + other)
}

/// Force of the cohesion spline \[N\] per surface tension [N/m] and spline: 8 V^2 / (pi h^5 I), I = int q^4 C(q) dq.
///
/// A fluid whose pairs attract each other with F(r) has the surface tension pi n^2/8 int r^4 F(r) dr where particles
/// are spread evenly up to the surface (Rayleigh; \[TP16\] eq. 19), n = 1/V.
pub fn cohesion_scale(volume: f32, support: f32) -> f32 {
    const STEPS: usize = 2000;
    let step = 1.0 / STEPS as f64;
    let middle = |k: usize| (k as f64 + 0.5) * step;
    let spline = |q: f64| f64::from(cohesion_spline(q as f32, COHESION_CONSTANT));
    let moment: f64 = (0..STEPS).map(middle).map(|q| q.powi(4) * spline(q) * step).sum();
    let (volume, support) = (f64::from(volume), f64::from(support));
    (8.0 * volume * volume / (std::f64::consts::PI * support.powi(5) * moment)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_is_zero_at_rest_and_has_the_speed_of_sound() {
        let (rho_0, c) = (1000.0f32, 20.0f32);
        for (law, exponent) in [(PressureLaw::Tait, 7), (PressureLaw::Tait, 3), (PressureLaw::Ideal, 7)] {
            let p = |density: f32| pressure_of(law, exponent, rho_0 * c * c, density);
            assert_eq!(p(1.0), 0.0);
            assert_eq!(p(0.9), 0.0, "a surface does not pull");
            let slope = (p(1.002) - p(1.0)) / (0.002 * rho_0);
            assert!((slope / (c * c) - 1.0).abs() < 0.01, "{law:?} {exponent}: dp/drho = {slope}");
        }
        let tait = |exponent| pressure_of(PressureLaw::Tait, exponent, 1.0, 1.1f32);
        assert!((tait(7) - (1.1f32.powi(7) - 1.0) / 7.0).abs() < 1e-6);
        assert!(tait(7) > tait(3) && tait(3) > pressure_of(PressureLaw::Ideal, 3, 1.0, 1.1f32));
    }

    #[test]
    fn cohesion_is_continuous_and_repels_near_and_attracts_far() {
        let c = |q: f32| cohesion_spline(q, COHESION_CONSTANT);
        assert!((c(0.5) - c(0.500001)).abs() < 1e-6, "branches meet at h/2");
        assert!((c(0.5) - 1.0 / 64.0).abs() < 1e-7);
        assert!(c(0.1) < 0.0 && c(0.27) < 0.0 && c(0.28) > 0.0 && c(0.9) > 0.0);
        assert_eq!(c(1.0), 0.0);
        assert_eq!(c(1.3), 0.0);
    }

    #[test]
    fn artificial_viscosity_acts_between_approaching_pairs_only() {
        let push = |approach: f32| repulsion(1.0f32, 2.0, 10.0, approach, 4.0, 0.0);
        assert_eq!(push(1.0), 3.0);
        assert_eq!(push(-1.0), 3.0 + 10.0 / 4.0);
    }
}
