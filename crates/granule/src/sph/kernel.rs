//! Smoothing kernels.
//!
//! Every kernel here is radial with compact support: `W(r) = sigma f(q)`, `q = r / h`, and `W = 0` for `r >= h`,
//! where `h` is the *radius of the support* \[m\] (not the half-radius that \[Mon92\] writes as `h`).
//! All are normalised in three dimensions: the integral of `W` over space is 1.
//!
//! References: \[Mon92\] Monaghan 1992; \[Wen95\] Wendland 1995; \[MCG03\] Mueller, Charypar, Gross 2003;
//! \[DG96\] Desbrun and Gascuel 1996.

mod lanes;

use std::f32::consts::PI;

use serde::{Deserialize, Serialize};

use crate::simd::{Lanes, Real};

/// The kernels that a scene may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KernelKind {
    /// Cubic spline (Monaghan 1992).
    #[default]
    Cubic,
    /// Wendland C2.
    Wendland,
    /// Poly6 (Mueller 2003).
    Poly6,
    /// Spiky (Desbrun 1996, Mueller 2003).
    Spiky,
    /// The kernel whose Laplacian is the viscosity Laplacian (Mueller 2003).
    Viscosity,
}

impl KernelKind {
    /// All kernels.
    pub const ALL: [Self; 5] = [Self::Cubic, Self::Wendland, Self::Poly6, Self::Spiky, Self::Viscosity];
}

/// Smallest `q = r / h` at which expressions with a pole at `r = 0` are evaluated. It holds the viscosity kernel
/// finite (its clamped volume is below 1e-5 of its integral) and the spiky kernel's Laplacian too.
const Q_FLOOR: f32 = 1e-3;

/// A smoothing kernel of a given support.
///
/// | kind | f(q) | sigma | source |
/// | --- | --- | --- | --- |
/// | cubic | `6 (q^3 - q^2) + 1` for `q < 1/2`, else `2 (1 - q)^3` | `8 / (pi h^3)` | \[Mon92\] |
/// | wendland | `(1 - q)^4 (4 q + 1)` | `21 / (2 pi h^3)` | \[Wen95\] |
/// | poly6 | `(1 - q^2)^3` | `315 / (64 pi h^3)` | \[MCG03\] eq. 20 |
/// | spiky | `(1 - q)^3` | `15 / (pi h^3)` | \[DG96\], \[MCG03\] eq. 21 |
/// | viscosity | `-q^3/2 + q^2 + 1/(2 q) - 1` | `15 / (2 pi h^3)` | \[MCG03\] eq. 22 |
///
/// The viscosity kernel and its derivative diverge at `r = 0`. We evaluate them at no less than `q = 0.001`, so
/// that `W(0)` is finite (about 500 sigma); it is meant for its Laplacian, not for densities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    kind: KernelKind,
    /// Radius of the support h \[m\].
    support: f32,
    /// 1/h [1/m].
    inverse_support: f32,
    /// h^2 \[m2\].
    support_squared: f32,
    /// sigma: factor of the value [1/m3].
    sigma: f32,
    /// sigma/h: factor of the derivative [1/m4].
    sigma_derivative: f32,
    /// sigma/h^2: factor of derivative over distance and of the Laplacian [1/m5].
    sigma_second: f32,
}

impl Kernel {
    /// A kernel of the given radius of support [m], which must be finite and positive.
    pub fn new(kind: KernelKind, support: f32) -> Self {
        debug_assert!(support.is_finite() && support > 0.0, "kernel support must be positive, got {support}");
        let inverse_support = 1.0 / support;
        let normalisation = match kind {
            KernelKind::Cubic => 8.0 / PI,
            KernelKind::Wendland => 21.0 / (2.0 * PI),
            KernelKind::Poly6 => 315.0 / (64.0 * PI),
            KernelKind::Spiky => 15.0 / PI,
            KernelKind::Viscosity => 15.0 / (2.0 * PI),
        };
        let sigma = normalisation * inverse_support * inverse_support * inverse_support;
        Self {
            kind,
            support,
            inverse_support,
            support_squared: support * support,
            sigma,
            sigma_derivative: sigma * inverse_support,
            sigma_second: sigma * inverse_support * inverse_support,
        }
    }

    /// Which kernel this is.
    #[inline]
    pub fn kind(&self) -> KernelKind {
        self.kind
    }

    /// Radius of the support [m].
    #[inline]
    pub fn support(&self) -> f32 {
        self.support
    }

    /// Factor sigma of the value [1/m3].
    #[inline]
    pub fn sigma(&self) -> f32 {
        self.sigma
    }

