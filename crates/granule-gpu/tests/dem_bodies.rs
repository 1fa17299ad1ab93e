//! Rigid bodies among distinct elements on a device against the CPU's.

mod common;

use common::bodies::{apart as bodies_apart, momentum_of_spheres};
use common::dem::{RADIUS, block, pouring};
use common::gpu;
use common::runs::{apart, frames, options, simulate};
use glam::DVec3;
use granule::boundary::Shape;
use granule::scene::{BodyKind, Scene};
use granule::{Device, Simulation};

/// Grains that hit a slab and a light ball, a ring that spins, and a paddle that turns whatever hits it; the ball lies on the slab, so
/// that rapier has something to say.
fn bodies() -> Scene {
    let walls = "[[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, -0.05, 0], normal = [0, 1, 0] }\n\
        [[body]]\nname = \"slab\"\ndensity = 900\nshape.box = { min = [0, -0.05, 0], max = [0.06, -0.02, 0.06] }\n\
        [[body]]\nname = \"ball\"\ndensity = 300\nshape.sphere = { center = [0.04, -0.0095, 0.03], radius = 0.01 }\n\
        [[body]]\nname = \"ring\"\ndensity = 600\nangular_velocity = [0, 90, 200]\nvelocity = [0, 0.3, 0]\n\
        shape.mesh = { file = \"builtin:torus\", size = 0.05, axis = [1, 0, 0], angle = 70, position = [0.1, -0.01, 0.03] }\n\
        [[body]]\nname = \"paddle\"\nkind = \"keyframed\"\nshape.box = { min = [0.0, -0.01, 0.065], max = [0.1, -0.002, 0.1] }\n\
        [body.motion]\npivot = [0.05, 0, 0.08]\n\
        keyframe = [{ time = 0, axis = [0, 0, 1], angle = 0 }, { time = 0.5, axis = [0, 0, 1], angle = 360 }]\n";
    let grains = block([0.13, 0.06, 0.09], [0.5, -3.0, 0.2]).replace("0.001, 0", "0.015, 0");
    pouring(&format!("{grains}{walls}"))
}

/// The same without what holds momentum: gravity, the floor and the paddle.
fn cloud() -> Scene {
    let mut scene = bodies();
    scene.simulation.gravity = [0.0; 3];
    scene.boundary.clear();
    scene.body.truncate(3);
    scene.grains[0].shape = Shape::Box { min: [0.02, 0.015, 0.0], max: [0.12, 0.045, 0.05], hollow: false };
    scene
}

/// Momentum of grains and free bodies [kg m/s], and their energy of motion without rotation of bodies [J].
fn totals(simulation: &mut Simulation, energy: f64) -> (DVec3, f64) {
    let bodies = simulation.simulator().bodies();
    let of_bodies =
        bodies.iter().map(|body| f64::from(body.mass) * body.velocity.as_dvec3().length_squared());
    (momentum_of_spheres(simulation), energy + 0.5 * of_bodies.sum::<f64>())
}

/// Both devices after some steps of a scene.
fn both(scene: &Scene, steps: usize, device: &Device) -> [(Simulation, f64); 2] {
    let mut scene = scene.clone();
    scene.simulation.fps = 1.0 / (steps as f64 * simulate(&scene, &Device::Cpu).step().dt);
    [&Device::Cpu, device].map(|device| {
        let mut simulation = simulate(&scene, device);
        let last = frames(&mut simulation, 1);
        assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
        (simulation, last.kinetic_energy)
    })
}

#[test]
fn bodies_move_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let [(mut cpu, _), (mut gpu, _)] = both(&bodies(), 200, &device);
    assert_eq!((cpu.steps(), cpu.particle_count()), (gpu.steps(), gpu.particle_count()));
    let grains = apart(&cpu.read(&["position"]).unwrap(), &gpu.read(&["position"]).unwrap()) / RADIUS;
    let (a, b) = (cpu.simulator().bodies(), gpu.simulator().bodies());
    let way = a.iter().zip(&b).map(|(a, b)| (a.center - b.center).length()).fold(0.0, f32::max);
    let way = f64::from(way) / RADIUS;
    let turned =
        a.iter().zip(&b).map(|(a, b)| 1.0 - a.pose.rotation.dot(b.pose.rotation).abs()).fold(0.0, f32::max);
    let moved = bodies_apart(&cpu, &gpu);
    eprintln!(
        "{} grains {grains:.2e} radii, bodies {way:.2e} radii, {turned:.1e}, {moved:?}",
        gpu.particle_count()
    );
    assert!(
        a.iter().all(|body| body.kind != BodyKind::Dynamic || body.angular_velocity.length() > 0.1),
        "{a:?}"
    );
    assert!(a[3].force.length() > 0.0, "{a:?}");
    assert!(grains < 1e-4 && way < 1e-5 && turned < 1e-6, "{grains} {way} {turned}");
    assert!(moved[0] < 1e-5 && moved[1] < 1e-3 && moved[2] < 1e-3, "{moved:?}");
}

