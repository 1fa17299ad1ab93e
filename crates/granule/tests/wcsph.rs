//! The weakly compressible solver: what it must conserve, reproduce and refuse.

mod common;

use std::ops::ControlFlow;

use common::{D, body, mean, simulate, wall};
use glam::Vec3;
use granule::boundary::Shape;
use granule::scene::{
    EmitterSettings, Fill, GrainsSettings, MaterialSettings, Periodic, PressureLaw, SolverKind, WindField,
};
use granule::simd::Instructions;
use granule::simulator::Command;
use granule::solver::Defect;
use granule::sph::KernelKind;
use granule::{Options, Scene, Simulation};

/// A scene of water without walls and particles.
fn water() -> Scene {
    let mut scene = Scene { name: "test".into(), ..Scene::default() };
    scene.simulation.solver = SolverKind::Wcsph;
    scene.material.push(MaterialSettings {
        name: "water".into(),
        density: 1000.0,
        friction_angle: 0.0,
        ..MaterialSettings::default()
    });
    scene
}

/// Water in a block with its corners given in spacings.
fn block(min: [f32; 3], max: [f32; 3], fill: Fill) -> GrainsSettings {
    GrainsSettings { material: "water".into(), ..common::block(min, max, fill) }
}

fn tank(size: [f32; 3]) -> granule::scene::BoundarySettings {
    wall("tank", Shape::Box { min: [0.0; 3], max: size.map(|c| c * D), hollow: true }, Some(0.0))
}

/// Two jittered blocks that fly into each other.
fn clash() -> Scene {
    let mut scene = water();
    scene.simulation.gravity = [0.0; 3];
    let mut left = block([0.0; 3], [8.0; 3], Fill::Jittered);
    left.velocity = [1.0, 0.2, 0.0];
    let mut right = block([9.0, 2.0, 1.0], [15.0, 8.0, 7.0], Fill::Jittered);
    right.velocity = [-0.5, 0.0, 0.3];
    scene.grains.extend([left, right]);
    scene
}

/// Change of the mean velocity by a clash under all forces between pairs [m/s].
fn change_by_a_clash(kernel: KernelKind, defect: Option<Defect>) -> f64 {
    let mut scene = clash();
    scene.simulation.kernel = kernel;
    scene.material[0].viscosity = 1e-3;
    scene.material[0].artificial_viscosity = 0.1;
    scene.material[0].surface_tension = 1.0;
    scene.material[0].surface_smoothing = 0.3;
    let mut simulation = Simulation::new(scene, &Options { defect, ..Options::default() }).unwrap();
    let before = mean(&mut simulation, "velocity");
    let energy: Vec<f64> = (0..600).map(|_| simulation.step().kinetic_energy).collect();
    assert!(defect.is_some() || energy[599] < 0.9 * energy[0], "they met: {} of {}", energy[599], energy[0]);
    let after = mean(&mut simulation, "velocity");
    (0..3).map(|k| (after[k] - before[k]).abs()).fold(0.0, f64::max)
}

#[test]
fn momentum_is_conserved_by_all_pair_forces_and_not_with_a_missing_row_of_neighbors() {
    for kernel in [KernelKind::Cubic, KernelKind::Poly6] {
        let change = change_by_a_clash(kernel, None);
        assert!(change < 5e-5, "{kernel:?}: {change} m/s");
    }
    let change = change_by_a_clash(KernelKind::Cubic, Some(Defect::MissingNeighborRow));
    assert!(change > 5e-4 || change.is_nan(), "{change} m/s");
}

#[test]
fn a_mixture_conserves_momentum() {
    let mut scene = clash();
    scene.material[0].viscosity = 1e-3;
    scene.material[0].surface_tension = 0.5;
    scene.material.push(MaterialSettings {
        name: "oil".into(),
        density: 800.0,
        viscosity: 5e-3,
        pressure: PressureLaw::Ideal,
        ..scene.material[0].clone()
    });
    scene.grains[1].material = "oil".into();
    let mut simulation = simulate(scene);
    let momentum = |simulation: &mut Simulation| {
        let snapshot = simulation.read(&["velocity", "material"]).unwrap();
        let (velocity, material) =
            (snapshot.vec3("velocity").unwrap(), snapshot.integer("material").unwrap());
        let mass = |m: u32| if m == 0 { 1.0 } else { 0.8 };
        [0, 1, 2].map(|k| velocity.iter().zip(material).map(|(v, m)| mass(*m) * f64::from(v[k])).sum::<f64>())
    };
    let before = momentum(&mut simulation);
    (0..400).for_each(|_| {
        simulation.step();
    });
    let after = momentum(&mut simulation);
    for k in 0..3 {
        assert!((after[k] - before[k]).abs() < 2e-2, "{before:?} became {after:?}");
    }
}

