//! Grains that come and go, commands, checkpoints and failures on a device.

mod common;

use std::ops::ControlFlow;

use glam::{Quat, Vec3};
use granule::boundary::Shape;
use granule::scene::Scene;
use granule::simulator::Command;
use granule::{Device, Options, Simulation};

use common::{D, dam, gpu, simulate, water};

fn frames(simulation: &mut Simulation, count: u64) {
    for _ in 0..count {
        let _ = simulation.run_frame(&mut |_, _| ControlFlow::Continue(()));
    }
    assert_eq!(simulation.failure(), None);
}

/// Emitters and outlets keep the same books on both devices, and the books balance.
#[test]
fn emitters_and_outlets_work_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    for name in ["heap", "hourglass"] {
        let mut scene = Scene::open(name, true, &[]).unwrap();
        scene.simulation.fps = 50.0;
        let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
        frames(&mut cpu, 4);
        frames(&mut gpu, 4);
        let (a, b) = (cpu.ledger(), gpu.ledger());
        assert_eq!((a.unaccounted(), b.unaccounted()), (0, 0), "{name}");
        assert_eq!((a.initial, a.emitted, a.lost), (b.initial, b.emitted, b.lost), "{name}: {a:?} {b:?}");
        assert!(a.drained.abs_diff(b.drained) <= 2, "{name}: {a:?} {b:?}");
        let ids = gpu.read(&["id"]).unwrap();
        let ids = ids.integer("id").unwrap();
        assert_eq!(ids.len(), gpu.particle_count());
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{name}: ids are unique");
    }
}

#[test]
fn commands_change_what_follows_and_wrong_ones_are_refused() {
    let Some(device) = gpu() else { return };
    let scene = Scene::open("column", true, &[]).unwrap();
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let commands = [
        Command::Gravity(Vec3::new(1.0, -5.0, 0.0)),
        Command::Set { path: "material.sand.friction_angle".into(), value: 20.0 },
        Command::Set { path: "material.sand.viscosity".into(), value: 0.01 },
        Command::Wind(Vec3::new(3.0, 0.0, 0.0)),
        Command::ToolPose {
            boundary: "floor".into(),
            position: Vec3::new(0.0, -0.01, 0.0),
            rotation: Quat::IDENTITY,
            velocity: Vec3::Y,
            angular_velocity: Vec3::ZERO,
        },
        Command::Emit {
            material: "sand".into(),
            positions: vec![Vec3::new(0.0, 2.0, 0.0), Vec3::new(0.001, 2.0, 0.0), Vec3::new(0.0, 0.1, 0.0)],
            velocity: Vec3::ZERO,
        },
    ];
    for command in &commands {
        let (a, b) = (cpu.apply(command).unwrap(), gpu.apply(command).unwrap());
        assert_eq!(a, b, "{command:?}");
        cpu.step();
        gpu.step();
        assert_eq!(gpu.failure(), None);
    }
    let fields = ["position", "velocity"];
    let (a, b) = (cpu.read(&fields).unwrap(), gpu.read(&fields).unwrap());
    for field in fields {
        let pairs = a.vec3(field).unwrap().iter().zip(b.vec3(field).unwrap());
        let apart = pairs.map(|(a, b)| Vec3::from(*a).distance(Vec3::from(*b))).fold(0.0, f32::max);
        assert!(apart < 1e-3, "{field}: {apart}");
    }
    let wrong = Command::Set { path: "material.sand.radius".into(), value: 1.0 };
    assert!(gpu.apply(&wrong).is_err());
    let wrong = Command::Emit { material: "gold".into(), positions: Vec::new(), velocity: Vec3::ZERO };
    assert_eq!(gpu.apply(&wrong), cpu.apply(&wrong));
}

/// A checkpoint goes on bit for bit on the device, and on the CPU as well.
#[test]
fn checkpoints_go_on_on_either_device() {
    let Some(device) = gpu() else { return };
    let scene = Scene::open("column", true, &[]).unwrap();
    let options = Options { device: device.clone(), ..Options::default() };
    let mut unbroken = simulate(&scene, &device);
    frames(&mut unbroken, 2);
    let bytes = unbroken.checkpoint().unwrap();
    frames(&mut unbroken, 2);
    let mut resumed = Simulation::resume(&bytes, &options).unwrap();
    frames(&mut resumed, 2);
    assert_eq!(resumed.simulator().state_hash(), unbroken.simulator().state_hash());
    let mut on_cpu = Simulation::resume(&bytes, &Options::default()).unwrap();
    frames(&mut on_cpu, 1);
    assert_eq!(on_cpu.particle_count(), unbroken.particle_count());
    assert_eq!(on_cpu.frame(), 3);
}

