//! Rigid grains of several spheres on a device against the CPU's.

mod common;

use std::sync::Arc;

use common::runs::{apart, frames, options, repeat_and_resume, simulate};
use common::{adapter, difference, gpu};
use glam::{DQuat, DVec3, Vec3};
use granule::assemblies::{MassProperties, NewAssembly, Sphere};
use granule::bodies::Bodies;
use granule::boundary::Boundaries;
use granule::clumps::{ClumpShape, PlacedAssembly};
use granule::particles::{NewClump, NewGrain, NewParticle};
use granule::position::ExactPosition;
use granule::scene::{Scene, SolverKind};
use granule::simulator::{Command, Simulator, StepReport};
use granule::solver::saved::SavedState;
use granule::solver::{SolverEntry, SolverInput};
use granule::team::Team;
use granule::{Device, Simulation};
use granule_gpu::core::simulation::NewGrains;
use granule_gpu::{GpuSimulation, METHODS};

/// Radius of the sphere of a grain's volume [m].
const RADIUS: f64 = 0.005;

/// Grains that fall into a box, some of them spheres, with what a test adds.
fn pouring(grain: &str, more: &str) -> Scene {
    let text = format!(
        "name = \"pouring\"\n[simulation]\nsolver = \"dem\"\nfps = 100\n{more}[[material]]\nname = \"glass\"\n\
         radius = 0.005\ndensity = 2500\n[material.dem]\nyoung = 5e6\npoisson = 0.3\nrestitution = 0.5\nfriction = 0.5\n\
         [[grains]]\nmaterial = \"glass\"\ngrain = \"{grain}\"\nfill = \"lattice\"\nvelocity = [0.3, -1, 0.1]\n\
         shape.box = {{ min = [0, 0, 0], max = [0.05, 0.05, 0.04] }}\n\
         [[grains]]\nmaterial = \"glass\"\nfill = \"random\"\nradius = 0.004\nvelocity = [0, -1, 0]\n\
         shape.box = {{ min = [0, 0.055, 0], max = [0.05, 0.065, 0.04] }}\n\
         [[boundary]]\nname = \"box\"\nshape.box = {{ min = [0, 0, 0], max = [0.05, 0.2, 0.04], hollow = true }}\n"
    );
    Scene::parse(&text, "pouring").unwrap()
}

/// Tetrahedra and rods hit the floor and each other: 300 steps.
#[test]
fn a_pouring_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    for grain in ["tetrahedron", "rod"] {
        let mut scene = pouring(grain, "");
        scene.simulation.fps = 1.0 / (300.0 * simulate(&scene, &device).step().dt);
        let (mut cpu, mut gpu) = (simulate(&scene, &Device::Cpu), simulate(&scene, &device));
        let (a, b) = (frames(&mut cpu, 1), frames(&mut gpu, 1));
        assert_eq!((cpu.steps(), cpu.particle_count()), (gpu.steps(), gpu.particle_count()));
        assert_eq!(cpu.grain_count(), gpu.grain_count());
        assert!(gpu.grain_count() < gpu.particle_count() && a.neighbors_mean > 0.1, "{}", a.neighbors_mean);
        assert!((a.kinetic_energy - b.kinetic_energy).abs() < 1e-4 * a.kinetic_energy, "{a:?} {b:?}");
        let fields = ["position", "velocity", "angular_velocity", "orientation", "grain", "coordination"];
        let (x, y) = (cpu.read(&fields).unwrap(), gpu.read(&fields).unwrap());
        let found =
            [apart(&x, &y) / RADIUS, difference(&x, &y, "velocity"), difference(&x, &y, "orientation")];
        eprintln!("{grain}: {} grains, {:.2} contacts: {found:?}", gpu.grain_count(), a.neighbors_mean);
        assert!(found[0] < 1e-5 && found[1] < 1e-4 && found[2] < 1e-5, "{grain}: {found:?}");
        assert!(difference(&x, &y, "angular_velocity") < 1e-3, "{grain}");
        assert_eq!(difference(&x, &y, "grain"), 0.0, "{grain}");
        assert_eq!(difference(&x, &y, "coordination"), 0.0, "{grain}");
    }
}

