//! Materials as the solvers use them.

use std::f32::consts::SQRT_2;

use crate::particles::bulk_mass;
use crate::scene::{MaterialSettings, SolverCapabilities, YieldLaw};
use crate::simd::Real;

/// Inertial number at which half of the fast friction is reached, I_0.
const INERTIAL_SCALE: f32 = 0.279;

/// A material with its derived constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the scene.
    pub name: String,
    /// Bulk rest density [kg/m3].
    pub density: f32,
    /// Angle of internal friction \[degrees\].
    pub friction_angle: f32,
    /// Tangent of the friction angle: Coulomb friction at walls that have none of their own.
    pub wall_friction: f32,
    /// Slope of the yield cone: largest Frobenius norm of the frictional stress per pressure.
    pub yield_slope: f32,
    /// What fast flow adds to the yield slope; 0 where friction does not depend on the rate.
    pub fast_yield_slope: f32,
    /// Diameter of the real grains for the inertial number \[m\].
    pub grain_diameter: f32,
    /// Frobenius norm of the frictional stress that cohesion bears without pressure \[Pa\].
    pub yield_cohesion: f32,
    /// Kinematic viscosity [m2/s].
    pub viscosity: f32,
    /// Mass of a particle \[kg\].
    pub mass: f32,
}

impl Material {
    /// Derives the constants.
    ///
    /// ```text
    /// |s|_F <= sqrt(2) (c + p tan(theta))          yield = "tan": in simple shear sqrt(J2) = tau
    /// |s|_F <= sqrt(2) (c + p sin(theta))          yield = "neder", [Ned24] (14), (15)
    /// m = rho_0 d^3
    /// tan(theta) grows to tan(theta_2) with the inertial number, see [`yield_limit`](Self::yield_limit)
    /// ```
    pub fn new(settings: &MaterialSettings, yield_law: YieldLaw) -> Self {
        let theta = settings.friction_angle.to_radians();
        let slope = |angle: f32| match yield_law {
            YieldLaw::Tan => angle.tan(),
            YieldLaw::Neder => angle.sin(),
        };
        let fast = settings.fast_friction_angle.map_or(theta, f32::to_radians);
        let spacing = 2.0 * settings.radius;
        Self {
            name: settings.name.clone(),
            density: settings.density,
            friction_angle: settings.friction_angle,
            wall_friction: theta.tan(),
            yield_slope: SQRT_2 * slope(theta),
            fast_yield_slope: SQRT_2 * (slope(fast) - slope(theta)),
            grain_diameter: settings.grain_diameter.unwrap_or(spacing),
            yield_cohesion: SQRT_2 * settings.cohesion,
            viscosity: settings.viscosity,
            mass: bulk_mass(settings.density, settings.radius),
        }
    }

    /// Largest Frobenius norm of the frictional stress [Pa] at a pressure p [Pa] and a strain rate |E|_F [1/s].
    ///
    /// ```text
    /// mu(I) = mu_s + (mu_2 - mu_s) / (I_0/I + 1),   I = sqrt(2) |E|_F D / sqrt(p/rho_0),   I_0 = 0.279
    /// ```
    /// [JFP06] with the constants of glass beads; D is the real grains' diameter. Without a fast friction angle the
    /// limit does not depend on the rate.
    pub fn yield_limit(&self, pressure: f32, strain_rate: f32) -> f32 {
        let limit = YieldLimit {
            density: self.density,
            slope: self.yield_slope,
            fast_slope: self.fast_yield_slope,
            grain_diameter: self.grain_diameter,
            cohesion: self.yield_cohesion,
        };
        limit.at(pressure, strain_rate, self.fast_yield_slope > 0.0)
    }

    /// Whether the material is a plain fluid: no friction and no cohesion.
    pub fn is_fluid(&self) -> bool {
        self.yield_slope == 0.0 && self.yield_cohesion == 0.0
    }
}

/// Mass of a grain \[kg\], m = rho 4/3 pi r^3: its sphere's.
pub fn grain_mass(density: f32, radius: f32) -> f32 {
    density * (4.0 / 3.0 * std::f32::consts::PI) * radius.powi(3)
}

/// Mass of a particle \[kg\] of a density [kg/m3] and a radius \[m\] as a solver understands it.
pub fn particle_mass(can: SolverCapabilities, density: f32, radius: f32) -> f32 {
    if can.has_grains { grain_mass(density, radius) } else { bulk_mass(density, radius) }
}

/// What the yield limit of [`Material::yield_limit`] depends on, of one particle or of many side by side.
#[derive(Clone, Copy, Debug)]
pub struct YieldLimit<F> {
    /// Bulk rest density [kg/m3].
    pub density: F,
    /// Slope of the yield cone.
    pub slope: F,
    /// What fast flow adds to the slope.
    pub fast_slope: F,
    /// Diameter of the real grains \[m\].
    pub grain_diameter: F,
    /// Limit without pressure \[Pa\].
    pub cohesion: F,
}

impl<F: Real> YieldLimit<F> {
    /// The limit; `fast` tells whether some slope depends on the rate.
    #[inline(always)]
    pub fn at(&self, pressure: F, strain_rate: F, fast: bool) -> F {
        let mut slope = self.slope;
        if fast {
            let zero = F::splat(0.0);
            let inverse_speed = (self.density / pressure).root();
            let inertial = F::splat(SQRT_2) * strain_rate * self.grain_diameter * inverse_speed;
            let more = self.fast_slope * inertial / (inertial + F::splat(INERTIAL_SCALE));
            slope = slope + zero.if_below(pressure, more, zero);
        }
        slope * pressure + self.cohesion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere of quartz of 1 mm, and the cube of bulk sand that a particle of the same radius stands for.
    #[test]
    fn grains_weigh_as_spheres_and_particles_of_bulk_matter_as_cubes() {
        let grains = SolverCapabilities {
            one_radius: false,
            has_grains: true,
            has_clumps: false,
            has_particle_bodies: false,
        };
        let bulk = SolverCapabilities {
            one_radius: true,
            has_grains: false,
            has_clumps: false,
            has_particle_bodies: false,
        };
        assert!((particle_mass(grains, 2650.0, 5e-4) / 1.387_537e-6 - 1.0).abs() < 1e-5);
        assert!((particle_mass(bulk, 1600.0, 5e-4) / 1.6e-6 - 1.0).abs() < 1e-5);
    }

    fn sand(fast: Option<f32>) -> Material {
        let settings = MaterialSettings { fast_friction_angle: fast, ..MaterialSettings::default() };
        Material::new(&settings, YieldLaw::Tan)
    }

    #[test]
    fn the_limit_in_simple_shear_is_the_tangent_of_the_angle() {
        let limit = sand(None).yield_limit(100.0, 50.0);
        assert!((limit / SQRT_2 - 100.0 * 30f32.to_radians().tan()).abs() < 1e-3);
    }

    #[test]
    fn friction_grows_from_the_static_to_the_fast_angle_with_the_inertial_number() {
        let sand = sand(Some(40.0));
        let mu = |rate: f32| sand.yield_limit(1000.0, rate) / (SQRT_2 * 1000.0);
        assert!((mu(0.0) - 30f32.to_radians().tan()).abs() < 1e-5);
        assert!((mu(1e9) - 40f32.to_radians().tan()).abs() < 1e-4);
        // I = I_0 at half of the difference.
        let rate = 0.279 * (1000.0f32 / 1600.0).sqrt() / (SQRT_2 * 0.02);
        let half = 0.5 * (30f32.to_radians().tan() + 40f32.to_radians().tan());
        assert!((mu(rate) - half).abs() < 1e-4);
    }
}
