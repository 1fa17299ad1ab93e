//! Scenes of the experiments with water, built in code.

use crate::boundary::Shape;
use crate::scene::{BoundarySettings, Fill, GrainsSettings, MaterialSettings, Scene, SolverKind};

/// Rest density of water [kg/m3].
pub const DENSITY: f64 = 1000.0;

/// A scene of water for a solver, without walls and particles.
pub fn water(name: &str, solver: SolverKind, radius: f32) -> Scene {
    let mut scene = Scene { name: name.into(), ..Scene::default() };
    scene.simulation.solver = solver;
    scene.material.push(MaterialSettings {
        name: "water".into(),
        radius,
        density: DENSITY as f32,
        friction_angle: 0.0,
        ..MaterialSettings::default()
    });
    scene
}

/// Water that fills a shape.
pub fn filled(shape: Shape, fill: Fill) -> GrainsSettings {
    GrainsSettings {
        material: "water".into(),
        shape,
        fill,
        grain: Default::default(),
        velocity: [0.0; 3],
        radius: None,
        fixed: false,
    }
}

/// A smooth wall.
pub fn smooth(name: &str, shape: Shape) -> BoundarySettings {
    BoundarySettings { friction: Some(0.0), ..BoundarySettings::new(name, shape) }
}
