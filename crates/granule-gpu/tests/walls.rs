//! Meshes and smooth motions on a device against the CPU.

mod common;

use glam::{Quat, Vec3};
use granule::boundary::{Interpolation, Keyframe, MeshShape, Motion, Shape};
use granule::scene::{OutletSettings, Scene};
use granule::simulator::Command;
use granule::{Device, Options, Simulation};

use common::{AFTER_ONE, D, block, compare, compare_after, gpu, sand, simulate, wall};

/// A jittered block in a container that is a mesh, turned in its frame, over a mesh that sticks out of the floor.
fn dam_in_meshes(sweeps: u32) -> Scene {
    let mut scene = sand(30.0, sweeps);
    scene.grains.push(block([-7.5, 0.5, -6.0], [5.5, 13.5, 6.0]));
    let tub = MeshShape {
        size: Some(22.0 * D),
        position: [0.0, 11.0 * D, 0.0],
        axis: [0.0, 1.0, 0.0],
        angle: 10.0,
        hollow: true,
        ..MeshShape::of_file("builtin:box".into())
    };
    let stone = MeshShape {
        size: Some(5.0 * D),
        position: [8.0 * D, 2.0 * D, 0.0],
        ..MeshShape::of_file("builtin:torus".into())
    };
    scene.boundary.push(wall("tub", Shape::Mesh(tub), Some(0.4)));
    scene.boundary.push(wall("stone", Shape::Mesh(stone), None));
    scene
}

/// A smooth motion that turns and shifts.
fn smooth(pivot: [f32; 3], way: f32, angle: f32) -> Motion {
    let key = |time, x, angle| Keyframe { time, translation: [x, 0.0, 0.0], axis: [0.0, 0.0, 1.0], angle };
    let keyframe = vec![key(0.0, 0.0, 0.0), key(0.02, way, angle), key(0.05, 0.0, 3.0 * angle)];
    Motion { keyframe, pivot, interpolation: Interpolation::Smooth, ..Motion::default() }
}

#[test]
fn a_step_among_meshes_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    compare_after(&dam_in_meshes(8), 1, &AFTER_ONE, &device);
}

#[test]
fn steps_among_meshes_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    compare_after(&dam_in_meshes(6), 5, &[("density", 1e-3), ("velocity", 1e-2)], &device);
}

#[test]
fn moving_meshes_move_grains_alike() {
    let Some(device) = gpu() else { return };
    let mut scene = dam_in_meshes(4);
    scene.boundary[0].motion = Some(smooth([0.0, 0.1, 0.0], 0.01, 6.0));
    scene.boundary[1].motion = Some(smooth([0.1, 0.0, 0.0], -0.02, 10.0));
    compare_after(&scene, 5, &[("density", 1e-3), ("velocity", 1e-2)], &device);
}

/// A mesh that is cut and joined with shapes: every kind of combination.
#[test]
fn combinations_with_meshes_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let mut scene = dam_in_meshes(4);
    let mesh = |hollow| {
        Shape::Mesh(MeshShape {
            size: Some(6.0 * D),
            position: [-3.0 * D, 1.0 * D, 0.0],
            hollow,
            ..MeshShape::of_file("builtin:box".into())
        })
    };
    let ball = Shape::Sphere { center: [-3.0 * D, 3.0 * D, 0.0], radius: 2.5 * D, hollow: false };
    scene.grains[0] = block([-7.5, 5.5, -6.0], [5.5, 13.5, 6.0]);
    scene.boundary[1].shape = Shape::Subtraction(vec![mesh(false), ball.clone()]);
    scene.boundary.push(wall("rest", Shape::Intersection(vec![mesh(false), ball]), None));
    compare_after(&scene, 5, &[("density", 1e-3), ("velocity", 1e-2)], &device);
}

/// Sand at rest among meshes, taken over from the CPU with all its impulses.
#[test]
fn settled_sand_goes_on_alike_on_both() {
    let Some(device) = gpu() else { return };
    let mut scene = dam_in_meshes(0);
    scene.grains[0].velocity = [0.0; 3];
    (scene.iisph.min_iterations, scene.iisph.max_iterations) = (None, 200);
    scene.simulation.fps = 10.0;
    let mut settling = simulate(&scene, &Device::Cpu);
    settling.run_until(0.5);
    let bytes = settling.checkpoint().unwrap();
    let go_on =
        |device: Device| Simulation::resume(&bytes, &Options { device, ..Options::default() }).unwrap();
    let bounds = [("density", 1e-4), ("pressure", 1e-3), ("stress", 1e-3)];
    compare(go_on(Device::Cpu), go_on(device.clone()), 1, &bounds);
    compare(go_on(Device::Cpu), go_on(device), 5, &bounds);
}