    /// The value `W(r)` [1/m3] at the distance `r` [m]; 0 for `r >= support`.
    #[inline]
    pub fn w(&self, r: f32) -> f32 {
        let q = r * self.inverse_support;
        if q >= 1.0 {
            return 0.0;
        }
        let p = 1.0 - q;
        let f = match self.kind {
            KernelKind::Cubic if q < 0.5 => 1.0 - 6.0 * q * q * p,
            KernelKind::Cubic => 2.0 * p * p * p,
            KernelKind::Wendland => (p * p) * (p * p) * (4.0 * q + 1.0),
            KernelKind::Poly6 => {
                let s = 1.0 - q * q;
                s * s * s
            }
            KernelKind::Spiky => p * p * p,
            KernelKind::Viscosity => {
                // -q^3/2 + q^2 + 1/(2q) - 1, factored so that it reaches zero without cancellation.
                let q = q.max(Q_FLOOR);
                let p = 1.0 - q;
                p * p * p * (1.0 + q) / (2.0 * q)
            }
        };
        self.sigma * f
    }

    /// The radial derivative `dW/dr` [1/m4] at the distance `r` [m]; never positive, 0 for `r >= support`.
    ///
    /// ```text
    /// cubic       18 q^2 - 12 q, else -6 (1 - q)^2
    /// wendland   -20 q (1 - q)^3
    /// poly6       -6 q (1 - q^2)^2
    /// spiky       -3 (1 - q)^2                        (not zero at r = 0)
    /// viscosity   -3 q^2 / 2 + 2 q - 1 / (2 q^2)      (at no less than q = 0.001)
    /// ```
    #[inline]
    pub fn dw(&self, r: f32) -> f32 {
        let q = r * self.inverse_support;
        if q >= 1.0 {
            return 0.0;
        }
        let p = 1.0 - q;
        let f = match self.kind {
            KernelKind::Spiky => -3.0 * p * p,
            KernelKind::Viscosity => {
                let q = q.max(Q_FLOOR);
                q * viscosity_slope_over_q(q)
            }
            KernelKind::Cubic if q < 0.5 => q * (18.0 * q - 12.0),
            KernelKind::Cubic => -6.0 * p * p,
            KernelKind::Wendland => -20.0 * q * p * p * p,
            KernelKind::Poly6 => {
                let s = 1.0 - q * q;
                -6.0 * q * s * s
            }
        };
        self.sigma_derivative * f
    }

    /// `(dW/dr) / r` [1/m5] from the squared distance `r2` [m2]: the gradient at `x_i` is this times `x_i - x_j`.
    ///
    /// 0 beyond the support and at `r2 = 0`, where the gradient of a smooth kernel vanishes and that of the spiky
    /// and viscosity kernels has no direction.
    #[inline]
    pub fn gradient_factor(&self, r2: f32) -> f32 {
        if r2 >= self.support_squared || r2 <= 0.0 {
            return 0.0;
        }
        let q = r2.sqrt() * self.inverse_support;
        let p = (1.0 - q).max(0.0);
        let f = match self.kind {
            KernelKind::Cubic if q < 0.5 => 18.0 * q - 12.0,
            KernelKind::Cubic => -6.0 * p * p / q,
            KernelKind::Wendland => -20.0 * p * p * p,
            KernelKind::Poly6 => {
                let s = p * (1.0 + q);
                -6.0 * s * s
            }
            // 1e-12 only keeps the quotient finite: the gradient, this times x_ij, is right down to there.
            KernelKind::Spiky => -3.0 * p * p / q.max(1e-12),
            KernelKind::Viscosity => viscosity_slope_over_q(q.max(Q_FLOOR)),
        };
        self.sigma_second * f
    }

    /// Value [1/m3] and gradient factor [1/m5] from the squared distances `r2` [m2] of pairs inside the support, as
    /// [`w`](Self::w) and [`gradient_factor`](Self::gradient_factor) give them.
    #[inline(always)]
    pub fn pairs<L: Lanes>(&self, r2: L) -> (L, L) {
        if self.kind != KernelKind::Cubic {
            let r2 = r2.to_array();
            let w = r2.map(|r2| self.w(r2.sqrt()));
            return (L::from_array(&w), L::from_array(&r2.map(|r2| self.gradient_factor(r2))));
        }
        self.cubic_pair(r2)
    }

    /// 2 (1 - q)^3 - 8 (1/2 - q)^3, the second term only below one half: both branches of the spline in one.
    #[inline(always)]
    fn cubic_pair<F: Real>(&self, r2: F) -> (F, F) {
        let number = F::splat;
        let zero = number(0.0);
        let q = r2.root() * number(self.inverse_support);
        let p = (number(1.0) - q).at_least(zero);
        let c = (number(0.5) - q).at_least(zero);
        let slope = number(24.0) * c * c - number(6.0) * p * p;
        let slope_over_q = zero.if_below(q, slope / q, zero);
        let value = number(2.0) * p * p * p - number(8.0) * c * c * c;
        (number(self.sigma) * value, number(self.sigma_second) * slope_over_q)
    }