/// Totals over 2,000 steps: energy, mean height and mean velocity of what falls and comes to rest.
#[test]
fn totals_are_those_of_the_cpu_over_thousands_of_steps() {
    let Some(device) = gpu() else { return };
    let mut scene = pouring("tetrahedron", "");
    scene.simulation.fps = 1.0 / (100.0 * simulate(&scene, &device).step().dt);
    let [a, b] = [Device::Cpu, device].map(|device| {
        let mut simulation = simulate(&scene, &device);
        let falling = simulation.step().kinetic_energy;
        frames(&mut simulation, 10);
        // Means over the second half: a grain that bounces has contacts or none.
        let late: Vec<_> = (0..10).map(|_| frames(&mut simulation, 1)).collect();
        let mean = |of: fn(&StepReport) -> f64| late.iter().map(of).sum::<f64>() / 10.0;
        assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
        let snapshot = simulation.read(&["position"]).unwrap();
        let height = snapshot.vec3("position").unwrap().iter().map(|x| f64::from(x[1])).sum::<f64>();
        let energy = mean(|report| report.kinetic_energy) / falling;
        (height / simulation.particle_count() as f64, energy, mean(|report| report.neighbors_mean))
    });
    eprintln!("mean height, share of the energy, contacts: {a:?} {b:?}");
    assert!((a.0 - b.0).abs() < 0.03 * RADIUS, "mean height");
    // Few grains go different ways after hundreds of collisions; what all do together stays nearly the same.
    assert!((a.1 - b.1).abs() < 0.01 && (a.2 - b.2).abs() < 0.05 * a.2, "energy and contacts");
}

#[test]
fn repeated_and_resumed_runs_give_the_same_bits() {
    let Some(device) = gpu() else { return };
    let mut scene = pouring("tetrahedron", "");
    scene.simulation.fps = 300.0;
    repeat_and_resume(&scene, 3, &device);
}

#[test]
fn a_run_goes_on_on_the_other_device() {
    let Some(device) = gpu() else { return };
    let mut scene = pouring("rod", "periodic = { x = [0, 0.05] }\n");
    scene.simulation.fps = 200.0;
    let mut cpu = simulate(&scene, &Device::Cpu);
    frames(&mut cpu, 4);
    let mut gpu = Simulation::resume(&cpu.checkpoint().unwrap(), &options(&device)).unwrap();
    assert_eq!(gpu.grain_count(), cpu.grain_count());
    let fields = [
        "grain",
        "coordination",
        "contact_force",
        "pressure",
        "stress",
        "position",
        "velocity",
        "orientation",
    ];
    let (here, there) = (cpu.read(&fields).unwrap(), gpu.read(&fields).unwrap());
    for field in fields {
        // Orientations are known to 2^-48 there.
        assert!(difference(&here, &there, field) < 1e-6, "{field}");
    }
    assert_eq!(cpu.contacts().len(), gpu.contacts().len());
    assert!(cpu.contacts().len() > 10);
    let mut back = Simulation::resume(&gpu.checkpoint().unwrap(), &options(&Device::Cpu)).unwrap();
    let [a, b, c] = [&mut cpu, &mut gpu, &mut back].map(|simulation| {
        frames(simulation, 1);
        simulation.read(&["position", "velocity", "force", "orientation", "angular_velocity"]).unwrap()
    });
    let found = [
        apart(&a, &b) / RADIUS,
        difference(&a, &b, "velocity"),
        apart(&a, &c) / RADIUS,
        difference(&a, &c, "velocity"),
    ];
    eprintln!("one frame after a change of devices: {found:?}");
    assert!(found[0] < 1e-4 && found[1] < 1e-3 && found[2] < 1e-4 && found[3] < 1e-3, "{found:?}");
}