/// A ball and a ring that fall on a slab without any grain, until they lie there.
#[test]
fn bodies_alone_move_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let mut scene = bodies();
    scene.grains.clear();
    let [(cpu, _), (gpu, _)] = both(&scene, 400, &device);
    let (a, b) = (cpu.simulator().bodies(), gpu.simulator().bodies());
    let way = a.iter().zip(&b).map(|(a, b)| (a.center - b.center).length()).fold(0.0, f32::max);
    eprintln!("{:.2e} radii", f64::from(way) / RADIUS);
    assert_eq!(cpu.steps(), gpu.steps());
    assert!(a[2].velocity.y < 0.3 && f64::from(way) < 1e-4 * RADIUS, "{way} {a:?}");
}

/// What grains lose bodies have, and the other way round; over 2,000 steps both devices do the same to all together.
#[test]
fn momentum_of_grains_and_bodies_is_kept_and_totals_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let scene = cloud();
    let before = totals(&mut simulate(&scene, &Device::Cpu), 0.0).0;
    let [cpu, gpu] = both(&scene, 2000, &device).map(|(mut simulation, energy)| {
        assert!(simulation.steps() >= 1990);
        totals(&mut simulation, energy)
    });
    eprintln!("momentum {before}, then {cpu:?} and {gpu:?}");
    for (momentum, _) in [cpu, gpu] {
        assert!((momentum - before).length() < 1e-5 * before.length(), "{momentum} of {before}");
    }
    assert!((cpu.1 - gpu.1).abs() < 0.02 * cpu.1, "energy");
}

#[test]
fn runs_with_bodies_repeat_and_resume_to_the_same_bits() {
    let Some(device) = gpu() else { return };
    let mut scene = bodies();
    scene.simulation.fps = 500.0;
    scene.simulation.body_interval = Some(3e-4);
    let hash = |simulation: &Simulation| simulation.simulator().state_hash();
    let bodies = |simulation: &Simulation| format!("{:?}", simulation.simulator().bodies());
    let mut first = simulate(&scene, &device);
    frames(&mut first, 2);
    let checkpoint = first.checkpoint().unwrap();
    let halfway = hash(&first);
    frames(&mut first, 1);
    let mut again = simulate(&scene, &device);
    while again.frame() < 3 {
        again.step();
    }
    assert_eq!((hash(&again), bodies(&again)), (hash(&first), bodies(&first)));
    let mut resumed = Simulation::resume(&checkpoint, &options(&device)).unwrap();
    assert_eq!((hash(&resumed), resumed.checkpoint().unwrap()), (halfway, checkpoint.clone()));
    frames(&mut resumed, 1);
    assert_eq!((hash(&resumed), bodies(&resumed)), (hash(&first), bodies(&first)));
    let mut cpu = Simulation::resume(&checkpoint, &options(&Device::Cpu)).unwrap();
    let mut back = Simulation::resume(&cpu.checkpoint().unwrap(), &options(&device)).unwrap();
    assert_eq!((hash(&back), back.contacts().len()), (halfway, cpu.contacts().len()));
    frames(&mut back, 1);
    assert_eq!((hash(&back), bodies(&back)), (hash(&first), bodies(&first)));
}

