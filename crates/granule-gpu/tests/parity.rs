//! The device against the CPU: the same scenes, step by step.

use granule::boundary::{Keyframe, Motion, Shape};
use granule::scene::{BoundarySettings, Fill, GrainsSettings, Scene};
use granule::simulator::{FieldData, Snapshot};
use granule::{Device, Options, Simulation};
use granule_device::{AdapterChoice, GpuDevice};
use granule_gpu::GpuMaker;

/// Particle spacing [m].
const D: f32 = 0.02;

fn gpu() -> Option<Device> {
    match GpuDevice::open(&AdapterChoice::Auto) {
        Ok(gpu) => Some(GpuMaker::adopt(gpu).into_device()),
        Err(error) if std::env::var_os("CI").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("passed over: {error}");
            None
        }
    }
}

/// A scene of a file without its grains and walls, with a given number of sweeps.
fn sand(friction_angle: f32, sweeps: u32) -> Scene {
    let mut scene = Scene::open("column", false, &[]).unwrap();
    scene.material[0].friction_angle = friction_angle;
    scene.boundary.clear();
    scene.grains.clear();
    scene.expect.clear();
    scene.iisph.min_iterations = Some(sweeps);
    scene.iisph.max_iterations = sweeps;
    scene
}

fn block(min: [f32; 3], max: [f32; 3]) -> GrainsSettings {
    let shape = Shape::Box { min: min.map(|c| c * D), max: max.map(|c| c * D), hollow: false };
    GrainsSettings { material: "sand".into(), shape, fill: Fill::Jittered, velocity: [0.3, -0.2, 0.1] }
}

fn wall(name: &str, shape: Shape, friction: Option<f32>) -> BoundarySettings {
    BoundarySettings { name: name.into(), shape, friction, motion: None }
}

fn container(size: [f32; 3]) -> BoundarySettings {
    wall("container", Shape::Box { min: [0.0; 3], max: size.map(|c| c * D), hollow: true }, None)
}

/// A jittered block that falls into a container.
fn dam(sweeps: u32) -> Scene {
    let mut scene = sand(30.0, sweeps);
    scene.grains.push(block([0.5, 0.5, 0.5], [12.5, 14.5, 10.5]));
    scene.boundary.push(container([20.0, 20.0, 11.0]));
    scene
}

fn simulate(scene: &Scene, device: &Device) -> Simulation {
    Simulation::new(scene.clone(), &Options { device: device.clone(), ..Options::default() }).unwrap()
}

fn numbers(data: &FieldData) -> Vec<f64> {
    match data {
        FieldData::Integer(values) => values.iter().map(|v| f64::from(*v)).collect(),
        FieldData::Scalar(values) => values.iter().map(|v| f64::from(*v)).collect(),
        FieldData::Vec3(values) => values.iter().flatten().map(|v| f64::from(*v)).collect(),
        FieldData::Quaternion(values) => values.iter().flatten().map(|v| f64::from(*v)).collect(),
        FieldData::Tensor(values) => values.iter().flatten().map(|v| f64::from(*v)).collect(),
    }
}