    /// Steepest slope |dW/dr| [1/m4] at distances from a sixteenth of the support on.
    pub fn steepest_slope(&self) -> f32 {
        let slopes = (64..1024).map(|k| self.dw(self.support * k as f32 / 1024.0).abs());
        slopes.fold(0.0, f32::max)
    }

    /// The Laplacian [1/m5] at the distance `r` [m]; 0 for `r >= support`.
    ///
    /// ```text
    /// viscosity   45 / (pi h^6) (h - r)                                     [MCG03] eq. 22
    /// others      W'' + 2 W' / r:
    ///   cubic     72 q - 36, else 12 (1 - q) (2 q - 1) / q
    ///   wendland  60 (1 - q)^2 (2 q - 1)
    ///   poly6     (1 - q^2) (42 q^2 - 18)
    ///   spiky     6 (1 - q) (2 q - 1) / q                                   (at no less than q = 0.001)
    /// ```
    #[inline]
    pub fn laplacian(&self, r: f32) -> f32 {
        let q = r * self.inverse_support;
        if q >= 1.0 {
            return 0.0;
        }
        let p = 1.0 - q;
        let f = match self.kind {
            KernelKind::Viscosity => 6.0 * p,
            KernelKind::Cubic if q < 0.5 => 72.0 * q - 36.0,
            KernelKind::Cubic => 12.0 * p * (2.0 * q - 1.0) / q,
            KernelKind::Wendland => 60.0 * p * p * (2.0 * q - 1.0),
            KernelKind::Poly6 => (1.0 - q * q) * (42.0 * q * q - 18.0),
            KernelKind::Spiky => {
                let q = q.max(Q_FLOOR);
                6.0 * (1.0 - q) * (2.0 * q - 1.0) / q
            }
        };
        self.sigma_second * f
    }
}