/// Largest kinetic and potential energy during a fall into a tank, over that at the start.
fn largest_energy(viscosity: f32, defect: Option<Defect>) -> f64 {
    let mut scene = water();
    scene.material[0].viscosity = viscosity;
    scene.boundary.push(tank([16.0, 40.0, 8.0]));
    scene.grains.push(block([0.0, 2.0, 0.0], [8.0, 14.0, 8.0], Fill::Lattice));
    let mut simulation = Simulation::new(scene, &Options { defect, ..Options::default() }).unwrap();
    let mass = simulation.particle_count() as f64 * 1000.0 * f64::from(D).powi(3);
    let height = |simulation: &mut Simulation| mean(simulation, "position")[1] - 0.5 * f64::from(D);
    let start = mass * 9.81 * height(&mut simulation);
    let mut largest: f64 = 0.0;
    while simulation.time() < 1.0 {
        let mut kinetic = 0.0;
        let _ = simulation.run_frame(&mut |report, _| {
            kinetic = report.kinetic_energy;
            ControlFlow::Continue(())
        });
        largest = largest.max(kinetic + mass * 9.81 * height(&mut simulation));
    }
    largest / start
}

#[test]
fn energy_does_not_grow_unless_viscosity_has_its_printed_sign() {
    for viscosity in [0.0, 1e-4] {
        let largest = largest_energy(viscosity, None);
        assert!(largest < 1.005, "{largest} of the energy at the start");
    }
    let printed = largest_energy(1e-3, Some(Defect::ViscositySign));
    assert!(printed > 1.05 || printed.is_nan(), "{printed} of the energy at the start");
}

/// Lists that reach farther and are kept over several steps change nothing but the order of sums, also of what shields
/// from wind.
#[test]
fn kept_lists_give_what_lists_of_every_step_give() {
    let run = |skin: f32| {
        let mut scene = busy();
        scene.wcsph.skin = skin;
        let air = scene.air.get_or_insert_default();
        air.occlusion = true;
        air.wind.push(WindField::Uniform { velocity: [40.0, 0.0, 0.0] });
        let mut simulation = simulate(scene);
        (0..30).for_each(|_| {
            simulation.step();
        });
        simulation.read(&["position", "velocity", "neighbor_count"]).unwrap()
    };
    let (fresh, kept) = (run(0.0), run(0.2));
    let apart = |field: &str| {
        let pairs = fresh.vec3(field).unwrap().iter().zip(kept.vec3(field).unwrap());
        pairs.map(|(a, b)| Vec3::from(*a).distance(Vec3::from(*b))).fold(0.0, f32::max)
    };
    let (position, velocity) = (apart("position") / D, apart("velocity"));
    assert!(position < 1e-4 && velocity < 1e-3, "{position} d, {velocity} m/s");
    let counts = [&fresh, &kept].map(|s| s.integer("neighbor_count").unwrap().to_vec());
    let differ = counts[0].iter().zip(&counts[1]).filter(|(a, b)| a != b).count();
    assert!(differ <= counts[0].len() / 500, "{differ} of {} neighbour counts", counts[0].len());
}

/// Decay of a shear flow in a periodic box: its first wave's amplitude over that at the start, and what viscosity says.
fn shear_decay(defect: Option<Defect>) -> (f64, f64) {
    let (size, viscosity, seconds) = (16.0, 2e-3, 0.4);
    let mut scene = water();
    scene.simulation.gravity = [0.0; 3];
    let period = Some([0.0, size * D]);
    scene.simulation.periodic = Periodic { x: period, y: period, z: Some([0.0, 8.0 * D]) };
    scene.material[0].viscosity = viscosity;
    scene.wcsph.sound_speed = Some(2.0);
    for (from, to, speed) in [(0.0, 8.0, 0.1), (8.0, 16.0, -0.1)] {
        let mut layer = block([0.0, from, 0.0], [size, to, 8.0], Fill::Lattice);
        layer.velocity = [speed, 0.0, 0.0];
        scene.grains.push(layer);
    }
    let mut simulation = Simulation::new(scene, &Options { defect, ..Options::default() }).unwrap();
    let wave = std::f64::consts::TAU / f64::from(size * D);
    let amplitude = |simulation: &mut Simulation| {
        let snapshot = simulation.read(&["position", "velocity"]).unwrap();
        let rows = snapshot.vec3("position").unwrap().iter().zip(snapshot.vec3("velocity").unwrap());
        rows.map(|(x, v)| f64::from(v[0]) * (wave * f64::from(x[1])).sin()).sum::<f64>()
    };
    let start = amplitude(&mut simulation);
    simulation.run_until(seconds);
    (amplitude(&mut simulation) / start, (-f64::from(viscosity) * wave * wave * seconds).exp())
}

