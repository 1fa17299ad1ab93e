//! Air around the grains: wind fields and drag.

use glam::Vec3;

use crate::scene::{AirSettings, DragLaw, WindField};

/// The air of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Air {
    settings: AirSettings,
    /// Uniform wind set by a command; replaces the scene's uniform fields.
    uniform: Option<Vec3>,
}

impl Air {
    /// The air a scene describes.
    pub fn new(settings: AirSettings) -> Self {
        Self { settings, uniform: None }
    }

    /// Replaces the settings; a uniform wind set by a command stays.
    pub fn set_settings(&mut self, settings: AirSettings) {
        self.settings = settings;
    }

    /// Replaces the uniform wind [m/s].
    pub fn set_uniform_wind(&mut self, velocity: Vec3) {
        self.uniform = Some(velocity);
    }

    /// The uniform wind that a command has set [m/s].
    pub fn uniform_wind(&self) -> Option<Vec3> {
        self.uniform
    }

    /// Whether upwind neighbours shield a grain.
    pub fn occlusion(&self) -> bool {
        self.settings.occlusion
    }

    /// Velocity of the air [m/s].
    pub fn wind(&self, x: Vec3, time: f64) -> Vec3 {
        let fields = self.settings.wind.iter();
        let scene: Vec3 = fields
            .filter(|field| self.uniform.is_none() || !matches!(field, WindField::Uniform { .. }))
            .map(|field| wind_of(field, x, time))
            .sum();
        scene + self.uniform.unwrap_or(Vec3::ZERO)
    }

    /// Rate of drag k [1/m]: a grain moving at u relative to the air is accelerated by k |u| u.
    ///
    /// ```text
    /// F = 1/2 rho_a |u| u C_D omega A,   C_D = 24/Re (1 + Re^(2/3)/6) for Re <= 1000, else 0.424
    /// A/m = 3/(2 rho D) for a ball of diameter D;  pi r^2 / m for the particle itself
    /// ```
    /// [Ned24] (7) as corrected in docs/equations.md; the terms for deforming drops do not apply to grains.
    pub fn drag_rate(&self, speed: f32, radius: f32, mass: f32, density: f32) -> f32 {
        let diameter = self.settings.grain_diameter.unwrap_or(2.0 * radius);
        let area_per_mass = match self.settings.grain_diameter {
            Some(grain) => 1.5 / (density * grain),
            None => std::f32::consts::PI * radius * radius / mass,
        };
        let coefficient = match self.settings.drag {
            DragLaw::Constant(value) => value,
            DragLaw::Reynolds => {
                let reynolds = self.settings.density * speed * diameter / self.settings.viscosity;
                drag_coefficient(reynolds)
            }
        };
        0.5 * self.settings.density * coefficient * area_per_mass
    }
}

/// Drag coefficient of a sphere by its Reynolds number.
pub fn drag_coefficient(reynolds: f32) -> f32 {
    if reynolds > 1000.0 {
        return 0.424;
    }
    let re = reynolds.max(1e-6);
    24.0 / re * (1.0 + re.powf(2.0 / 3.0) / 6.0)
}

fn wind_of(field: &WindField, x: Vec3, time: f64) -> Vec3 {
    match field {
        WindField::Uniform { velocity } => Vec3::from(*velocity),
        WindField::Vortex { center, axis, core_radius, speed } => {
            let axis = Vec3::from(*axis).normalize_or_zero();
            let arm = x - Vec3::from(*center);
            let arm = arm - axis * axis.dot(arm);
            let r = arm.length();
            if r == 0.0 {
                return Vec3::ZERO;
            }
            let tangential = if r < *core_radius { speed * r / core_radius } else { speed * core_radius / r };
            axis.cross(arm / r) * tangential
        }
        WindField::Gust { center, radius, velocity, time: [from, to] } => {
            if time < *from || time > *to {
                return Vec3::ZERO;
            }
            let q = x.distance(Vec3::from(*center)) / radius;
            Vec3::from(*velocity) * (1.0 - q * q).max(0.0)
        }
        WindField::Grid { origin, spacing, size, velocity } => {
            grid_wind(Vec3::from(*origin), Vec3::from(*spacing), *size, velocity, x)
        }
    }
}

