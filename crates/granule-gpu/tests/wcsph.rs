//! The weakly compressible solver on a device against the CPU's.

mod common;

use std::ops::ControlFlow;

use common::water::{block, compare, dam, tank, water};
use common::{D, difference, gpu, simulate};
use glam::Vec3;
use granule::boundary::{Keyframe, Motion, Shape};
use granule::scene::{BoundarySettings, EmitterSettings, Fill, OutletSettings, Scene};
use granule::simulator::Command;
use granule::sph::KernelKind;
use granule::{Device, Options, Simulation};

#[test]
fn steps_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    compare(&dam(), 1, &device);
    compare(&dam(), 10, &device);
    let mut scene = dam();
    scene.simulation.kernel = KernelKind::Poly6;
    compare(&scene, 5, &device);
}

#[test]
fn drops_and_mixtures_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let mut scene = water();
    scene.simulation.gravity = [0.0; 3];
    scene.simulation.periodic.x = Some([0.0, 12.0 * D]);
    scene.material[0].surface_tension = 1.0;
    scene.material[0].surface_smoothing = 0.5;
    let mut oil = scene.material[0].clone();
    oil.name = "oil".into();
    oil.density = 800.0;
    oil.viscosity = 1e-3;
    oil.tait_exponent = 3;
    scene.material.push(oil);
    scene.grains.push(block([0.0; 3], [12.0, 6.0, 8.0]));
    let mut second = block([0.0, 6.5, 0.0], [6.0, 10.5, 8.0]);
    second.material = "oil".into();
    scene.grains.push(second);
    compare(&scene, 5, &device);
}

#[test]
fn moving_walls_push_water_alike() {
    let Some(device) = gpu() else { return };
    let mut scene = dam();
    let key = |time, x, angle| Keyframe { time, translation: [x, 0.0, 0.0], axis: [0.0, 0.0, 1.0], angle };
    let keyframe = vec![key(0.0, 0.0, 0.0), key(0.004, -0.002, 0.0), key(0.5, -0.1, 90.0)];
    let shape = Shape::Box { min: [0.26, 0.0, 0.0], max: [0.3, 0.2, 0.2], hollow: false };
    let motion = Some(Motion { keyframe, pivot: [0.28, 0.0, 0.1], ..Motion::default() });
    scene.boundary.push(BoundarySettings {
        friction: Some(0.5),
        motion,
        ..BoundarySettings::new("paddle", shape)
    });
    compare(&scene, 10, &device);
}

