//! Water with rigid bodies, air and emitters on a device: as on the CPU, conserved, and the same bits again.

mod common;

use std::ops::ControlFlow;

use common::bodies::{
    add_cloud_and_bodies, add_floating_box, apart, ball, body, brick, change_of_momentum, late_height,
};
use common::water::{block, compare, dam, tank, water};
use common::{D, difference, gpu, simulate};
use glam::Vec3;
use granule::boundary::{Keyframe, Motion, Shape};
use granule::scene::{BodyKind, DragLaw, EmitterSettings, Fill, Scene, WindField};
use granule::simulator::Command;
use granule::{Device, Options, Simulation};

/// A ball and a turning brick that water falls on, and a paddle that is led through it.
fn shower() -> Scene {
    let mut scene = water();
    scene.boundary.push(tank([14.0, 30.0, 14.0]));
    let mut falling = block([0.5, 0.5, 0.5], [13.5, 5.5, 13.5]);
    falling.velocity = [0.0, 2.0, 0.5];
    scene.grains.push(falling);
    scene.body.push(body("ball", ball([4.0, 8.5, 4.0], 2.5), 500.0));
    scene.body.push(body("brick", brick([7.0, 6.2, 2.0], [12.0, 8.2, 8.0]), 2000.0));
    scene.body[1].angular_velocity = [90.0, 0.0, -200.0];
    scene.body[1].friction = Some(0.3);
    let mut led = body("paddle", brick([2.0, 6.0, 9.0], [9.0, 7.5, 12.0]), 1000.0);
    led.kind = BodyKind::Keyframed;
    let key = |time, y, angle| Keyframe { time, translation: [0.0, y, 0.0], axis: [0.0, 1.0, 0.0], angle };
    led.motion =
        Some(Motion { keyframe: vec![key(0.0, 0.0, 0.0), key(1.0, -0.5, 90.0)], ..Motion::default() });
    scene.body.push(led);
    scene
}

/// Wind of every kind over the surface of a block.
fn windy() -> Scene {
    let mut scene = dam();
    let mut air = granule::scene::AirSettings { occlusion: true, ..Default::default() };
    air.wind.push(WindField::Uniform { velocity: [60.0, 0.0, -20.0] });
    air.wind.push(WindField::Vortex {
        center: [0.2, 0.2, 0.1],
        axis: [0.0, 1.0, 0.3],
        core_radius: 0.1,
        speed: 30.0,
    });
    scene.air = Some(air);
    scene
}

#[test]
fn water_pushes_bodies_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let scene = shower();
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let mut pushed = [false; 3];
    for step in 0..40 {
        let (a, b) = (cpu.step(), gpu.step());
        assert_eq!(gpu.failure(), None);
        assert!((a.dt / b.dt - 1.0).abs() < 1e-4, "{} {}", a.dt, b.dt);
        let [velocity, force, torque] = apart(&cpu, &gpu);
        eprintln!("step {step}: bodies differ by {velocity:.1e} m/s, force {force:.1e}, torque {torque:.1e}");
        assert!(velocity < 3e-5 && force < 4e-3 && torque < 2e-3, "{velocity} {force} {torque}");
        for (pushed, body) in pushed.iter_mut().zip(cpu.simulator().bodies()) {
            *pushed |= body.force.length() > 0.1;
        }
    }
    assert_eq!(pushed, [true; 3], "water has pushed all bodies");
    let (a, b) = (cpu.read(&["position", "velocity"]).unwrap(), gpu.read(&["position", "velocity"]).unwrap());
    let apart = ["position", "velocity"].map(|field| difference(&a, &b, field));
    eprintln!("positions and velocities differ by {:.1e} and {:.1e}", apart[0], apart[1]);
    assert!(apart[0] < 5e-6 && apart[1] < 1e-4, "{apart:?}");
}

#[test]
fn water_and_bodies_keep_their_momentum_together() {
    let Some(device) = gpu() else { return };
    let mut scene = water();
    scene.wcsph.sound_speed = Some(12.0);
    add_cloud_and_bodies(&mut scene, block([0.0; 3], [8.0; 3]));
    let change = change_of_momentum(&mut simulate(&scene, &device), 300);
    assert!(change < 1e-7, "{change}");
}

#[test]
fn a_light_box_floats_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let (width, height, side) = (12.0, 7.0, 5.0);
    let mut scene = water();
    scene.boundary.push(tank([width, 4.0 * height, width]));
    let mut filling = block([0.0; 3], [width, height, width]);
    (filling.fill, filling.velocity) = (Fill::Lattice, [0.0; 3]);
    scene.grains.push(filling);
    add_floating_box(&mut scene, width, height, side);
    let [mean, on_cpu] = [&device, &Device::Cpu].map(|device| late_height(&scene, device, 0.6));
    eprintln!("it floats at {mean:.3} d, {on_cpu:.3} d on the CPU");
    assert!((mean - on_cpu).abs() < 0.02, "it floats at {mean:.3} d, on the CPU at {on_cpu:.3} d");
    assert!(mean - side / 2.0 < height && mean + side / 2.0 > height, "it floats at {mean:.3} d");
}

