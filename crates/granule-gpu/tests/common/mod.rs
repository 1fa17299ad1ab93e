//! What tests of the device against the CPU share.
#![allow(dead_code, reason = "each test uses a part of it")]

pub mod bodies;
pub mod dem;
pub mod runs;
pub mod water;

use granule::boundary::Shape;
use granule::scene::{BoundarySettings, Fill, GrainsSettings, Scene};
use granule::simulator::{FieldData, Snapshot};
use granule::{Device, Options, Simulation};
use granule_gpu::GpuBackend;
pub use granule_testing::device as adapter;

/// Particle spacing [m].
pub const D: f32 = 0.02;

/// A device for simulations, as [`adapter`] gives it.
pub fn gpu() -> Option<Device> {
    adapter().map(|gpu| GpuBackend::adopt(gpu).into_device())
}

/// A scene of a file without its grains and walls, with a given number of sweeps.
pub fn sand(friction_angle: f32, sweeps: u32) -> Scene {
    let mut scene = Scene::open("column", false, &[]).unwrap();
    scene.material[0].friction_angle = friction_angle;
    scene.boundary.clear();
    scene.grains.clear();
    scene.expect.clear();
    scene.iisph.min_iterations = Some(sweeps);
    scene.iisph.max_iterations = sweeps;
    scene
}

/// A jittered block that moves; lengths in spacings.
pub fn block(min: [f32; 3], max: [f32; 3]) -> GrainsSettings {
    let shape = Shape::Box { min: min.map(|c| c * D), max: max.map(|c| c * D), hollow: false };
    GrainsSettings {
        material: "sand".into(),
        shape,
        fill: Fill::Jittered,
        velocity: [0.3, -0.2, 0.1],
        radius: None,
        grain: Default::default(),
        fixed: false,
    }
}

/// A wall that stands still.
pub fn wall(name: &str, shape: Shape, friction: Option<f32>) -> BoundarySettings {
    BoundarySettings { friction, ..BoundarySettings::new(name, shape) }
}

/// A box of this size in spacings.
pub fn container(size: [f32; 3]) -> BoundarySettings {
    wall("container", Shape::Box { min: [0.0; 3], max: size.map(|c| c * D), hollow: true }, None)
}

/// A jittered block that falls into a container.
pub fn dam(sweeps: u32) -> Scene {
    let mut scene = sand(30.0, sweeps);
    scene.grains.push(block([0.5, 0.5, 0.5], [12.5, 14.5, 10.5]));
    scene.boundary.push(container([20.0, 20.0, 11.0]));
    scene
}

/// A simulation on a device.
pub fn simulate(scene: &Scene, device: &Device) -> Simulation {
    Simulation::new(scene.clone(), &Options { device: device.clone(), ..Options::default() }).unwrap()
}

/// All numbers of a column.
pub fn numbers(data: &FieldData) -> Vec<f64> {
    match data {
        FieldData::Integer(values) => values.iter().map(|v| f64::from(*v)).collect(),
        FieldData::Scalar(values) => values.iter().map(|v| f64::from(*v)).collect(),
        FieldData::Vec3(values) => values.iter().flatten().map(|v| f64::from(*v)).collect(),
        FieldData::Quaternion(values) => values.iter().flatten().map(|v| f64::from(*v)).collect(),
        FieldData::Tensor(values) => values.iter().flatten().map(|v| f64::from(*v)).collect(),
    }
}

/// Largest difference of a field, relative to its largest value.
pub fn difference(a: &Snapshot, b: &Snapshot, field: &str) -> f64 {
    let (a, b) = (numbers(a.column(field).unwrap()), numbers(b.column(field).unwrap()));
    assert_eq!(a.len(), b.len(), "{field}");
    let largest = a.iter().fold(0.0f64, |most, value| most.max(value.abs())).max(1e-30);
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

/// Mean pressure that is more than rounding [Pa]; a layer of sand weighs 300 Pa.
const LEAST_PRESSURE: f32 = 0.1;

/// What is compared.
pub const FIELDS: [&str; 9] = [
    "id",
    "position",
    "velocity",
    "density",
    "pressure",
    "stress",
    "strain_rate",
    "neighbor_count",
    "material",
];

/// Compares a scene on both devices after some steps.
pub fn compare_after(scene: &Scene, steps: usize, bounds: &[(&str, f64)], device: &Device) {
    compare(simulate(scene, &Device::Cpu), simulate(scene, device), steps, bounds);
}

/// Steps both simulations and compares them.
pub fn compare(mut cpu: Simulation, mut gpu: Simulation, steps: usize, bounds: &[(&str, f64)]) {
    for _ in 0..steps {
        let (a, b) = (cpu.step(), gpu.step());
        assert_eq!(gpu.failure(), None);
        assert_eq!((a.particles, a.iterations), (b.particles, b.iterations));
        assert!((a.dt / b.dt - 1.0).abs() < 1e-5, "{} {}", a.dt, b.dt);
        assert!((a.neighbors_mean - b.neighbors_mean).abs() < 1e-3 * a.neighbors_mean.max(1.0));
        let energy = (a.kinetic_energy, b.kinetic_energy);
        assert!((energy.0 - energy.1).abs() <= 1e-3 * energy.0, "{energy:?}");
        assert!((a.density_error - b.density_error).abs() < 1e-4, "{} {}", a.density_error, b.density_error);
        // In free fall a lattice has pressures and stresses of rounding alone, whose ratio says nothing.
        let pressure = cpu.read(&["pressure"]).unwrap();
        let pressure = pressure.scalar("pressure").unwrap();
        if pressure.iter().sum::<f32>() > LEAST_PRESSURE * pressure.len() as f32 {
            let friction = (a.friction_error, b.friction_error);
            assert!((friction.0 - friction.1).abs() < 2e-3 * friction.0.max(0.1), "{friction:?}");
        }
    }
    let (a, b) = (cpu.read(&FIELDS).unwrap(), gpu.read(&FIELDS).unwrap());
    for (field, bound) in bounds {
        let found = difference(&a, &b, field);
        eprintln!("after {steps} steps: {field} differs by {found:.2e}");
        assert!(found <= *bound, "{field} after {steps} steps: {found:.2e} is more than {bound:.0e}");
    }
    let (x, y) = (numbers(a.column("position").unwrap()), numbers(b.column("position").unwrap()));
    let apart = x.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / f64::from(0.5 * D);
    eprintln!("after {steps} steps: positions differ by {apart:.2e} radii");
    assert!(apart < 1e-3, "positions differ by {apart:.2e} radii");
}

/// Bounds after a single step.
pub const AFTER_ONE: [(&str, f64); 7] = [
    ("id", 0.0),
    ("neighbor_count", 0.0),
    ("density", 1e-4),
    ("pressure", 1e-3),
    ("stress", 1e-3),
    ("strain_rate", 1e-3),
    ("velocity", 1e-3),
];
