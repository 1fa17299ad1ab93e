//! Spheres of the experiments, and their scenes.

use glam::DVec3;

use crate::boundary::Shape;
use crate::measure::MeasureOptions;
use crate::scene::{
    BoundarySettings, DemMaterialSettings, Fill, GrainsSettings, MaterialSettings, RadiusSettings, Scene,
    SolverKind,
};
use crate::simulator::Snapshot;

/// Diameter of a grain \[m\].
pub const D: f64 = 0.01;

/// Density of a grain [kg/m3].
pub const DENSITY: f64 = 2500.0;

/// Gravity [m/s2].
pub const GRAVITY: f64 = 9.81;

/// Name of the grains' material.
pub const SAND: &str = "sand";

/// Time scale sqrt(d/g) \[s\].
pub fn time_scale() -> f64 {
    (D / GRAVITY).sqrt()
}

/// Mass of a grain of diameter d \[kg\].
pub fn grain_mass() -> f64 {
    std::f64::consts::PI / 6.0 * DENSITY * D.powi(3)
}

/// What spheres are like in contact.
#[derive(Clone, Copy, Debug)]
pub struct Spheres {
    /// Young's modulus [m g/d2].
    pub young: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of rolling friction.
    pub rolling_friction: f64,
}

impl Default for Spheres {
    fn default() -> Self {
        Self { young: 1e5, friction: 0.5, restitution: 0.5, rolling_friction: 0.0 }
    }
}

impl Spheres {
    /// With the friction that a negative control asks for, where it does.
    pub fn with_control(self, options: &MeasureOptions) -> Self {
        Self { friction: controlled(options, self.friction), ..self }
    }

    /// A scene of these spheres, without walls and grains. Frames are a time scale apart.
    pub fn scene(&self, name: &str) -> Scene {
        let dem = DemMaterialSettings {
            young: young_modulus(self.young),
            restitution: self.restitution,
            friction: Some(self.friction),
            tangential_damping: 0.5,
            rolling_friction: self.rolling_friction,
            ..DemMaterialSettings::default()
        };
        let mut scene = Scene::new(name).with_material(MaterialSettings {
            name: SAND.into(),
            radius: (0.5 * D) as f32,
            density: DENSITY as f32,
            dem,
            ..MaterialSettings::default()
        });
        scene.simulation.solver = SolverKind::Dem;
        scene.simulation.gravity = [0.0, -GRAVITY as f32, 0.0];
        scene.simulation.fps = 1.0 / time_scale();
        scene
    }
}

/// The coefficient of friction, or that of a negative control.
pub fn controlled(options: &MeasureOptions, friction: f64) -> f64 {
    options.friction_angle.map_or(friction, |angle| angle.to_radians().tan())
}

/// Young's modulus \[Pa\] from one in m g/d2.
pub fn young_modulus(relative: f64) -> f64 {
    relative * grain_mass() * GRAVITY / (D * D)
}

/// A length in metres from one in diameters.
pub fn meters(diameters: f64) -> f32 {
    (diameters * D) as f32
}

/// A point in metres from one in diameters.
pub fn point(diameters: [f64; 3]) -> [f32; 3] {
    diameters.map(meters)
}

/// A single sphere of radius `radius` \[m\] with its centre and velocity.
pub fn single(center: DVec3, radius: f64, velocity: DVec3) -> GrainsSettings {
    let half = DVec3::new(1.0005 * radius, radius, 1.0005 * radius);
    let top = DVec3::new(half.x, 1.0005 * radius, half.z);
    let shape = Shape::cuboid((center - half).as_vec3().to_array(), (center + top).as_vec3().to_array());
    GrainsSettings {
        velocity: velocity.as_vec3().to_array(),
        radius: Some(RadiusSettings::One(radius as f32)),
        ..GrainsSettings::new(SAND, shape)
    }
}

/// Grains at random in a shape, with diameters between 0.9 and 1.1 d, which do not order.
pub fn random_grains(shape: Shape) -> GrainsSettings {
    let radius = RadiusSettings::Range([meters(0.45), meters(0.55)]);
    GrainsSettings { fill: Fill::Random, radius: Some(radius), ..GrainsSettings::new(SAND, shape) }
}

/// A floor at y = 0.
pub fn floor() -> BoundarySettings {
    BoundarySettings::new("floor", Shape::floor(0.0))
}

/// The rows of a vector field; none where the device has failed.
pub fn rows(snapshot: &Snapshot, field: &str) -> Vec<DVec3> {
    let rows = snapshot.vec3(field).unwrap_or_default();
    rows.iter().map(|row| DVec3::from(row.map(f64::from))).collect()
}