#[test]
fn bodies_that_are_led_tell_what_water_does_to_them() {
    let Some(device) = gpu() else { return };
    let mut scene = shower();
    scene.body.drain(..2);
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let mut largest = 0.0f32;
    for _ in 0..40 {
        cpu.step();
        gpu.step();
        assert_eq!(gpu.failure(), None);
        let [_, force, torque] = apart(&cpu, &gpu);
        assert!(force < 2e-3 && torque < 2e-3, "{force} {torque}");
        largest = largest.max(gpu.simulator().bodies()[0].force.length());
    }
    assert!(largest > 1.0, "{largest} N");
}

#[test]
fn wind_drives_water_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    compare(&windy(), 10, &device);
    let mut constant = windy();
    let air = constant.air.get_or_insert_default();
    (air.drag, air.occlusion) = (DragLaw::Constant(0.5), false);
    compare(&constant, 5, &device);
    let velocities = |scene: &Scene| {
        let mut simulation = simulate(scene, &device);
        (0..10).for_each(|_| {
            simulation.step();
        });
        simulation.read(&["velocity"]).unwrap()
    };
    let mut still = windy();
    still.air = None;
    let driven = difference(&velocities(&windy()), &velocities(&still), "velocity");
    assert!(driven > 0.01, "wind changes velocities by {driven}");
}

/// Water with a body, an emitter, air and a wall that moves.
fn busy() -> Scene {
    let mut scene = shower();
    scene.simulation.fps = 250.0;
    scene.air = windy().air;
    scene.emitter.push(EmitterSettings {
        radius: None,
        name: "pipe".into(),
        material: "water".into(),
        shape: Shape::Box {
            min: [2.0 * D, 20.0 * D, 2.0 * D],
            max: [12.0 * D, 20.5 * D, 12.0 * D],
            hollow: false,
        },
        velocity: [0.0, -2.0, 0.0],
        rate: 2500.0,
        time: None,
        grain: Default::default(),
        limit: None,
    });
    let key = |time, x| Keyframe { time, translation: [x, 0.0, 0.0], axis: [0.0, 0.0, 1.0], angle: 0.0 };
    let shape = brick([13.0, 0.0, 0.0], [20.0, 20.0, 14.0]);
    let motion = Some(Motion { keyframe: vec![key(0.0, 0.0), key(0.5, -0.1)], ..Motion::default() });
    let wall = granule::scene::BoundarySettings {
        friction: Some(0.0),
        motion,
        ..granule::scene::BoundarySettings::new("piston", shape)
    };
    scene.boundary.push(wall);
    scene.grains[0].shape = brick([0.5, 0.5, 0.5], [12.5, 5.5, 13.5]);
    scene
}

fn frames(simulation: &mut Simulation, from: u64, to: u64) -> u64 {
    for frame in from..to {
        if frame == 3 {
            simulation.apply(&Command::Gravity(Vec3::new(1.0, -9.0, 0.0))).unwrap();
        }
        let _ = simulation.run_frame(&mut |_, _| ControlFlow::Continue(()));
        assert_eq!(simulation.failure(), None);
    }
    simulation.simulator().state_hash()
}

#[test]
fn runs_repeat_and_resume_bit_for_bit() {
    let Some(device) = gpu() else { return };
    let options = Options { device: device.clone(), ..Options::default() };
    let mut simulation = simulate(&busy(), &device);
    let mut checkpoints = vec![simulation.checkpoint().unwrap()];
    let last = 5;
    for frame in 0..last {
        frames(&mut simulation, frame, frame + 1);
        checkpoints.push(simulation.checkpoint().unwrap());
    }
    assert!(simulation.flow().emitted() > 20, "{} emitted", simulation.flow().emitted());
    let unbroken = simulation.simulator().state_hash();
    assert_eq!(frames(&mut simulate(&busy(), &device), 0, last), unbroken, "repeated");
    for (frame, bytes) in checkpoints.iter().enumerate() {
        let mut resumed = Simulation::resume(bytes, &options).unwrap();
        assert_eq!(frames(&mut resumed, frame as u64, last), unbroken, "from frame {frame}");
        assert_eq!(resumed.simulator().bodies(), simulation.simulator().bodies());
        assert_eq!(resumed.ledger().unaccounted(), 0);
    }
}
