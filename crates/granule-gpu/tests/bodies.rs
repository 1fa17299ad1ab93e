//! Rigid bodies with grains on a device: as on the CPU, and as physics says.

mod common;

use glam::{Quat, Vec3};
use granule::boundary::{Keyframe, MeshShape, Motion, Shape};
use granule::scene::{BodyKind, Fill, Scene};
use granule::simulator::Command;
use granule::{Device, Options, Simulation};

use common::bodies::{
    add_cloud_and_bodies, add_floating_box, apart, ball, body, brick, change_of_momentum, heights,
    late_height,
};
use common::{D, block, compare, gpu, sand, simulate, wall};

/// A tank of width and depth `width` spacings, filled up to `height` spacings.
fn tank(friction_angle: f32, density: f32, width: f32, height: f32) -> Scene {
    let mut scene = sand(friction_angle, 0);
    (scene.iisph.min_iterations, scene.iisph.max_iterations) = (None, 100);
    scene.material[0].density = density;
    let shape = Shape::Box { min: [0.0; 3], max: [width * D, 4.0 * height * D, width * D], hollow: true };
    scene.boundary.push(wall("tank", shape, Some(if friction_angle > 0.0 { 0.5 } else { 0.0 })));
    let mut filling = block([0.0; 3], [width, height, width]);
    (filling.fill, filling.velocity) = (Fill::Lattice, [0.0; 3]);
    scene.grains.push(filling);
    scene
}

/// A ball and a turning brick that sand falls on, and a torus that is led through it.
fn shower() -> Scene {
    let mut scene = tank(30.0, 1600.0, 14.0, 4.0);
    (scene.iisph.min_iterations, scene.iisph.max_iterations) = (Some(6), 6);
    scene.grains[0].velocity = [0.0, 2.0, 0.5];
    scene.body.push(body("ball", ball([4.0, 7.5, 4.0], 2.5), 500.0));
    scene.body.push(body("brick", brick([7.0, 5.0, 2.0], [12.0, 7.0, 8.0]), 2000.0));
    scene.body[1].angular_velocity = [90.0, 0.0, -200.0];
    let torus = MeshShape {
        size: Some(5.0 * D),
        position: [5.0 * D, 6.5 * D, 10.5 * D],
        ..MeshShape::of_file("builtin:torus".into())
    };
    let mut led = body("torus", Shape::Mesh(torus), 1000.0);
    led.kind = BodyKind::Keyframed;
    let key = |time, y| Keyframe { time, translation: [0.0, y, 0.0], axis: [0.0, 1.0, 0.0], angle: 0.0 };
    led.motion = Some(Motion { keyframe: vec![key(0.0, 0.0), key(1.0, -0.5)], ..Motion::default() });
    scene.body.push(led);
    scene
}

#[test]
fn bodies_are_pushed_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let scene = shower();
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let mut pushed = false;
    for step in 0..8 {
        cpu.step();
        gpu.step();
        assert_eq!(gpu.failure(), None);
        let [velocity, force, torque] = apart(&cpu, &gpu);
        eprintln!("step {step}: bodies differ by {velocity:.1e} m/s, force {force:.1e}, torque {torque:.1e}");
        assert!(velocity < 1e-4 && force < 1e-3 && torque < 2e-3, "{velocity} {force} {torque}");
        pushed |= cpu.simulator().bodies().iter().all(|body| body.force.length() > 0.0);
    }
    assert!(pushed, "grains have touched all bodies");
    compare(cpu, gpu, 1, &[("density", 1e-3), ("velocity", 1e-2)]);
}

#[test]
fn grains_and_bodies_keep_their_momentum_together() {
    let Some(device) = gpu() else { return };
    let mut scene = sand(30.0, 0);
    (scene.iisph.min_iterations, scene.iisph.max_iterations) = (None, 60);
    add_cloud_and_bodies(&mut scene, block([0.0; 3], [8.0; 3]));
    let change = change_of_momentum(&mut simulate(&scene, &device), 200);
    assert!(change < 1e-6, "{change}");
}

#[test]
fn a_light_box_floats_half_immersed() {
    let Some(device) = gpu() else { return };
    let (width, height, side) = (14.0, 8.0, 6.0);
    let mut scene = tank(0.0, 1000.0, width, height);
    add_floating_box(&mut scene, width, height, side);
    let [mean, on_cpu] = [&device, &Device::Cpu].map(|device| late_height(&scene, device, 1.2));
    // The surface rises by what the box displaces.
    let immersed = (height - (mean - side / 2.0)) / (1.0 - (side / width).powi(2)) / side;
    eprintln!(
        "{immersed:.3} of the box are under the surface; it floats at {mean:.3} d, {on_cpu:.3} d on the CPU"
    );
    assert!((immersed - 0.5).abs() < 0.05, "{immersed:.3} of the box are under the surface");
    assert!((mean - on_cpu).abs() < 0.1, "it floats at {mean:.3} d, on the CPU at {on_cpu:.3} d");
}

#[test]
fn a_heavy_ball_sinks_into_sand_and_stays() {
    let Some(device) = gpu() else { return };
    let (width, height, radius) = (12.0, 8.0, 2.0);
    let mut scene = tank(30.0, 1600.0, width, height);
    let shape = ball([width / 2.0, height + radius + 5.0, width / 2.0], radius);
    scene.body.push(body("ball", shape, 5000.0));
    let track = heights(&mut simulate(&scene, &device), 0.8);
    let depth = |y: f32| (height - (y / D - radius)) / radius;
    let (middle, end) = (depth(track[track.len() * 3 / 4]), depth(track[track.len() - 1]));
    eprintln!("it sinks in by {end:.3} radii");
    assert!(end > 0.3, "it sinks in by {end:.3} radii");
    assert!(end < height / radius - 0.1, "it does not reach the floor: {end:.3} radii");
    assert!((end - middle).abs() < 0.02, "it stays: {middle:.3} and then {end:.3} radii");
}

