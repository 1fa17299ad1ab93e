//! Scenes of the experiments, built in code.

use crate::boundary::Shape;
use crate::scene::{
    BoundarySettings, Fill, GrainsSettings, IisphSettings, MaterialSettings, Scene, SceneError,
};

use super::MeasureOptions;

/// Particle spacing of the experiments \[m\].
pub const SPACING: f32 = 0.02;

/// Gravity [m/s2].
pub const GRAVITY: f64 = 9.81;

/// Rest density of the sand [kg/m3].
pub const DENSITY: f64 = 1600.0;

/// Velocity scale sqrt(g d) [m/s].
pub fn speed_scale() -> f64 {
    (GRAVITY * SPACING as f64).sqrt()
}

/// A built-in scene with values set by path.
pub fn built_in(
    name: &str,
    sets: &[(String, String)],
    options: &MeasureOptions,
) -> Result<Scene, SceneError> {
    let mut scene = Scene::open(name, options.quick, sets)?;
    scene.iisph.friction = options.friction;
    scene.iisph.yield_law = options.yield_law;
    Ok(scene)
}

/// A scene of one material, without walls and grains.
pub fn sand(name: &str, friction_angle: f64, options: &MeasureOptions) -> Scene {
    Scene {
        name: name.into(),
        iisph: IisphSettings {
            friction: options.friction,
            yield_law: options.yield_law,
            ..IisphSettings::default()
        },
        material: vec![MaterialSettings {
            radius: 0.5 * SPACING,
            density: DENSITY as f32,
            friction_angle: friction_angle as f32,
            ..MaterialSettings::default()
        }],
        ..Scene::default()
    }
}

/// A rough floor at y = 0.
pub fn rough_floor() -> BoundarySettings {
    plane("floor", [0.0, 1.0, 0.0], 1.0)
}

/// A smooth floor at y = 0: sand on a plate of acrylic or glass slides at about 22 degrees.
pub fn smooth_floor() -> BoundarySettings {
    plane("floor", [0.0, 1.0, 0.0], 0.4)
}

/// A plane through the origin.
pub fn plane(name: &str, normal: [f32; 3], friction: f32) -> BoundarySettings {
    BoundarySettings {
        material: None,
        rough: None,
        rough_region: None,
        name: name.into(),
        shape: Shape::Plane { point: [0.0; 3], normal },
        friction: Some(friction),
        motion: None,
    }
}

/// A jittered block of sand from the origin; its size in spacings.
pub fn block(size: [f32; 3]) -> GrainsSettings {
    jittered(Shape::Box { min: [0.0; 3], max: size.map(|s| s * SPACING), hollow: false })
}

/// A jittered upright cylinder of sand on the floor; radius and height in spacings.
pub fn cylinder(radius: f32, height: f32) -> GrainsSettings {
    let to = [0.0, height * SPACING, 0.0];
    jittered(Shape::Cylinder { from: [0.0; 3], to, radius: radius * SPACING, hollow: false })
}

fn jittered(shape: Shape) -> GrainsSettings {
    GrainsSettings {
        material: "sand".into(),
        shape,
        fill: Fill::Jittered,
        velocity: [0.0; 3],
        radius: None,
        grain: Default::default(),
        fixed: false,
    }
}