/// A particle that is not finite is removed and counted; a stray far away costs nothing.
#[test]
fn strays_are_kept_and_broken_particles_are_lost() {
    let Some(device) = gpu() else { return };
    let scene = Scene::open("column", true, &[]).unwrap();
    let mut simulation = simulate(&scene, &device);
    let count = simulation.particle_count();
    let emit =
        |position, velocity| Command::Emit { material: "sand".into(), positions: vec![position], velocity };
    simulation.apply(&emit(Vec3::new(3e6, 1e6, -2e6), Vec3::ZERO)).unwrap();
    let report = simulation.step();
    assert_eq!((report.particles, report.lost), (count + 1, 0));
    simulation.apply(&emit(Vec3::new(0.0, 3.0, 0.0), Vec3::new(f32::NAN, 0.0, 0.0))).unwrap();
    let report = simulation.step();
    assert_eq!((report.particles, report.lost), (count + 1, 1));
    simulation.step();
    assert_eq!(simulation.ledger().unaccounted(), 0);
    let speed = simulation.read(&["speed"]).unwrap();
    assert_eq!(speed.scalar("speed").unwrap().len(), count + 1);
    assert!(speed.scalar("speed").unwrap().iter().all(|speed| speed.is_finite()));
}

/// A crowd far denser than sand needs longer lists than there is room for at first: room is made, nothing is dropped.
#[test]
fn lists_that_do_not_fit_are_built_again() {
    let Some(device) = gpu() else { return };
    let mut scene = Scene::open("column", true, &[]).unwrap();
    scene.simulation.support = 2.9;
    scene.boundary.clear();
    let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
    let (a, b) = (cpu.step(), gpu.step());
    assert_eq!(gpu.failure(), None);
    assert!(a.neighbors_mean > 60.0, "{}", a.neighbors_mean);
    assert!((a.neighbors_mean - b.neighbors_mean).abs() < 1e-3, "{} {}", a.neighbors_mean, b.neighbors_mean);
    let field = ["neighbor_count"];
    assert_eq!(
        cpu.read(&field).unwrap().integer("neighbor_count"),
        gpu.read(&field).unwrap().integer("neighbor_count")
    );
}

/// A command takes the same grains on both devices, also one that came just before; books, checkpoints and steps go on.
#[test]
fn commands_remove_the_same_grains_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    for scene in [dam(4), water::dam()] {
        let solver = scene.simulation.solver;
        let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
        let bite = Shape::Subtraction(vec![
            Shape::ball([6.0, 7.0, 5.0].map(|c| c * D), 3.0 * D),
            Shape::cuboid([-9.0; 3], [9.0, 6.0 * D, 9.0]),
        ]);
        let above = D * Vec3::new(15.0, 18.0, 5.0);
        let emit = Command::Emit {
            material: scene.material[0].name.clone(),
            positions: vec![above],
            velocity: Vec3::new(0.0, -1.0, 0.0),
        };
        let remove = |region| Command::Remove { region };
        let rounds = [vec![remove(bite)], vec![emit, remove(Shape::ball(above.to_array(), 0.5 * D))]];
        for (round, removed) in rounds.into_iter().zip([20, 1]) {
            for command in round {
                let before = gpu.particle_count();
                let (a, b) = (cpu.apply(&command).unwrap(), gpu.apply(&command).unwrap());
                assert_eq!(a, b, "{solver:?}: {command:?}");
                assert_eq!(gpu.particle_count(), before + b.emitted - b.removed);
                assert!(b.emitted == 1 || b.removed >= removed, "{solver:?}: {b:?}");
                let ids = gpu.read(&["id"]).unwrap();
                assert_eq!(ids.integer("id"), cpu.read(&["id"]).unwrap().integer("id"));
                assert_eq!((gpu.ledger(), gpu.ledger().unaccounted()), (cpu.ledger(), 0));
            }
            frames(&mut gpu, 1);
            frames(&mut cpu, 1);
            assert_eq!((gpu.ledger(), gpu.ledger().unaccounted()), (cpu.ledger(), 0));
        }
        let options = Options { device: device.clone(), ..Options::default() };
        let mut resumed = Simulation::resume(&gpu.checkpoint().unwrap(), &options).unwrap();
        assert_eq!(resumed.ledger(), gpu.ledger());
        frames(&mut resumed, 1);
        frames(&mut gpu, 1);
        assert_eq!(resumed.simulator().state_hash(), gpu.simulator().state_hash(), "{solver:?}");
        let wrong = Command::Remove { region: Shape::ball([0.0; 3], 0.0) };
        assert_eq!(gpu.apply(&wrong), cpu.apply(&wrong));
        assert!(gpu.apply(&wrong).unwrap_err().to_string().contains("radius"));
        let ball = |k: u8| Shape::ball([0.1 * f32::from(k), 0.0, 0.0], 9.0);
        let lens = |_| Shape::Intersection((0..20).map(ball).collect());
        let involved = Shape::Intersection(vec![Shape::Union((0..3).map(lens).collect()), ball(0)]);
        let refused = gpu.apply(&remove(involved)).unwrap_err().to_string();
        assert!(refused.contains("multiplied out"), "{refused}");
        assert_eq!(gpu.failure(), None, "a wrong region ends nothing");
    }
}
