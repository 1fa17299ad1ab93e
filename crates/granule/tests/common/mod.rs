//! Scenes shared by the solver's tests.
#![allow(dead_code)]

use granule::boundary::Shape;
use granule::scene::{BodySettings, BoundarySettings, Fill, GrainsSettings, MaterialSettings, Scene};
use granule::{Options, Simulation};

/// Particle spacing [m].
pub const D: f32 = 0.02;

/// A scene of one material, without walls and grains.
pub fn sand(friction_angle: f32) -> Scene {
    Scene {
        name: "test".into(),
        material: vec![MaterialSettings { friction_angle, ..MaterialSettings::default() }],
        ..Scene::default()
    }
}

/// A block of sand with its corners given in spacings.
pub fn block(min: [f32; 3], max: [f32; 3], fill: Fill) -> GrainsSettings {
    let shape = Shape::Box { min: min.map(|c| c * D), max: max.map(|c| c * D), hollow: false };
    GrainsSettings {
        material: "sand".into(),
        shape,
        fill,
        grain: Default::default(),
        velocity: [0.0; 3],
        radius: None,
        fixed: false,
    }
}

/// A wall.
pub fn wall(name: &str, shape: Shape, friction: Option<f32>) -> BoundarySettings {
    BoundarySettings { friction, ..BoundarySettings::new(name, shape) }
}

/// A rough floor at y = 0.
pub fn floor() -> BoundarySettings {
    wall("floor", Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] }, Some(1.0))
}

/// A simulation of a scene.
pub fn simulate(scene: Scene) -> Simulation {
    Simulation::new(scene, &Options::default()).unwrap()
}

/// Mean of a vector field.
pub fn mean(simulation: &mut Simulation, field: &str) -> [f64; 3] {
    let snapshot = simulation.read(&[field]).unwrap();
    let values = snapshot.vec3(field).unwrap();
    [0, 1, 2].map(|k| values.iter().map(|v| v[k] as f64).sum::<f64>() / values.len() as f64)
}

/// A dynamic body without motion.
pub fn body(name: &str, shape: Shape, density: f32) -> BodySettings {
    BodySettings { density, ..BodySettings::new(name, shape) }
}
