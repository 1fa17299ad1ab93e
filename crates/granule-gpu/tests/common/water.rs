//! Scenes of water, and both devices side by side.

use granule::Device;
use granule::boundary::Shape;
use granule::scene::{BoundarySettings, Fill, GrainsSettings, Scene};

use super::{D, difference, simulate};

/// A built-in scene of water without its expectations.
pub fn water() -> Scene {
    let mut scene = Scene::open("dam", false, &[("simulation.solver".into(), "wcsph".into())]).unwrap();
    scene.grains.clear();
    scene.boundary.clear();
    scene.expect.clear();
    scene
}

/// A jittered block of water that moves; lengths in spacings.
pub fn block(min: [f32; 3], max: [f32; 3]) -> GrainsSettings {
    let shape = Shape::Box { min: min.map(|c| c * D), max: max.map(|c| c * D), hollow: false };
    GrainsSettings {
        material: "water".into(),
        shape,
        fill: Fill::Jittered,
        velocity: [0.3, -0.2, 0.1],
        radius: None,
        grain: Default::default(),
        fixed: false,
    }
}

/// A tank of this size in spacings.
pub fn tank(size: [f32; 3]) -> BoundarySettings {
    let shape = Shape::Box { min: [0.0; 3], max: size.map(|c| c * D), hollow: true };
    BoundarySettings { friction: Some(0.1), ..BoundarySettings::new("tank", shape) }
}

/// A jittered block that falls into a tank.
pub fn dam() -> Scene {
    let mut scene = water();
    scene.grains.push(block([0.5, 0.5, 0.5], [12.5, 14.5, 10.5]));
    scene.boundary.push(tank([20.0, 20.0, 11.0]));
    scene
}

/// What is compared.
const FIELDS: [&str; 8] =
    ["id", "position", "velocity", "density", "pressure", "neighbor_count", "force", "material"];

/// Steps a scene on both and compares it.
pub fn compare(scene: &Scene, steps: usize, device: &Device) {
    let (mut cpu, mut gpu) = (simulate(scene, &Device::Cpu), simulate(scene, device));
    for _ in 0..steps {
        let (a, b) = (cpu.step(), gpu.step());
        assert_eq!(gpu.failure(), None);
        assert_eq!(a.particles, b.particles);
        assert!((a.dt / b.dt - 1.0).abs() < 1e-5, "{} {}", a.dt, b.dt);
        let energy = (a.kinetic_energy, b.kinetic_energy);
        assert!((energy.0 - energy.1).abs() <= 1e-4 * energy.0, "{energy:?}");
        assert!((a.density_error - b.density_error).abs() < 1e-5, "{} {}", a.density_error, b.density_error);
        assert!((a.neighbors_mean - b.neighbors_mean).abs() < 1e-3 * a.neighbors_mean.max(1.0));
    }
    let (a, b) = (cpu.read(&FIELDS).unwrap(), gpu.read(&FIELDS).unwrap());
    let loose = steps as f64;
    for (field, bound) in [
        ("id", 0.0),
        ("material", 0.0),
        ("position", 1e-6 * loose),
        ("velocity", 1e-4 * loose),
        ("density", 1e-5 * loose),
        ("pressure", 2e-3 * loose),
        ("force", 2e-3 * loose),
    ] {
        let found = difference(&a, &b, field);
        assert!(found <= bound, "{field} after {steps} steps: {found:.2e} is more than {bound:.0e}");
    }
}
