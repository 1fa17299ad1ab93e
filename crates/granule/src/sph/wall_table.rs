//! What a flat wall adds to the density of a particle near it.

use std::f64::consts::PI;

use super::Kernel;

/// Cells of the table over signed distances from -h to h.
const CELL_COUNT: usize = 1024;
/// Intervals of Simpson's rule for each entry; even.
const INTERVAL_COUNT: usize = 256;

/// The part of a kernel that lies beyond a plane, tabulated over the signed distance to the plane.
///
/// ```text
/// lambda(phi) = int_{beyond the plane} W(x - x') dx' = int_phi^h M(z) dz,    M(z) = 2 pi int_|z|^h W(r) r dr
/// lambda'(phi) = -M(phi)
/// ```
///
/// `phi` \[m\] is the distance of the particle from the wall, positive outside the solid; `h` \[m\] the kernel's
/// support; `M` [1/m] the kernel's marginal along the normal. `lambda(h) = 0`, `lambda(0) = 1/2`, `lambda(-h) = 1`.
/// A wall then stands for the density `fill * lambda`, in units of the rest density (density maps as in \[KB17\]).
///
/// `fill` is chosen so that a cubic lattice against the wall, whose first layer lies half a spacing from it, has the
/// density of the unbounded lattice there: `fill = deficit / lambda(spacing / 2)`. For the cubic spline with
/// `h = 2 spacing` it is 0.80, the factor that SPlisHSPlasH uses, here derived instead of assumed.
#[derive(Clone, Debug)]
pub struct WallTable {
    support: f32,
    cells_per_length: f32,
    fill: f32,
    /// Value and derivative of lambda at the nodes.
    node: Vec<[f32; 2]>,
}

impl WallTable {
    /// Tabulates a kernel for particles that lie `spacing` [m] apart.
    pub fn new(kernel: &Kernel, spacing: f32) -> Self {
        let support = f64::from(kernel.support());
        // The numerical integral over the whole kernel, so that lambda runs from exactly 1 to exactly 0.
        let whole = 2.0 * half_space(kernel, 0.0);
        let node = (0..=CELL_COUNT)
            .map(|k| {
                let phi = support * (2.0 * k as f64 / CELL_COUNT as f64 - 1.0);
                let outer = half_space(kernel, phi.abs()) / whole;
                let lambda = if phi < 0.0 { 1.0 - outer } else { outer };
                [lambda as f32, (-marginal(kernel, phi) / whole) as f32]
            })
            .collect();
        let mut table = Self {
            support: kernel.support(),
            cells_per_length: CELL_COUNT as f32 / (2.0 * kernel.support()),
            fill: 0.0,
            node,
        };
        let lambda = table.lambda(0.5 * spacing);
        if lambda > 0.0 {
            table.fill = (lattice_deficit(kernel, spacing) / f64::from(lambda)) as f32;
        }
        table
    }

    /// Radius of the kernel's support [m]: walls farther than this add nothing.
    #[inline]
    pub fn support(&self) -> f32 {
        self.support
    }

    /// The factor from `lambda` to density in units of the rest density.
    #[inline]
    pub fn fill(&self) -> f32 {
        self.fill
    }

    /// Part of the kernel beyond a plane at the signed distance `phi` [m]: 0 from the support on, 1 from minus it.
    #[inline]
    pub fn lambda(&self, phi: f32) -> f32 {
        if phi >= self.support {
            0.0
        } else if phi <= -self.support {
            1.0
        } else {
            self.interpolate(phi)[0]
        }
    }

    /// Derivative of [`lambda`](Self::lambda) by `phi` [1/m]: never positive, 0 at and beyond the support.
    #[inline]
    pub fn lambda_derivative(&self, phi: f32) -> f32 {
        if phi.abs() < self.support { self.interpolate(phi)[1] } else { 0.0 }
    }

