//! Kernels of many pairs side by side, also of pairs beyond the support.

use super::{Kernel, KernelKind, Q_FLOOR};
use crate::simd::Real;

impl Kernel {
    /// The value `W(r)` [1/m3] from the distance `r` [m]; 0 beyond the support. As [`w`](Self::w) gives it.
    #[inline(always)]
    pub fn values<F: Real>(&self, r: F) -> F {
        let number = F::splat;
        let zero = number(0.0);
        let q = r * number(self.inverse_support);
        let p = (number(1.0) - q).at_least(zero);
        let f = match self.kind {
            KernelKind::Cubic => {
                let c = (number(0.5) - q).at_least(zero);
                number(2.0) * p * p * p - number(8.0) * c * c * c
            }
            KernelKind::Wendland => (p * p) * (p * p) * (number(4.0) * q + number(1.0)),
            KernelKind::Poly6 => {
                let s = p * (number(1.0) + q);
                s * s * s
            }
            KernelKind::Spiky => p * p * p,
            KernelKind::Viscosity => {
                let q = q.at_least(number(Q_FLOOR));
                let p = (number(1.0) - q).at_least(zero);
                p * p * p * (number(1.0) + q) / (number(2.0) * q)
            }
        };
        number(self.sigma) * f
    }

    /// `(dW/dr) / r` [1/m5] from the distance `r` [m]: the gradient at `x_i` is this times `x_i - x_j`. 0 beyond the
    /// support and at `r = 0`. As [`gradient_factor`](Self::gradient_factor) gives it.
    #[inline(always)]
    pub fn slopes<F: Real>(&self, r: F) -> F {
        let number = F::splat;
        let zero = number(0.0);
        let q = r * number(self.inverse_support);
        let p = (number(1.0) - q).at_least(zero);
        let f = match self.kind {
            KernelKind::Cubic => {
                let c = (number(0.5) - q).at_least(zero);
                (number(24.0) * c * c - number(6.0) * p * p) / q
            }
            KernelKind::Wendland => number(-20.0) * p * p * p,
            KernelKind::Poly6 => {
                let s = p * (number(1.0) + q);
                number(-6.0) * s * s
            }
            KernelKind::Spiky => number(-3.0) * p * p / q,
            KernelKind::Viscosity => {
                let q = q.at_least(number(Q_FLOOR));
                let p = (number(1.0) - q).at_least(zero);
                let cubed = q * q * q;
                -(p * p) * ((number(3.0) * q + number(2.0)) * q + number(1.0)) / (number(2.0) * cubed)
            }
        };
        number(self.sigma_second) * zero.if_below(q, f, zero)
    }

    /// The Laplacian [1/m5] of the viscosity kernel from the distance `r` [m], `45 / (pi h^6) (h - r)`; 0 beyond the
    /// support.
    #[inline(always)]
    pub fn viscosity_laplacians<F: Real>(&self, r: F) -> F {
        debug_assert_eq!(self.kind, KernelKind::Viscosity);
        let number = F::splat;
        let p = (number(1.0) - r * number(self.inverse_support)).at_least(number(0.0));
        number(6.0 * self.sigma_second) * p
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_pairs_have_the_kernel_of_one() {
        let kinds = [
            KernelKind::Cubic,
            KernelKind::Wendland,
            KernelKind::Poly6,
            KernelKind::Spiky,
            KernelKind::Viscosity,
        ];
        for kind in kinds {
            let kernel = Kernel::new(kind, 0.04);
            for k in 0..120 {
                let r = 0.04 * k as f32 / 100.0;
                let near = |a: f32, b: f32, scale: f32| (a - b).abs() <= 2e-6 * (a.abs() + scale);
                assert!(near(kernel.values(r), kernel.w(r), kernel.sigma()), "{kind:?} {k}");
                let (slope, expected) = (kernel.slopes(r), kernel.gradient_factor(r * r));
                assert!(near(slope, expected, kernel.sigma_second), "{kind:?} {k}: {slope} {expected}");
            }
        }
        let kernel = Kernel::new(KernelKind::Viscosity, 0.04);
        for k in 1..120 {
            let r = 0.04 * k as f32 / 100.0;
            let (laplacian, expected) = (kernel.viscosity_laplacians(r), kernel.laplacian(r));
            assert!((laplacian - expected).abs() <= 1e-5 * (expected.abs() + kernel.sigma_second), "{k}");
        }
    }
}