/// Which built-in scenes a device takes with distinct elements, and how far they get. `GRANULE_SCENE_SECONDS` is how long each may
/// take, 1 s where it is not set; `GRANULE_SCENES` names those that are wanted, with commas.
#[test]
#[ignore = "takes minutes without a graphics device; it lists, and fails only where a run fails"]
fn built_in_scenes() {
    let Some(device) = gpu() else { return };
    let seconds: f64 =
        std::env::var("GRANULE_SCENE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let wanted = std::env::var("GRANULE_SCENES").unwrap_or_default();
    let all = granule::scene::builtin_scenes().iter();
    for scene in all.filter(|scene| wanted.is_empty() || wanted.split(',').any(|name| name == scene.name)) {
        let sets = [("simulation.solver".to_string(), "dem".to_string())];
        let made = Scene::open(scene.name, true, &sets).map_err(|error| format!("not for dem: {error}"));
        let made = made.and_then(|scene| {
            Simulation::new(scene, &options(&device)).map_err(|error| format!("refused: {error}"))
        });
        let mut simulation = match made {
            Ok(simulation) => simulation,
            Err(reason) => {
                eprintln!("{}: {}", scene.name, reason.replace('\n', " "));
                continue;
            }
        };
        let start = std::time::Instant::now();
        let energy = loop {
            let last = simulation.step();
            if simulation.failure().is_some()
                || start.elapsed().as_secs_f64() > seconds
                || simulation.frame() > 20
            {
                break last.kinetic_energy;
            }
        };
        eprintln!(
            "{}: runs, {} grains, {} steps to {:.4} s, {} frames, {} lost, {energy:.3e} J, {:?}",
            scene.name,
            simulation.particle_count(),
            simulation.steps(),
            simulation.time(),
            simulation.frame(),
            simulation.lost(),
            simulation.failure(),
        );
        assert_eq!(simulation.failure(), None, "{}", scene.name);
    }
}

/// A lid that presses grains with a force, moved by keyframes as well, over a plate that holds a pressure sideways from a later time on.
fn press() -> Scene {
    let walls = "[[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n\
        [[boundary]]\nname = \"lid\"\nshape.box = { min = [-0.02, 0.062, -0.02], max = [0.12, 0.08, 0.08] }\n\
        [boundary.motion]\nservo = { direction = [0, -1, 0], force = 40, mass = 0.2, damping = 5, max_speed = 2 }\n\
        keyframe = [{ time = 0 }, { time = 1, translation = [0.1, 0, 0] }]\n\
        [[boundary]]\nname = \"side\"\nshape.box = { min = [0.101, -0.02, -0.02], max = [0.12, 0.06, 0.08] }\n\
        [boundary.motion]\nservo = { direction = [-1, 0, 0.2], pressure = 2e3, area = 5e-3, mass = 0.1, start = 0.0015 }\n";
    pouring(&format!("{}{walls}", block([0.1, 0.06, 0.06], [0.2, -1.0, 0.1])))
}

#[test]
fn walls_that_hold_a_force_move_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let [(mut cpu, _), (mut gpu, _)] = both(&press(), 200, &device);
    let grains = apart(&cpu.read(&["position"]).unwrap(), &gpu.read(&["position"]).unwrap()) / RADIUS;
    let (a, b) = (cpu.simulator().boundary_poses(), gpu.simulator().boundary_poses());
    let way = |k: usize| (a[k].translation - b[k].translation).length() as f64 / RADIUS;
    eprintln!("{grains:.2e} radii, walls at {a:?}, {:.2e} and {:.2e} radii", way(1), way(2));
    assert!(a[1].translation.y.abs() > 1e-4 && a[2].translation.x.abs() > 1e-5, "both have moved: {a:?}");
    assert!(grains < 1e-4 && way(1) < 1e-4 && way(2) < 1e-4, "{grains} {} {}", way(1), way(2));
}

#[test]
fn runs_with_walls_that_hold_a_force_repeat_and_resume_to_the_same_bits() {
    let Some(device) = gpu() else { return };
    let mut scene = press();
    scene.simulation.fps = 1000.0;
    let state = |simulation: &Simulation| {
        (simulation.simulator().state_hash(), format!("{:?}", simulation.simulator().boundary_poses()))
    };
    let mut first = simulate(&scene, &device);
    frames(&mut first, 2);
    let checkpoint = first.checkpoint().unwrap();
    frames(&mut first, 1);
    let mut again = simulate(&scene, &device);
    while again.frame() < 3 {
        again.step();
    }
    assert_eq!(state(&again), state(&first));
    let cpu = Simulation::resume(&checkpoint, &options(&Device::Cpu)).unwrap();
    for checkpoint in [&checkpoint, &cpu.checkpoint().unwrap()] {
        let mut resumed = Simulation::resume(checkpoint, &options(&device)).unwrap();
        frames(&mut resumed, 1);
        assert_eq!(state(&resumed), state(&first));
    }
}