#[test]
fn runs_with_bodies_repeat_bit_for_bit_and_after_a_resume() {
    let Some(device) = gpu() else { return };
    let mut scene = shower();
    scene.simulation.fps = 100.0;
    let run = || {
        let mut simulation = simulate(&scene, &device);
        simulation.run_until(0.02);
        let checkpoint = simulation.checkpoint().unwrap();
        simulation.run_until(0.06);
        assert_eq!(simulation.failure(), None);
        (checkpoint, simulation)
    };
    let ((checkpoint, first), (again, second)) = (run(), run());
    assert_eq!(checkpoint, again);
    let hash = first.simulator().state_hash();
    assert_eq!(second.simulator().state_hash(), hash, "repeated");
    let options = Options { device: device.clone(), ..Options::default() };
    let mut resumed = Simulation::resume(&checkpoint, &options).unwrap();
    resumed.run_until(0.06);
    assert_eq!(resumed.simulator().state_hash(), hash, "resumed");
    assert_eq!(resumed.simulator().bodies(), first.simulator().bodies());
    let mut on_cpu = Simulation::resume(&checkpoint, &Options::default()).unwrap();
    on_cpu.run_until(0.03);
    assert_eq!(on_cpu.particle_count(), first.particle_count());
}

#[test]
fn bodies_that_are_not_free_tell_the_weight_on_them() {
    let Some(device) = gpu() else { return };
    let mut scene = sand(30.0, 0);
    (scene.iisph.min_iterations, scene.iisph.max_iterations) = (None, 100);
    scene.body.push(body("table", brick([-7.0, -3.0, -7.0], [7.0, 0.0, 7.0]), 1000.0));
    scene.body[0].kind = BodyKind::Static;
    let mut pile = block([-4.0, 0.0, -4.0], [4.0, 3.0, 4.0]);
    (pile.fill, pile.velocity) = (Fill::Lattice, [0.0; 3]);
    scene.grains.push(pile);
    let mut simulation = simulate(&scene, &device);
    simulation.run_until(0.8);
    assert_eq!(simulation.failure(), None);
    let weight = simulation.particle_count() as f32 * 1600.0 * D.powi(3) * 9.81;
    let table = &simulation.bodies()[0];
    assert!((table.force.y / -weight - 1.0).abs() < 0.05, "{} N of {weight} N", table.force);
}

/// Commands reach bodies that are led, and the friction and gravity that bodies feel.
#[test]
fn commands_change_how_bodies_move() {
    let Some(device) = gpu() else { return };
    let scene = shower();
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let tool = |boundary: &str| Command::ToolPose {
        boundary: boundary.into(),
        position: Vec3::new(0.0, -0.01, 0.0),
        rotation: Quat::IDENTITY,
        velocity: Vec3::new(0.0, -1.0, 0.0),
        angular_velocity: Vec3::ZERO,
    };
    assert_eq!(cpu.apply(&tool("ball")), gpu.apply(&tool("ball")), "free bodies are not led");
    for command in [Command::Gravity(Vec3::new(3.0, -20.0, 0.0)), tool("torus")] {
        cpu.apply(&command).unwrap();
        gpu.apply(&command).unwrap();
        for _ in 0..3 {
            cpu.step();
            gpu.step();
        }
        assert_eq!(gpu.failure(), None);
        let [velocity, force, _] = apart(&cpu, &gpu);
        assert!(velocity < 1e-4 && force < 1e-3, "{command:?}: {velocity} {force}");
    }
    assert!(gpu.simulator().bodies()[0].velocity.x > 0.01, "gravity pulls sideways");
    assert_eq!(gpu.simulator().bodies()[2].velocity, Vec3::new(0.0, -1.0, 0.0));
}

/// A push acts at once as on the CPU, the grains around feel it alike, and what cannot be pushed is refused alike.
#[test]
fn pushes_change_bodies_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let scene = shower();
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let push = |body: &str, impulse, point| Command::PushBody { body: body.into(), impulse, point };
    let impulse = Vec3::new(0.2, -0.1, 0.05);
    let corner = D * Vec3::new(7.0, 7.0, 2.0);
    for command in [push("ball", impulse, None), push("brick", impulse, Some(corner))] {
        let before = gpu.simulator().bodies();
        assert_eq!(cpu.apply(&command), gpu.apply(&command));
        let after = gpu.simulator().bodies();
        let k = usize::from(matches!(&command, Command::PushBody { body, .. } if body == "brick"));
        let gained = after[k].mass * (after[k].velocity - before[k].velocity);
        assert!((gained - impulse).length() < 1e-3 * impulse.length(), "{gained}");
        assert_eq!(k == 1, after[k].angular_velocity != before[k].angular_velocity);
        for _ in 0..3 {
            cpu.step();
            gpu.step();
        }
        assert_eq!(gpu.failure(), None);
        let [velocity, force, _] = apart(&cpu, &gpu);
        assert!(velocity < 1e-4 && force < 1e-3, "{command:?}: {velocity} {force}");
    }
    for wrong in [push("torus", Vec3::X, None), push("bal", Vec3::X, None), push("ball", Vec3::NAN, None)] {
        assert!(gpu.apply(&wrong).is_err());
        assert_eq!(gpu.apply(&wrong), cpu.apply(&wrong));
    }
}
