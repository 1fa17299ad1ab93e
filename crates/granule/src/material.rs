//! Materials as the solvers use them.

use crate::scene::{MaterialSettings, YieldLaw};

/// A material with its derived constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the scene.
    pub name: String,
    /// Bulk rest density [kg/m3].
    pub density: f32,
    /// Angle of internal friction [degrees].
    pub friction_angle: f32,
    /// Tangent of the friction angle: Coulomb friction at walls that have none of their own.
    pub wall_friction: f32,
    /// Slope of the yield cone: largest Frobenius norm of the frictional stress per pressure.
    pub yield_slope: f32,
    /// Frobenius norm of the frictional stress that cohesion bears without pressure [Pa].
    pub yield_cohesion: f32,
    /// Kinematic viscosity [m2/s].
    pub viscosity: f32,
    /// Mass of a particle [kg].
    pub mass: f32,
}

impl Material {
    /// Derives the constants.
    ///
    /// ```text
    /// |s|_F <= sqrt(2) (c + p tan(theta))          yield = "tan": in simple shear sqrt(J2) = tau
    /// |s|_F <= sqrt(2) (c + p sin(theta))          yield = "neder", [Ned24] (14), (15)
    /// m = rho_0 d^3
    /// ```
    pub fn new(settings: &MaterialSettings, yield_law: YieldLaw) -> Self {
        let theta = settings.friction_angle.to_radians();
        let slope = match yield_law {
            YieldLaw::Tan => theta.tan(),
            YieldLaw::Neder => theta.sin(),
        };
        let spacing = 2.0 * settings.radius;
        Self {
            name: settings.name.clone(),
            density: settings.density,
            friction_angle: settings.friction_angle,
            wall_friction: theta.tan(),
            yield_slope: std::f32::consts::SQRT_2 * slope,
            yield_cohesion: std::f32::consts::SQRT_2 * settings.cohesion,
            viscosity: settings.viscosity,
            mass: settings.density * spacing.powi(3),
        }
    }

    /// Whether the material is a plain fluid: no friction and no cohesion.
    pub fn is_fluid(&self) -> bool {
        self.yield_slope == 0.0 && self.yield_cohesion == 0.0
    }
}