    /// Both [`lambda`](Self::lambda) and [`lambda_derivative`](Self::lambda_derivative), for one look-up.
    #[inline]
    pub fn lambda_and_derivative(&self, phi: f32) -> (f32, f32) {
        if phi >= self.support {
            (0.0, 0.0)
        } else if phi <= -self.support {
            (1.0, 0.0)
        } else {
            self.interpolate(phi).into()
        }
    }

    /// Density of a wall at the signed distance `phi` [m], in units of the rest density: `fill * lambda`.
    #[inline]
    pub fn density(&self, phi: f32) -> f32 {
        self.fill * self.lambda(phi)
    }

    /// Linear interpolation; a phi that is not a number gives not a number.
    #[inline]
    fn interpolate(&self, phi: f32) -> [f32; 2] {
        let place = (phi + self.support) * self.cells_per_length;
        let cell = (place as usize).min(CELL_COUNT - 1);
        let t = place - cell as f32;
        let ([a, da], [b, db]) = (self.node[cell], self.node[cell + 1]);
        [a + t * (b - a), da + t * (db - da)]
    }
}

/// Density of the unbounded cubic lattice in units of the rest density: the sum of `spacing^3 W` over the lattice,
/// the particle itself included. 1.0000 for the cubic spline with a support of two spacings.
pub fn lattice_density(kernel: &Kernel, spacing: f32) -> f32 {
    layer_sums(kernel, spacing).1 as f32
}

/// Part of the lattice's density that a particle in the first layer on a wall lacks.
fn lattice_deficit(kernel: &Kernel, spacing: f32) -> f64 {
    let (near_half, full) = layer_sums(kernel, spacing);
    1.0 - near_half / full
}

/// Lattice sums of `spacing^3 W`: over the particle's own layer and those on one side of it, and over all.
fn layer_sums(kernel: &Kernel, spacing: f32) -> (f64, f64) {
    let spacing = f64::from(spacing);
    let reach = (f64::from(kernel.support()) / spacing).ceil() as i32;
    let layer = |k: i32| -> f64 {
        let mut sum = 0.0;
        for i in -reach..=reach {
            for j in -reach..=reach {
                let r = spacing * f64::from(i * i + j * j + k * k).sqrt();
                sum += f64::from(kernel.w(r as f32));
            }
        }
        sum * spacing.powi(3)
    };
    let own = layer(0);
    let one_side: f64 = (1..=reach).map(layer).sum();
    (own + one_side, own + 2.0 * one_side)
}

/// `2 pi int_|z|^h W r dr`.
fn marginal(kernel: &Kernel, z: f64) -> f64 {
    simpson(z.abs(), f64::from(kernel.support()), |r| 2.0 * PI * r * f64::from(kernel.w(r as f32)))
}

/// `int_phi^h M(z) dz = 2 pi int_phi^h W r (r - phi) dr` for `phi >= 0`, the order of integration swapped.
fn half_space(kernel: &Kernel, phi: f64) -> f64 {
    simpson(phi, f64::from(kernel.support()), |r| 2.0 * PI * r * (r - phi) * f64::from(kernel.w(r as f32)))
}