fn grid_wind(origin: Vec3, spacing: Vec3, size: [u32; 3], velocity: &[[f32; 3]], x: Vec3) -> Vec3 {
    let q = (x - origin) / spacing;
    let last = Vec3::new(size[0] as f32 - 1.0, size[1] as f32 - 1.0, size[2] as f32 - 1.0);
    if q.cmplt(Vec3::ZERO).any() || q.cmpgt(last).any() {
        return Vec3::ZERO;
    }
    let base = q.floor().min((last - 1.0).max(Vec3::ZERO));
    let f = q - base;
    let mut sum = Vec3::ZERO;
    for corner in 0..8u32 {
        let offset = [corner & 1, (corner >> 1) & 1, corner >> 2];
        let node = [0, 1, 2].map(|k| (base[k] as u32 + offset[k]).min(size[k] - 1));
        let weight: f32 = (0..3).map(|k| if offset[k] == 1 { f[k] } else { 1.0 - f[k] }).product();
        let index = node[0] + size[0] * (node[1] + size[1] * node[2]);
        sum += weight * Vec3::from(velocity[index as usize]);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn air(wind: Vec<WindField>) -> Air {
        Air::new(AirSettings { wind, ..AirSettings::default() })
    }

    #[test]
    fn drag_coefficient_is_stokes_at_small_and_constant_at_large_reynolds_numbers() {
        assert!((drag_coefficient(1e-3) * 1e-3 / 24.0 - 1.0).abs() < 0.002);
        assert_eq!(drag_coefficient(1e5), 0.424);
        assert!((drag_coefficient(1000.0) - 0.424).abs() < 0.002);
    }

    #[test]
    fn wind_fields_add_up_and_a_command_replaces_the_uniform_one() {
        let mut air = air(vec![
            WindField::Uniform { velocity: [1.0, 0.0, 0.0] },
            WindField::Gust { center: [0.0; 3], radius: 1.0, velocity: [0.0, 2.0, 0.0], time: [1.0, 2.0] },
        ]);
        assert_eq!(air.wind(Vec3::ZERO, 0.0), Vec3::X);
        assert_eq!(air.wind(Vec3::ZERO, 1.5), Vec3::new(1.0, 2.0, 0.0));
        assert_eq!(air.wind(Vec3::splat(2.0), 1.5), Vec3::X);
        air.set_uniform_wind(Vec3::Z);
        assert_eq!(air.wind(Vec3::ZERO, 0.0), Vec3::Z);
    }

    #[test]
    fn a_vortex_turns_rigidly_inside_its_core_and_decays_outside() {
        let field =
            WindField::Vortex { center: [0.0; 3], axis: [0.0, 2.0, 0.0], core_radius: 2.0, speed: 4.0 };
        let air = air(vec![field]);
        assert!((air.wind(Vec3::X, 0.0) - Vec3::new(0.0, 0.0, -2.0)).length() < 1e-6);
        assert!((air.wind(4.0 * Vec3::X, 0.0).length() - 2.0).abs() < 1e-6);
        assert_eq!(air.wind(Vec3::ZERO, 0.0), Vec3::ZERO);
    }

    #[test]
    fn a_sampled_grid_reproduces_a_linear_field() {
        let size = [3, 2, 4];
        let mut velocity = Vec::new();
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    velocity.push([x as f32, 2.0 * y as f32, 3.0 * z as f32]);
                }
            }
        }
        let air = air(vec![WindField::Grid { origin: [0.0; 3], spacing: [1.0; 3], size, velocity }]);
        for x in [Vec3::new(0.3, 0.6, 2.9), Vec3::new(2.0, 1.0, 3.0), Vec3::ZERO] {
            assert!((air.wind(x, 0.0) - x * Vec3::new(1.0, 2.0, 3.0)).length() < 1e-5);
        }
        assert_eq!(air.wind(Vec3::new(-0.1, 0.0, 0.0), 0.0), Vec3::ZERO);
    }
}