/// Grains come and go as wholes and are counted once; slots of those that went are taken again.
#[test]
fn grains_come_and_go_as_wholes() {
    let Some(device) = gpu() else { return };
    let more = "[[emitter]]\nname = \"pipe\"\nmaterial = \"glass\"\ngrain = \"tetrahedron\"\nvelocity = [0, -2, 0]\n\
                rate = 2000\nshape.box = { min = [0.005, 0.14, 0.005], max = [0.045, 0.16, 0.035] }\n\
                [[outlet]]\nname = \"drain\"\nshape.box = { min = [-1, -0.1, -1], max = [1, 0.04, 1] }\n\
                [[counter]]\nname = \"through\"\nshape.plane = { point = [0, 0.1, 0], normal = [0, 1, 0] }\n";
    let mut scene = pouring("tetrahedron", "");
    let flow = Scene::parse(&format!("{}{more}", scene.to_toml().unwrap()), "flow").unwrap();
    (scene.emitter, scene.outlet, scene.counter) = (flow.emitter, flow.outlet, flow.counter);
    let [a, b] = [Device::Cpu, device].map(|device| {
        let mut simulation = simulate(&scene, &device);
        simulation.run_until(0.06);
        assert_eq!(simulation.failure(), None);
        let ledger = simulation.ledger();
        assert_eq!((simulation.lost(), ledger.unaccounted()), (0, 0), "{ledger:?}");
        let grain = simulation.read(&["grain"]).unwrap();
        let mut grains = grain.integer("grain").unwrap().to_vec();
        grains.dedup();
        assert_eq!(grains.len(), simulation.grain_count());
        let through = simulation.flow().curve("through").and_then(|curve| curve.last().copied()).unwrap();
        (ledger.emitted, ledger.drained, through[1])
    });
    eprintln!("emitted, drained, through: {a:?} {b:?}");
    assert!(a.0 > 60 && a.1 > 40 && a.2 > 20.0, "{a:?}");
    assert!(a.0.abs_diff(b.0) <= 1 && a.1.abs_diff(b.1) <= 2 && (a.2 - b.2).abs() <= 2.0, "{a:?} {b:?}");
}

/// A command removes whole grains by their centres.
#[test]
fn a_region_takes_whole_grains() {
    let Some(device) = gpu() else { return };
    let scene = pouring("tetrahedron", "");
    let region =
        granule::boundary::Shape::Box { min: [-1.0, -1.0, -1.0], max: [0.025, 1.0, 1.0], hollow: false };
    let [a, b] = [Device::Cpu, device].map(|device| {
        let mut simulation = simulate(&scene, &device);
        simulation.step();
        let removed = simulation.apply(&Command::Remove { region: region.clone() }).unwrap().removed;
        simulation.step();
        (removed, simulation.grain_count(), simulation.particle_count())
    });
    assert_eq!(a, b);
    assert!(a.0 > 10 && a.2 > a.1, "{a:?}");
}

/// A grain that is not finite is lost as a whole, counts once, and takes no other with it.
#[test]
fn a_broken_grain_is_lost_as_a_whole() {
    let Some(device) = gpu() else { return };
    let mut simulation = simulate(&pouring("tetrahedron", ""), &device);
    simulation.step();
    let (grains, spheres) = (simulation.grain_count(), simulation.particle_count());
    let shape = ClumpShape::new(&granule::clumps::NamedClump::Rod.spheres(), 10.0).unwrap();
    let clump = NewClump { shape: Arc::new(shape), orientation: DQuat::IDENTITY };
    let velocity = Vec3::new(f32::NAN, 0.0, 0.0);
    let broken = NewGrain { velocity, radius: 0.005, material: 0, clump: Some(clump) };
    let solver = simulation.solver_as::<GpuSimulation>().unwrap();
    assert_eq!(solver.emit(&[broken], &[Vec3::new(0.025, 0.15, 0.02)]), 1);
    assert_eq!((solver.grain_count(), solver.particle_count()), (grains + 1, spheres + 3));
    let lost: usize = (0..4).map(|_| simulation.step().lost).sum();
    assert_eq!(simulation.failure(), None);
    assert_eq!((lost, simulation.grain_count(), simulation.particle_count()), (1, grains, spheres));
    assert_eq!(simulation.read(&["grain"]).unwrap().integer("grain").unwrap().len(), spheres);
}

/// Three spheres of different size in a bent row: all moments of inertia differ.
fn bent() -> (MassProperties, Vec<Sphere>) {
    let sphere = |x: f32, y: f32, z: f32, radius: f32| Sphere { center: Vec3::new(x, y, z), radius };
    let spheres = [sphere(0.0, 0.0, 0.0, 1.0), sphere(1.2, 0.3, 0.0, 0.8), sphere(1.6, 1.3, 0.4, 0.6)];
    let shape = ClumpShape::new(&spheres, 10.0).unwrap();
    (shape.properties(0.005, 2500.0), shape.spheres(0.005))
}

/// The grain by itself in space, turning about none of its axes.
fn flying() -> (Vec<NewParticle>, PlacedAssembly) {
    let (properties, spheres) = bent();
    let assembly = NewAssembly {
        position: ExactPosition::from_meters(DVec3::new(0.1, 0.2, -0.3)).unwrap(),
        orientation: DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7).normalize(),
        velocity: DVec3::new(0.3, -0.1, 0.2),
        angular_velocity: DVec3::new(20.0, 150.0, -40.0),
        properties,
        spheres: spheres.clone(),
    };
    let particle = |sphere: &Sphere| NewParticle {
        position: sphere.center,
        velocity: Vec3::ZERO,
        radius: sphere.radius,
        mass: (properties.mass / 3.0) as f32,
        material: 0,
        fixed: false,
    };
    (spheres.iter().map(particle).collect(), PlacedAssembly { first: 0, assembly })
}