#[test]
fn repeated_runs_give_the_same_bits_however_they_are_cut_into_batches() {
    let Some(device) = gpu() else { return };
    let mut scene = dam();
    scene.simulation.fps = 250.0;
    let frames = |scene: &Scene| {
        let mut simulation = simulate(scene, &device);
        for _ in 0..2 {
            let _ = simulation.run_frame(&mut |_, _| ControlFlow::Continue(()));
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

/// A pipe into a tank with a drain: room for particles, lists and contacts must grow in the middle of steps.
#[test]
fn water_comes_and_goes_and_none_is_lost() {
    let Some(device) = gpu() else { return };
    let mut scene = water();
    scene.boundary.push(tank([20.0, 40.0, 12.0]));
    scene.grains.push(block([0.5, 0.5, 0.5], [19.5, 6.5, 11.5]));
    scene.emitter.push(EmitterSettings {
        radius: None,
        name: "pipe".into(),
        material: "water".into(),
        shape: Shape::Box {
            min: [4.0 * D, 20.0 * D, 2.0 * D],
            max: [14.0 * D, 20.5 * D, 10.0 * D],
            hollow: false,
        },
        velocity: [0.0, -2.0, 0.0],
        rate: 3000.0,
        time: None,
        grain: Default::default(),
        limit: None,
    });
    scene.outlet.push(OutletSettings {
        name: "drain".into(),
        shape: Shape::Box { min: [0.0, 0.0, 0.0], max: [3.0 * D, 2.0 * D, 12.0 * D], hollow: false },
        time: None,
    });
    let mut simulation = simulate(&scene, &device);
    simulation.run_until(0.06);
    simulation.apply(&Command::Emitter { name: "pipe".into(), open: false }).unwrap();
    let emitted = simulation.flow().emitted();
    simulation.apply(&Command::Choose { path: "material.pressure".into(), word: "ideal".into() }).unwrap();
    simulation.run_until(0.12);
    assert_eq!(simulation.failure(), None);
    assert_eq!(simulation.flow().emitted(), emitted);
    assert!(emitted > 50 && simulation.flow().drained() > 20, "{emitted} {}", simulation.flow().drained());
    assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
    let snapshot = simulation.read(&["density", "speed"]).unwrap();
    let most = |name: &str| snapshot.scalar(name).unwrap().iter().copied().fold(0.0, f32::max);
    assert!(most("density") < 1080.0 && most("speed") < 4.0, "{} {}", most("density"), most("speed"));
}

#[test]
fn a_run_goes_on_on_the_other_device() {
    let Some(device) = gpu() else { return };
    let mut cpu = simulate(&dam(), &Device::Cpu);
    cpu.run_until(0.04);
    let options = Options { device: device.clone(), ..Options::default() };
    let mut gpu = Simulation::resume(&cpu.checkpoint().unwrap(), &options).unwrap();
    let mut back = Simulation::resume(&gpu.checkpoint().unwrap(), &Options::default()).unwrap();
    for simulation in [&mut cpu, &mut gpu, &mut back] {
        (0..3).for_each(|_| {
            simulation.step();
        });
    }
    let [a, b, c] =
        [cpu, gpu, back].map(|mut simulation| simulation.read(&["position", "velocity"]).unwrap());
    for other in [&b, &c] {
        assert!(difference(&a, other, "position") < 1e-5, "{}", difference(&a, other, "position"));
        assert!(difference(&a, other, "velocity") < 5e-3, "{}", difference(&a, other, "velocity"));
    }
}

/// A stray makes the keys of the sort longer than what was recorded: the step halts after its drift and goes on.
#[test]
fn a_stray_far_away_changes_nothing_but_the_passes_of_the_sort() {
    let Some(device) = gpu() else { return };
    let mut scene = dam();
    let mut stray = block([5000.0, 5000.0, 5.0], [5002.0, 5002.0, 7.0]);
    stray.fill = Fill::Lattice;
    scene.boundary[0] = tank([10000.0, 10000.0, 11.0]);
    scene.grains.push(stray);
    scene.wcsph.sound_speed = Some(17.0);
    compare(&scene, 8, &device);
    // Later, too: one is emitted into a run whose keys were short.
    let mut open = dam();
    open.boundary.clear();
    let mut near = simulate(&open, &device);
    let far = Command::Emit {
        material: "water".into(),
        positions: vec![Vec3::new(-300.0, 200.0, 0.1)],
        velocity: Vec3::ZERO,
    };
    (0..3).for_each(|_| {
        near.step();
    });
    let before = near.particle_count();
    assert_eq!(near.apply(&far).unwrap().emitted, 1);
    (0..3).for_each(|_| {
        near.step();
    });
    assert_eq!(near.failure(), None);
    assert_eq!((near.particle_count(), near.lost()), (before + 1, 0));
}

/// A particle that is not finite is removed before it touches its neighbours, also those of lists that are kept.
#[test]
fn a_broken_particle_is_lost_and_no_other() {
    let Some(device) = gpu() else { return };
    let mut simulation = simulate(&dam(), &device);
    simulation.step();
    let broken = Command::Emit {
        material: "water".into(),
        positions: vec![Vec3::new(6.0, 15.6, 6.0) * D],
        velocity: Vec3::new(f32::NAN, 0.0, 0.0),
    };
    assert_eq!(simulation.apply(&broken).unwrap().emitted, 1);
    (0..4).for_each(|_| {
        simulation.step();
    });
    assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (1, 0));
    let speed = simulation.read(&["speed"]).unwrap();
    assert!(speed.scalar("speed").unwrap().iter().all(|speed| *speed < 3.0));
}