#[test]
fn shear_decays_as_viscosity_says_and_grows_with_its_printed_sign() {
    let (measured, expected) = shear_decay(None);
    assert!((measured.ln() / expected.ln() - 1.0).abs() < 0.1, "{measured} instead of {expected}");
    let (printed, _) = shear_decay(Some(Defect::ViscositySign));
    assert!(printed > 1.0 || printed.is_nan(), "{printed}");
}

/// Distance at which two particles that attract each other come to rest, in supports.
fn distance_at_rest(defect: Option<Defect>) -> f64 {
    let mut scene = water();
    scene.simulation.gravity = [0.0; 3];
    scene.material[0].surface_tension = 1.0;
    scene.material[0].viscosity = 2e-3;
    scene.material[0].artificial_viscosity = 1.0;
    scene.grains.push(block([0.0; 3], [2.0, 1.0, 1.0], Fill::Lattice));
    let mut simulation = Simulation::new(scene, &Options { defect, ..Options::default() }).unwrap();
    assert_eq!(simulation.particle_count(), 2);
    simulation.run_until(4.0);
    let snapshot = simulation.read(&["position"]).unwrap();
    let x = snapshot.vec3("position").unwrap();
    f64::from((Vec3::from(x[0]) - Vec3::from(x[1])).length() / (2.0 * D))
}

#[test]
fn cohesion_keeps_pairs_apart_and_not_with_a_wrong_branch() {
    // Where 2 (1 - q)^3 q^3 = 1/64.
    let sound = distance_at_rest(None);
    assert!((sound - 0.273).abs() < 0.02, "{sound} h");
    let wrong = distance_at_rest(Some(Defect::CohesionBranch));
    assert!((wrong - 0.273).abs() > 0.1, "{wrong} h");
}

/// Everything the solver has, in one scene.
fn busy() -> Scene {
    let mut scene = water();
    scene.simulation.fps = 100.0;
    scene.material[0].viscosity = 1e-4;
    scene.material[0].surface_tension = 0.2;
    scene.material[0].surface_smoothing = 0.1;
    scene.material[0].artificial_viscosity = 0.05;
    scene.material.push(MaterialSettings {
        name: "oil".into(),
        density: 900.0,
        tait_exponent: 3,
        ..scene.material[0].clone()
    });
    scene.boundary.push(tank([16.0, 40.0, 10.0]));
    scene.grains.push(block([0.0; 3], [12.0, 8.0, 10.0], Fill::Jittered));
    scene.grains.push(GrainsSettings {
        radius: None,
        fixed: false,
        material: "oil".into(),
        ..block([0.0, 8.5, 0.0], [8.0, 12.5, 10.0], Fill::Lattice)
    });
    let brick =
        Shape::Box { min: [9.0 * D, 10.0 * D, 2.0 * D], max: [14.0 * D, 14.0 * D, 7.0 * D], hollow: false };
    scene.body.push(body("brick", brick, 700.0));
    scene.emitter.push(EmitterSettings {
        radius: None,
        name: "pipe".into(),
        material: "water".into(),
        shape: Shape::Box {
            min: [4.0 * D, 25.0 * D, 3.0 * D],
            max: [8.0 * D, 25.5 * D, 7.0 * D],
            hollow: false,
        },
        velocity: [0.0, -1.0, 0.0],
        rate: 200.0,
        time: None,
        grain: Default::default(),
        limit: None,
    });
    scene.air = Some(Default::default());
    scene
}

fn hash(threads: usize, instructions: Option<Instructions>) -> u64 {
    let options = Options { threads: Some(threads), instructions, ..Options::default() };
    let mut simulation = Simulation::new(busy(), &options).unwrap();
    simulation.run_until(0.06);
    simulation.simulator().state_hash()
}

#[test]
fn the_state_hash_is_the_same_for_any_threads_and_instructions() {
    let one = hash(1, Some(Instructions::Portable));
    for set in Instructions::ALL.into_iter().filter(|set| set.available()) {
        assert_eq!(hash(2, Some(set)), one, "{}", set.name());
    }
    assert_eq!(hash(4, None), one);
}

fn commands(frame: u64) -> Vec<Command> {
    match frame {
        1 => vec![Command::Choose { path: "material.water.pressure".into(), word: "ideal".into() }],
        2 => vec![Command::Emitter { name: "pipe".into(), open: false }],
        3 => vec![Command::Set { path: "material.oil.viscosity".into(), value: 1e-3 }],
        4 => vec![Command::Gravity(Vec3::new(1.0, -9.0, 0.0)), Command::Wind(Vec3::X)],
        _ => Vec::new(),
    }
}

