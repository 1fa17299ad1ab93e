//! The device against the CPU: the same scenes, step by step.

mod common;

use granule::Device;
use granule::boundary::{Keyframe, Motion, Shape};
use granule::scene::Scene;

use common::{AFTER_ONE, block, compare_after, dam, difference, gpu, sand, simulate, wall};

#[test]
fn a_step_of_a_jittered_block_in_a_container_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    compare_after(&dam(8), 1, &AFTER_ONE, &device);
}

/// Fields that are found when somebody asks for them.
#[test]
fn every_field_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let scene = dam(6);
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    assert_eq!(cpu.fields(), gpu.fields());
    let names: Vec<&str> = cpu.fields().iter().map(|field| field.name).collect();
    for steps in [0, 2] {
        (0..steps).for_each(|_| drop((cpu.step(), gpu.step())));
        let (a, b) = (cpu.read(&names).unwrap(), gpu.read(&names).unwrap());
        for name in ["age", "force", "normal", "cell", "yield_ratio", "speed", "radius"] {
            let found = difference(&a, &b, name);
            assert!(found < 1e-3, "{name} after {steps} steps differs by {found:.1e}");
        }
    }
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
    for name in [
        "column",
        "dam",
        "hourglass",
        "silo",
        "windy",
        "dunes",
        "heap",
        "drum",
        "bunker",
        "dumptruck",
        "mesh-drop",
        "boxes",
    ] {
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