/// Simpson's rule.
fn simpson(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let step = (to - from) / INTERVAL_COUNT as f64;
    let inner: f64 =
        (1..INTERVAL_COUNT).map(|k| if k % 2 == 1 { 4.0 } else { 2.0 } * f(from + k as f64 * step)).sum();
    (f(from) + inner + f(to)) * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sph::KernelKind;

    #[test]
    fn table_runs_from_one_through_a_half_to_zero() {
        for kind in KernelKind::ALL {
            let table = WallTable::new(&Kernel::new(kind, 0.04), 0.02);
            assert_eq!(table.lambda(-0.04), 1.0);
            assert_eq!(table.lambda(-1.0), 1.0);
            assert_eq!(table.lambda(0.04), 0.0);
            assert_eq!(table.lambda(1.0), 0.0);
            assert_eq!(table.lambda_derivative(0.041), 0.0);
            assert_eq!(table.lambda_derivative(-0.041), 0.0);
            assert!((table.lambda(0.0) - 0.5).abs() < 1e-6, "{kind:?}");
            let mut last = 1.0;
            for k in -100..=100 {
                let phi = 0.04 * k as f32 / 100.0;
                let lambda = table.lambda(phi);
                assert!(lambda <= last, "{kind:?}");
                last = lambda;
                assert!((lambda + table.lambda(-phi) - 1.0).abs() < 1e-5, "{kind:?}");
                assert_eq!(table.lambda_and_derivative(phi), (lambda, table.lambda_derivative(phi)));
            }
        }
    }

    #[test]
    fn wendland_marginal_is_the_analytic_one() {
        // M(0) = 2 pi sigma int_0^h f r dr, and int_0^1 (1 - q)^4 (4 q + 1) q dq = 1/14, hence M(0) = 3/(2 h).
        let h = 0.1;
        let table = WallTable::new(&Kernel::new(KernelKind::Wendland, h), 0.05);
        assert!((table.lambda_derivative(0.0) + 1.5 / h).abs() < 1e-3 / h);
    }

    #[test]
    fn lambda_is_the_brute_force_integral() {
        for kind in KernelKind::ALL {
            let kernel = Kernel::new(kind, 1.0);
            let table = WallTable::new(&kernel, 0.5);
            let n = 40;
            let d = 1.0 / n as f32;
            for layers in [-30_i32, -10, 4, 12, 25] {
                let mut sum = 0.0_f64;
                for i in layers..n {
                    for j in -n..n {
                        for k in -n..n {
                            let x = glam::Vec3::new(i as f32 + 0.5, j as f32 + 0.5, k as f32 + 0.5) * d;
                            sum += f64::from(kernel.w(x.length()) * d * d * d);
                        }
                    }
                }
                let lambda = f64::from(table.lambda(layers as f32 * d));
                assert!((sum - lambda).abs() < 2e-3, "{kind:?} {layers}: {sum} {lambda}");
            }
        }
    }

    #[test]
    fn derivative_is_the_finite_difference() {
        for kind in KernelKind::ALL {
            let table = WallTable::new(&Kernel::new(kind, 0.04), 0.02);
            // The marginals of the spiky and viscosity kernels have a kink at 0, where a difference is blunt.
            for k in (-95..=95).filter(|k: &i32| k.abs() > 1) {
                let phi = 0.04 * k as f32 / 100.0;
                let e = 4e-4;
                let numeric = (table.lambda(phi + e) - table.lambda(phi - e)) / (2.0 * e);
                let exact = table.lambda_derivative(phi);
                assert!(
                    (numeric - exact).abs() < 1e-2 * exact.abs() + 0.1,
                    "{kind:?} {phi}: {numeric} {exact}"
                );
            }
        }
    }

    #[test]
    fn fill_closes_the_deficit_of_a_lattice_at_a_wall() {
        let d = 0.02;
        let kernel = Kernel::new(KernelKind::Cubic, 2.0 * d);
        assert!((lattice_density(&kernel, d) - 1.0).abs() < 1e-3, "{}", lattice_density(&kernel, d));
        let table = WallTable::new(&kernel, d);
        assert!((table.fill() - 0.80).abs() < 0.01, "{}", table.fill());
        assert!((table.density(0.5 * d) - 0.150).abs() < 0.002, "{}", table.density(0.5 * d));
        // All but the viscosity kernel, whose clamped pole at the particle itself dwarfs its lattice sum.
        for kind in KernelKind::ALL.into_iter().filter(|kind| *kind != KernelKind::Viscosity) {
            let fill = WallTable::new(&Kernel::new(kind, 2.0 * d), d).fill();
            assert!(fill > 0.3 && fill < 1.5, "{kind:?} {fill}");
        }
    }

    #[test]
    fn spacing_beyond_the_support_fills_nothing() {
        let table = WallTable::new(&Kernel::new(KernelKind::Cubic, 0.01), 0.03);
        assert_eq!(table.fill(), 0.0);
        assert_eq!(table.density(0.001), 0.0);
    }
}