/// `f'(q)/q` of the viscosity kernel, factored so that it reaches zero at q = 1 without cancellation:
/// `-3q/2 + 2 - 1/(2q^3) = -(1 - q)^2 (3q^2 + 2q + 1) / (2q^3)`.
#[inline]
fn viscosity_slope_over_q(q: f32) -> f32 {
    let p = 1.0 - q;
    -(p * p) * ((3.0 * q + 2.0) * q + 1.0) / (2.0 * q * q * q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;
    use glam::Vec3;

    #[test]
    fn every_kernel_is_normalised_radially() {
        for kind in KernelKind::ALL {
            for support in [0.04_f32, 1.0, 7.0] {
                let kernel = Kernel::new(kind, support);
                let n = 4000;
                let step = f64::from(support) / f64::from(n);
                let integral: f64 = (0..n)
                    .map(|k| {
                        let r = (f64::from(k) + 0.5) * step;
                        4.0 * std::f64::consts::PI * r * r * f64::from(kernel.w(r as f32)) * step
                    })
                    .sum();
                assert!((integral - 1.0).abs() < 1e-4, "{kind:?} h={support}: {integral}");
            }
        }
    }

    #[test]
    fn every_kernel_is_normalised_on_a_fine_grid() {
        for kind in KernelKind::ALL {
            let kernel = Kernel::new(kind, 1.0);
            let n = 50;
            let d = 1.0 / n as f32;
            let mut integral = 0.0_f64;
            for i in -n..n {
                for j in -n..n {
                    for k in -n..n {
                        let x = Vec3::new(i as f32 + 0.5, j as f32 + 0.5, k as f32 + 0.5) * d;
                        integral += f64::from(kernel.w(x.length())) * f64::from(d).powi(3);
                    }
                }
            }
            assert!((integral - 1.0).abs() < 1e-3, "{kind:?}: {integral}");
        }
    }

    #[test]
    fn derivative_is_the_finite_difference() {
        for kind in KernelKind::ALL {
            let kernel = Kernel::new(kind, 0.04);
            for k in 2..99 {
                let r = 0.04 * k as f32 / 100.0;
                let e = 0.04 * 2e-3;
                let numeric = (kernel.w(r + e) - kernel.w(r - e)) / (2.0 * e);
                let exact = kernel.dw(r);
                let scale = exact.abs() + kernel.sigma_derivative * 0.05;
                assert!((numeric - exact).abs() < 2e-2 * scale, "{kind:?} r={r}: {numeric} {exact}");
                assert!(exact <= 0.0);
                let factor = kernel.gradient_factor(r * r);
                assert!((factor * r - exact).abs() < 1e-4 * scale, "{kind:?} r={r}: {factor} {exact}");
            }
        }
    }

    #[test]
    fn gradient_is_the_finite_difference_in_space() {
        for kind in KernelKind::ALL {
            let kernel = Kernel::new(kind, 0.5);
            let x = Vec3::new(0.11, -0.2, 0.07);
            let gradient = kernel.gradient_factor(x.length_squared()) * x;
            let e = 1e-3;
            let numeric = Vec3::from_array(Vec3::AXES.map(|axis| {
                (kernel.w((x + e * axis).length()) - kernel.w((x - e * axis).length())) / (2.0 * e)
            }));
            assert!(
                (numeric - gradient).length() < 1e-2 * gradient.length(),
                "{kind:?} {numeric} {gradient}"
            );
            assert!(gradient.dot(x) < 0.0);
        }
    }

    #[test]
    fn gradients_cancel_on_a_lattice() {
        for kind in KernelKind::ALL {
            let kernel = Kernel::new(kind, 0.05);
            let d = 0.02;
            let (mut sum, mut largest) = (Vec3::ZERO, 0.0_f32);
            for i in -3..=3 {
                for j in -3..=3 {
                    for k in -3..=3 {
                        let x = Vec3::new(i as f32, j as f32, k as f32) * d;
                        let gradient = kernel.gradient_factor(x.length_squared()) * x;
                        sum += gradient;
                        largest = largest.max(gradient.length());
                    }
                }
            }
            assert!(sum.length() < 1e-5 * largest, "{kind:?}: {sum} of {largest}");
        }
    }

    #[test]
    fn kernel_falls_from_its_centre_to_zero_at_the_support() {
        for kind in KernelKind::ALL {
            let kernel = Kernel::new(kind, 0.3);
            let mut last = kernel.w(0.0);
            assert!(last.is_finite() && last > 0.0);
            for k in 1..=100 {
                let w = kernel.w(0.3 * k as f32 / 100.0);
                assert!(w <= last && w >= 0.0, "{kind:?}");
                last = w;
            }
            for r in [0.3, 0.3001, 1.0] {
                assert_eq!(kernel.w(r), 0.0);
                assert_eq!(kernel.dw(r), 0.0);
                assert_eq!(kernel.gradient_factor(r * r * 1.000_001), 0.0);
                assert_eq!(kernel.laplacian(r), 0.0);
            }
        }
    }

    #[test]
    fn nothing_diverges_at_the_centre() {
        for kind in KernelKind::ALL {
            let kernel = Kernel::new(kind, 0.04);
            assert_eq!(kernel.gradient_factor(0.0), 0.0);
            for r in [0.0, 1e-30, 1e-20, 1e-10, 1e-6_f32] {
                assert!(
                    kernel.w(r).is_finite() && kernel.dw(r).is_finite() && kernel.laplacian(r).is_finite()
                );
                assert!((kernel.gradient_factor(r * r) * r).is_finite());
                assert!(kernel.gradient_factor(r * r).is_finite());
            }
        }
    }

    #[test]
    fn laplacian_is_the_finite_difference() {
        for kind in KernelKind::ALL {
            let kernel = Kernel::new(kind, 0.04);
            for k in 10..97 {
                // dw is checked above; differencing it once keeps f32 rounding small.
                let r = 0.04 * k as f32 / 100.0;
                let e = 0.04 * 2e-3;
                let second = (kernel.dw(r + e) - kernel.dw(r - e)) / (2.0 * e);
                let numeric = second + 2.0 * kernel.dw(r) / r;
                let exact = kernel.laplacian(r);
                let scale = second.abs() + 2.0 * kernel.dw(r).abs() / r;
                assert!((numeric - exact).abs() < 1e-2 * scale, "{kind:?} r={r}: {numeric} {exact}");
            }
        }
    }

    #[test]
    fn viscosity_laplacian_is_mueller_s() {
        let h = 0.3_f32;
        let kernel = Kernel::new(KernelKind::Viscosity, h);
        for r in [0.0, 0.1, 0.2, 0.29] {
            let expected = 45.0 / (PI * h.powi(6)) * (h - r);
            assert!((kernel.laplacian(r) - expected).abs() < 1e-5 * expected);
        }
    }

    #[test]
    fn pairs_give_value_and_gradient_factor_at_once() {
        for kind in [
            KernelKind::Cubic,
            KernelKind::Wendland,
            KernelKind::Poly6,
            KernelKind::Spiky,
            KernelKind::Viscosity,
        ] {
            let kernel = Kernel::new(kind, 0.04);
            for k in 0..400 {
                let r = 0.04 * k as f32 / 400.0;
                let (w, factor) = kernel.pairs(Portable::splat(r * r));
                let (w, factor) = (w.to_array()[3], factor.to_array()[3]);
                assert!((w - kernel.w(r)).abs() <= 1e-4 * kernel.w(0.01).abs(), "{kind:?} at {r}");
                let expected = kernel.gradient_factor(r * r);
                assert!((factor - expected).abs() <= 1e-3 * expected.abs() + 1.0, "{kind:?} at {r}");
            }
        }
    }
}
