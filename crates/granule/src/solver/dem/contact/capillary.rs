//! Liquid bridges between wet grains.

use std::f64::consts::PI;

use super::scalar::Scalar;

/// A bridge of liquid that forms where two surfaces touch.
#[derive(Clone, Copy, Debug)]
pub struct Capillary<F> {
    /// Volume of liquid V \[m3\].
    pub volume: F,
    /// Surface tension times the cosine of the contact angle, sigma cos theta [N/m].
    pub tension: F,
    /// How far the surfaces may part before the bridge breaks, s_max \[m\].
    pub rupture_distance: F,
}

impl Capillary<f64> {
    /// A bridge of a liquid with a surface tension [N/m] and a contact angle \[rad\].
    pub fn new(volume: f64, surface_tension: f64, contact_angle_radians: f64) -> Self {
        Self {
            volume,
            tension: surface_tension * contact_angle_radians.cos(),
            rupture_distance: rupture_distance(volume, contact_angle_radians),
        }
    }

    /// The same law in another precision.
    pub fn cast<F: Scalar>(&self) -> Capillary<F> {
        Capillary {
            volume: F::of(self.volume),
            tension: F::of(self.tension),
            rupture_distance: F::of(self.rupture_distance),
        }
    }
}

/// Gap at which a liquid bridge breaks \[m\], Lian, Thornton, Adams 1993.
///
/// ```text
/// s_max = (1 + theta/2) V^(1/3)
/// ```
pub fn rupture_distance(volume: f64, contact_angle_radians: f64) -> f64 {
    (1.0 + 0.5 * contact_angle_radians) * volume.cbrt()
}

/// Force by which a liquid bridge pulls two surfaces together \[N\], Willett, Adams, Johnson, Seville 2000.
///
/// ```text
/// F = 2 pi R sigma cos theta/(1 + 1.05 q + 2.5 q^2),   q = s sqrt(R/V),   R = 2 R_eff
/// ```
/// `gap` is s \[m\]; surfaces that overlap pull as those that just touch. R is the Derjaguin radius: that of two equal
/// spheres, twice that of a sphere on a plane. The bridge's weight and the dependence on filling beyond this are left out.
#[inline(always)]
pub fn bridge_force<F: Scalar>(law: &Capillary<F>, effective_radius: F, gap: F) -> F {
    let radius = effective_radius + effective_radius;
    let s = gap.at_least(F::splat(0.0)) * (radius / law.volume).root();
    F::of(2.0 * PI) * radius * law.tension / (F::splat(1.0) + F::of(1.05) * s + F::splat(2.5) * s * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIUS: f64 = 1e-3;
    const WATER: f64 = 0.072;

    /// Fisher 1926: touching spheres of radius R pull with 2 pi R sigma cos theta, whatever the volume is.
    #[test]
    fn touching_spheres_pull_with_fishers_force() {
        for volume in [1e-13, 1e-12] {
            let law = Capillary::new(volume, WATER, 0.3);
            let expected = 2.0 * PI * RADIUS * WATER * 0.3f64.cos();
            assert!((bridge_force(&law, RADIUS / 2.0, 0.0) / expected - 1.0).abs() < 1e-14);
            assert_eq!(bridge_force(&law, RADIUS / 2.0, -1e-5), bridge_force(&law, RADIUS / 2.0, 0.0));
            let plane = bridge_force(&law, RADIUS, 0.0);
            assert!((plane / expected - 2.0).abs() < 1e-14, "a plane pulls twice as much");
        }
    }

    /// The fit is of solutions of the Laplace-Young equation; for a small bridge the Derjaguin approximation with its
    /// constant volume gives F = 2 pi R sigma cos theta (1 - 1/sqrt(1 + 2 V/(pi R s^2))).
    #[test]
    fn separated_spheres_pull_as_derjaguin_says() {
        let law = Capillary::new(1e-5 * RADIUS.powi(3), WATER, 0.0);
        for share in [0.1, 0.2, 0.4, 0.6] {
            let gap = share * law.rupture_distance;
            let shape = 1.0 - 1.0 / (1.0 + 2.0 * law.volume / (PI * RADIUS * gap * gap)).sqrt();
            let expected = 2.0 * PI * RADIUS * WATER * shape;
            let ratio = bridge_force(&law, RADIUS / 2.0, gap) / expected;
            assert!((ratio - 1.0).abs() < 0.15, "{share}: {ratio}");
        }
    }

    #[test]
    fn a_bridge_breaks_at_the_cube_root_of_its_volume() {
        assert!((rupture_distance(1e-12, 0.0) - 1e-4).abs() < 1e-18);
        assert!((rupture_distance(1e-12, 0.5) - 1.25e-4).abs() < 1e-18);
    }
}