#[test]
fn a_resumed_run_ends_in_the_same_bits() {
    let frames = 6;
    let run = |simulation: &mut Simulation, from: u64| {
        for frame in from..frames {
            commands(frame).iter().for_each(|command| {
                simulation.apply(command).unwrap();
            });
            let _ = simulation.run_frame(&mut |_, _| ControlFlow::Continue(()));
        }
        simulation.simulator().state_hash()
    };
    let mut simulation = Simulation::new(busy(), &Options::default()).unwrap();
    let mut checkpoints = vec![simulation.checkpoint().unwrap()];
    for frame in 0..frames {
        commands(frame).iter().for_each(|command| {
            simulation.apply(command).unwrap();
        });
        let _ = simulation.run_frame(&mut |_, _| ControlFlow::Continue(()));
        checkpoints.push(simulation.checkpoint().unwrap());
    }
    let unbroken = simulation.simulator().state_hash();
    for (frame, bytes) in checkpoints.iter().enumerate() {
        let mut resumed =
            Simulation::resume(bytes, &Options { threads: Some(1), ..Options::default() }).unwrap();
        assert_eq!(run(&mut resumed, frame as u64), unbroken, "from frame {frame}");
    }
}

#[test]
fn commands_switch_the_pressure_law_and_the_pipe() {
    let mut simulation = Simulation::new(busy(), &Options::default()).unwrap();
    simulation.run_until(0.02);
    let pressure = |simulation: &mut Simulation| {
        let snapshot = simulation.read(&["pressure", "density"]).unwrap();
        let rows = snapshot.scalar("pressure").unwrap().iter().zip(snapshot.scalar("density").unwrap());
        let most = rows.max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
        f64::from(*most.0) / (f64::from(*most.1) - 1000.0)
    };
    let tait = pressure(&mut simulation);
    simulation.apply(&Command::Choose { path: "material.pressure".into(), word: "ideal".into() }).unwrap();
    simulation.step();
    let ideal = pressure(&mut simulation);
    assert!(tait > 1.001 * ideal, "per density, Tait is stiffer: {tait}, {ideal}");
    let wrong = Command::Choose { path: "material.pressure".into(), word: "tate".into() };
    assert!(simulation.apply(&wrong).unwrap_err().to_string().contains("tait"));

    let emitted = simulation.flow().emitted();
    assert!(emitted > 0);
    simulation.apply(&Command::Emitter { name: "pipe".into(), open: false }).unwrap();
    simulation.run_until(0.06);
    assert_eq!(simulation.flow().emitted(), emitted);
    simulation.apply(&Command::Emitter { name: "pipe".into(), open: true }).unwrap();
    simulation.run_until(0.1);
    assert!(simulation.flow().emitted() > emitted);
    let wrong = Command::Emitter { name: "hose".into(), open: true };
    assert!(simulation.apply(&wrong).unwrap_err().to_string().contains("pipe"));
    assert_eq!(simulation.ledger().unaccounted(), 0);
}

#[test]
fn sand_is_refused() {
    let mut scene = water();
    scene.material[0].friction_angle = 30.0;
    let error = scene.validate().unwrap_err().to_string();
    assert!(error.contains("friction_angle") && error.contains("iisph"), "{error}");
}

#[test]
fn a_light_box_floats_half_immersed() {
    let (width, height, side) = (20.0, 12.0, 9.0);
    let mut scene = water();
    scene.material[0].viscosity = 2e-3;
    scene.material[0].artificial_viscosity = 0.05;
    scene.boundary.push(tank([width, 4.0 * height, width]));
    scene.grains.push(block([0.0; 3], [width, height, width], Fill::Lattice));
    let (low, high) = ((width - side) / 2.0 * D, (width + side) / 2.0 * D);
    let shape =
        Shape::Box { min: [low, height * D, low], max: [high, (height + side) * D, high], hollow: false };
    scene.body.push(body("box", shape, 500.0));
    scene.body[0].friction = Some(0.0);
    let mut simulation = simulate(scene);
    simulation.run_until(2.5);
    let mut heights = Vec::new();
    while simulation.time() < 4.0 {
        let _ = simulation.run_frame(&mut |_, _| ControlFlow::Continue(()));
        heights.push(f64::from(simulation.simulator().bodies()[0].center.y / D));
    }
    let center = heights.iter().sum::<f64>() / heights.len() as f64;
    // The water rises by what the box displaces; its centre is then at the level.
    let level = f64::from(height + 0.5 * side.powi(3) / (width * width));
    assert!((center - level).abs() < 1.5, "centre at {center:.2} d, level at {level:.2} d");
    assert_eq!(simulation.lost(), 0);
}