/// Largest difference of a field, relative to its largest value.
fn difference(a: &Snapshot, b: &Snapshot, field: &str) -> f64 {
    let (a, b) = (numbers(a.column(field).unwrap()), numbers(b.column(field).unwrap()));
    assert_eq!(a.len(), b.len(), "{field}");
    let largest = a.iter().fold(0.0f64, |most, value| most.max(value.abs())).max(1e-30);
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

const FIELDS: [&str; 9] = [
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

fn compare_after(scene: &Scene, steps: usize, bounds: &[(&str, f64)], device: &Device) {
    let (mut cpu, mut gpu) = (simulate(scene, &Device::Cpu), simulate(scene, device));
    for _ in 0..steps {
        let (a, b) = (cpu.step(), gpu.step());
        assert_eq!(gpu.failure(), None);
        assert_eq!((a.particles, a.iterations), (b.particles, b.iterations));
        assert!((a.dt / b.dt - 1.0).abs() < 1e-5, "{} {}", a.dt, b.dt);
        assert!((a.neighbors_mean - b.neighbors_mean).abs() < 1e-3 * a.neighbors_mean.max(1.0));
        let energy = (a.kinetic_energy, b.kinetic_energy);
        assert!((energy.0 - energy.1).abs() <= 1e-3 * energy.0, "{energy:?}");
        assert!((a.density_error - b.density_error).abs() < 1e-4, "{} {}", a.density_error, b.density_error);
        let friction = (a.friction_error, b.friction_error);
        assert!((friction.0 - friction.1).abs() < 2e-2 * friction.0.max(0.1), "{friction:?}");
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

const AFTER_ONE: [(&str, f64); 7] = [
    ("id", 0.0),
    ("neighbor_count", 0.0),
    ("density", 1e-4),
    ("pressure", 1e-3),
    ("stress", 1e-3),
    ("strain_rate", 1e-3),
    ("velocity", 1e-3),
];

#[test]
fn a_step_of_a_jittered_block_in_a_container_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    compare_after(&dam(8), 1, &AFTER_ONE, &device);
}

#[test]
fn five_steps_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    compare_after(&dam(6), 5, &[("density", 1e-3), ("velocity", 1e-2)], &device);
}

#[test]
fn moving_walls_move_grains_alike() {
    let Some(device) = gpu() else { return };
    let mut scene = dam(4);
    let key = |time, x, angle| Keyframe { time, translation: [x, 0.0, 0.0], axis: [0.0, 0.0, 1.0], angle };
    let keyframe = vec![key(0.0, 0.0, 0.0), key(0.004, 0.004, 0.0), key(0.5, -0.1, 90.0)];
    let shape = Shape::Box { min: [0.26, 0.0, 0.0], max: [0.3, 0.2, 0.2], hollow: false };
    let mut paddle = wall("paddle", shape, Some(0.5));
    paddle.motion = Some(Motion { keyframe, pivot: [0.28, 0.0, 0.1], ..Motion::default() });
    scene.boundary.push(paddle);
    compare_after(&scene, 5, &[("density", 1e-3), ("velocity", 1e-2)], &device);
}

#[test]
fn repeated_runs_give_the_same_bits_however_they_are_cut_into_batches() {
    let Some(device) = gpu() else { return };
    let mut scene = dam(30);
    scene.iisph.min_iterations = None;
    scene.simulation.fps = 250.0;
    let frames = |scene: &Scene| {
        let mut simulation = simulate(scene, &device);
        for _ in 0..2 {
            let _ = simulation.run_frame(&mut |_, _| std::ops::ControlFlow::Continue(()));
        }
        assert_eq!(simulation.failure(), None);
        (simulation.simulator().state_hash(), simulation.steps())
    };
    let first = frames(&scene);
    assert_eq!(frames(&scene), first);
    let mut simulation = simulate(&scene, &device);
    while simulation.frame() < 2 {
        simulation.step();
    }
    assert_eq!((simulation.simulator().state_hash(), simulation.steps()), first);
}

/// A built-in scene in its quick form with a given number of sweeps.
fn builtin(name: &str, sweeps: u32) -> Scene {
    let mut scene = Scene::open(name, true, &[]).unwrap();
    scene.iisph.min_iterations = Some(sweeps);
    scene.iisph.max_iterations = sweeps;
    scene
}

#[test]
fn built_in_scenes_begin_alike() {
    let Some(device) = gpu() else { return };
    for name in ["column", "dam", "hourglass", "silo", "windy", "dunes", "heap"] {
        eprintln!("{name}:");
        compare_after(&builtin(name, 4), 5, &[("density", 1e-3), ("velocity", 1e-2)], &device);
    }
}

/// Every kernel, several materials, viscosity, rate dependence, explicit friction, fluids, periodic axes.
#[test]
fn variants_of_the_solver_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let bounds = [("density", 1e-4), ("pressure", 1e-3), ("stress", 1e-3), ("velocity", 1e-3)];
    for kernel in ["wendland", "poly6", "spiky"] {
        let mut scene = dam(4);
        let sets = [("simulation.kernel".to_string(), format!("{kernel:?}"))];
        scene.simulation.kernel = Scene::open("column", false, &sets).unwrap().simulation.kernel;
        compare_after(&scene, 2, &bounds, &device);
    }
    let mut scene = dam(4);
    let mut second = scene.material[0].clone();
    (second.name, second.density, second.friction_angle) = ("mud".into(), 2500.0, 0.0);
    second.viscosity = 0.01;
    scene.material[0].fast_friction_angle = Some(45.0);
    scene.material[0].cohesion = 100.0;
    scene.material.push(second);
    let mut upper = block([0.5, 15.5, 0.5], [12.5, 19.5, 10.5]);
    upper.material = "mud".into();
    scene.grains.push(upper);
    compare_after(&scene, 3, &bounds, &device);
    let mut scene = dam(4);
    scene.iisph.friction = granule::scene::FrictionMode::Explicit;
    compare_after(&scene, 3, &bounds, &device);
    let mut scene = dam(4);
    scene.material[0].friction_angle = 0.0;
    compare_after(&scene, 3, &[("density", 1e-4), ("pressure", 1e-3), ("velocity", 1e-3)], &device);
    let mut scene = sand(30.0, 4);
    let text = scene.to_toml().unwrap();
    for axis in ["x", "z"] {
        let sets = [(format!("simulation.periodic.{axis}"), "[0.0, 0.24]".to_string())];
        scene.simulation.periodic =
            Scene::resolve(&text, "periodic", false, &sets).unwrap().simulation.periodic;
        scene.grains = vec![block([0.0, 0.5, 0.0], [12.0, 12.5, 12.0])];
        scene.boundary = vec![wall("floor", Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] }, None)];
        compare_after(&scene, 3, &bounds, &device);
    }
}