/// Outlets that are meshes take the same grains.
#[test]
fn outlets_of_meshes_take_the_same_grains() {
    let Some(device) = gpu() else { return };
    let mut scene = dam_in_meshes(4);
    let hole = MeshShape {
        size: Some(9.0 * D),
        position: [-2.0 * D, 7.0 * D, 1.0 * D],
        ..MeshShape::of_file("builtin:torus".into())
    };
    scene.outlet.push(OutletSettings { name: "hole".into(), shape: Shape::Mesh(hole), time: None });
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let (a, b) = (cpu.step(), gpu.step());
    assert_eq!(gpu.failure(), None);
    assert!(a.drained[0] > 50, "{:?}", a.drained);
    // A grain may lie on the surface to within rounding.
    assert!(a.drained[0].abs_diff(b.drained[0]) <= 1, "{:?} {:?}", a.drained, b.drained);
}

/// A block of sand on a floor, and a blade beside it.
fn sand_and_blade() -> Scene {
    let mut scene = sand(30.0, 4);
    scene.grains.push(block([-6.0, 0.5, 1.5], [6.0, 9.5, 8.0]));
    let shape = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
    scene.boundary.push(wall("floor", shape, Some(0.5)));
    let blade = Shape::cuboid([-8.0, 0.0, -0.5].map(|c| c * D), [8.0, 8.0, 0.5].map(|c| c * D));
    scene.boundary.push(wall("blade", blade, Some(0.4)));
    scene
}

/// A block that is led through frames of several steps, turned and turning, pushes grains as on the CPU.
#[test]
fn a_led_tool_moves_grains_alike() {
    let Some(device) = gpu() else { return };
    let mut scene = sand_and_blade();
    (scene.simulation.fps, scene.simulation.max_time_step) = (200.0, Some(1e-3));
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let pose = |time: f32| {
        let (velocity, rate) = (Vec3::new(0.1, 0.0, 0.6), Vec3::new(0.0, 6.0, 1.0));
        let position = Vec3::new(0.0, 0.0, 0.95 * D) + time * velocity;
        (position, Quat::from_scaled_axis(time * rate) * Quat::from_rotation_x(-0.02))
    };
    let boundary = "blade".to_string();
    let (position, rotation) = pose(0.0);
    let (velocity, angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
    let put =
        Command::ToolPose { boundary: boundary.clone(), position, rotation, velocity, angular_velocity };
    for simulation in [&mut cpu, &mut gpu] {
        simulation.apply(&put).unwrap();
        for frame in 1..=3 {
            let (position, rotation) = pose(frame as f32 / 200.0);
            let (boundary, seconds) = (boundary.clone(), 1.0 / 200.0);
            simulation.apply(&Command::MoveTool { boundary, position, rotation, seconds }).unwrap();
            simulation.run_until(f64::from(frame) / 200.0);
            let found = simulation.boundary_poses()[1];
            let apart = (found.translation - position).length();
            assert!(
                apart < 1e-6 && found.rotation.dot(rotation).abs() > 1.0 - 1e-6,
                "frame {frame}: {found:?}"
            );
        }
        assert_eq!(simulation.failure(), None);
    }
    let fastest = gpu.read(&["velocity"]).unwrap();
    let fastest =
        fastest.vec3("velocity").unwrap().iter().map(|v| Vec3::from(*v).length()).fold(0.0, f32::max);
    assert!(fastest > 0.6, "the blade has pushed grains: {fastest}");
    compare(cpu, gpu, 1, &[("density", 1e-3), ("velocity", 1e-2)]);
}

/// A block that turns by command in every step, about a point beside it, pushes grains as on the CPU.
#[test]
fn a_tool_that_turns_by_command_moves_grains_alike() {
    let Some(device) = gpu() else { return };
    let scene = sand_and_blade();
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let mut touched = false;
    for _ in 0..8 {
        let time = cpu.time() as f32;
        let (velocity, rate) = (Vec3::new(0.1, 0.0, 0.6), Vec3::new(0.0, 6.0, 1.0));
        let command = Command::ToolPose {
            boundary: "blade".into(),
            position: Vec3::new(0.0, 0.0, 0.95 * D) + time * velocity,
            rotation: Quat::from_scaled_axis(time * rate) * Quat::from_rotation_x(-0.02),
            velocity,
            angular_velocity: rate,
        };
        cpu.apply(&command).unwrap();
        gpu.apply(&command).unwrap();
        let (a, b) = (cpu.step(), gpu.step());
        assert_eq!(gpu.failure(), None);
        assert!((a.dt / b.dt - 1.0).abs() < 1e-5, "{} {}", a.dt, b.dt);
        touched |= a.max_speed > 0.8;
        let pairs = cpu.boundary_poses().into_iter().zip(gpu.boundary_poses());
        assert!(pairs.into_iter().all(|(a, b)| a == b));
    }
    assert!(touched, "the blade has pushed grains");
    compare(cpu, gpu, 1, &[("density", 1e-3), ("velocity", 1e-2)]);
}