/// A free grain keeps its momenta to the bit, and its energy, and turns as on the CPU: two turns about no axis of its own.
#[test]
fn a_free_grain_keeps_its_momenta_and_turns_as_on_the_cpu() {
    let Some(gpu) = adapter() else { return };
    let text = "name = \"top\"\n[simulation]\nsolver = \"dem\"\ngravity = [0, 0, 0]\n[[material]]\nname = \"glass\"\n\
                radius = 0.005\n[material.dem]\nyoung = 5e6\n";
    let scene = Scene::parse(text, "top").unwrap();
    let (grains, placed) = flying();
    let assemblies = [placed];
    let entry = METHODS.iter().find(|entry| entry.name == "dem").unwrap();
    let shapes = Default::default();
    let new = NewGrains { grains: &grains, assemblies: &assemblies, shapes: &shapes };
    let mut device =
        GpuSimulation::new(gpu, entry, scene.clone(), Boundaries::default(), Bodies::default(), new).unwrap();
    let mut cpu = (SolverEntry::of(SolverKind::Dem).make)(SolverInput {
        scene,
        boundaries: Boundaries::default(),
        bodies: Bodies::default(),
        grains: &grains,
        assemblies: &assemblies,
        grain_shapes: &shapes,
        team: Team::new(1).unwrap(),
        instructions: None,
        defect: None,
    });
    let one = |bytes: Vec<u8>| SavedState::read(&bytes).unwrap().assemblies.assembly[0];
    let before = one(device.checkpoint().unwrap());
    let energy = before.kinetic_energy();
    let mut steps = 0;
    while device.time() < 0.08 - 1e-9 {
        steps += device.advance(0.08, 200).len();
        assert_eq!(device.failure(), None);
    }
    while cpu.time() < 0.08 - 1e-9 {
        cpu.advance(0.08, 200);
    }
    let (a, b) = (one(cpu.checkpoint().unwrap()), one(device.checkpoint().unwrap()));
    assert_eq!((b.momentum, b.angular_momentum), (before.momentum, before.angular_momentum));
    assert!((b.orientation.length() - 1.0).abs() < 1e-10, "{}", b.orientation.length());
    let change = (b.kinetic_energy() / energy - 1.0).abs();
    let angle = a.orientation.angle_between(b.orientation);
    let way = (a.position.to_meters() - b.position.to_meters()).length();
    eprintln!("{steps} steps: energy changes by {change:.1e}, {angle:.1e} rad and {way:.1e} m from the CPU");
    assert!(steps > 500 && change < 1e-5 && angle < 2e-5 && way < 1e-8, "{steps} {change} {angle} {way}");
}

/// What has run out of the funnel of the scene by a time [s], with grains of this stiffness [Pa], on both devices.
fn run_out(seconds: f64, young: &str, device: Device) -> [f64; 2] {
    let set = [("material.sand.dem.young".to_string(), young.to_string())];
    let scene = Scene::open("funnel", true, &set).unwrap();
    [Device::Cpu, device].map(|device| {
        let mut simulation = simulate(&scene, &device);
        simulation.run_until(seconds);
        assert_eq!(simulation.failure(), None);
        assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
        simulation.flow().curve("below").and_then(|curve| curve.last().copied()).map_or(0.0, |last| last[1])
    })
}

/// The funnel of four-sphere grains runs on both devices alike: soft grains, for the first fifth of a second.
#[test]
fn the_funnel_begins_to_run_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let [a, b] = run_out(0.22, "1e6", device);
    eprintln!("grains through: {a} {b}");
    assert!(a > 20.0 && (a - b).abs() <= 0.05 * a, "{a} {b}");
}

/// The quick form of the scene as it is; minutes on software.
#[test]
#[ignore = "60,000 steps"]
fn the_funnel_runs_out_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let [a, b] = run_out(1.2, "2e7", device);
    eprintln!("grains through: {a} {b}");
    assert!(a > 100.0 && (a - b).abs() <= 0.05 * a, "{a} {b}");
}
