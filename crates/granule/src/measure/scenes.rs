//! Scenes of the experiments, built in code.

use crate::boundary::Shape;
use crate::scene::{
    BoundarySettings, Fill, GrainsSettings, IisphSettings, MaterialSettings, PACKED_FRACTION, RegionSettings,
    Scene, SceneError, SolverKind,
};
use crate::simulation::SimulationError;

use super::MeasureOptions;
use super::run::Run;

/// Particle spacing of the experiments \[m\].
pub const SPACING: f32 = 0.02;

/// Gravity [m/s2].
pub const GRAVITY: f64 = 9.81;

/// Rest density of the sand [kg/m3].
pub const DENSITY: f64 = 1600.0;

/// Friction of a rough floor.
const ROUGH: f32 = 1.0;

/// Half of the side of the part of a rough floor that grains of spheres cover \[m\]: no experiment spreads farther.
const ROUGH_HALF: f32 = 30.0 * SPACING;

/// Velocity scale sqrt(g d) [m/s].
pub fn speed_scale() -> f64 {
    (GRAVITY * SPACING as f64).sqrt()
}

/// The solver with grains that an experiment for bulk matter is asked for.
pub fn grains_solver(options: &MeasureOptions) -> Option<SolverKind> {
    options.solver.filter(|solver| solver.capabilities().has_grains)
}

/// Bulk volume of a particle of the experiments \[m3\]: its cube, or a grain with its share of the pores.
pub fn bulk_volume(options: &MeasureOptions) -> f64 {
    let cube = f64::from(SPACING).powi(3);
    match grains_solver(options) {
        Some(_) => std::f64::consts::PI / 6.0 * cube / PACKED_FRACTION,
        None => cube,
    }
}

/// Begins an experiment with bulk matter, or with the grains that it becomes, where a solver with grains is asked for: docs/grains.md.
/// Rough floors are then covered with spheres.
pub fn begin(mut scene: Scene, options: &MeasureOptions) -> Result<Run, SimulationError> {
    if let Some(solver) = grains_solver(options).filter(|solver| *solver != scene.simulation.solver) {
        let is_rough = |wall: &BoundarySettings| wall.friction.is_some_and(|friction| friction >= ROUGH);
        let rough: Vec<bool> = scene.boundary.iter().map(is_rough).collect();
        scene.simulation.solver = solver;
        scene = scene.into_grains()?;
        for (wall, _) in scene.boundary.iter_mut().zip(rough).filter(|(_, rough)| *rough) {
            wall.rough = Some(SPACING);
            wall.rough_region = Some(RegionSettings {
                min: [-ROUGH_HALF, -SPACING, -ROUGH_HALF],
                max: [ROUGH_HALF, SPACING, ROUGH_HALF],
            });
        }
    }
    Run::new(scene, options)
}

/// A built-in scene with values set by path.
pub fn built_in(
    name: &str,
    sets: &[(String, String)],
    options: &MeasureOptions,
) -> Result<Scene, SceneError> {
    let mut sets = sets.to_vec();
    sets.extend(grains_solver(options).map(|solver| ("simulation.solver".into(), solver.name().into())));
    let mut scene = Scene::open(name, options.quick, &sets)?;
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
    plane("floor", [0.0, 1.0, 0.0], ROUGH)
}

/// A smooth floor at y = 0: sand on a plate of acrylic or glass slides at about 22 degrees.
pub fn smooth_floor() -> BoundarySettings {
    plane("floor", [0.0, 1.0, 0.0], 0.4)
}

/// A plane through the origin.
pub fn plane(name: &str, normal: [f32; 3], friction: f32) -> BoundarySettings {
    BoundarySettings {
        friction: Some(friction),
        ..BoundarySettings::new(name, Shape::Plane { point: [0.0; 3], normal })
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
