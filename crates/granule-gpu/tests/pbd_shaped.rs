//! Rigid bodies made of particles among position-based sand, on a device against the CPU's.

mod common;

use common::bodies::{apart as bodies_apart, momentum_of_spheres};
use common::runs::{apart, frames, options, repeat_and_resume, simulate};
use common::{difference, gpu};
use glam::{Vec3, Vec4};
use granule::columns::ColumnData;
use granule::contacts::Partner;
use granule::scene::Scene;
use granule::simulator::Command;
use granule::solver::saved::{self, SavedState};
use granule::{Device, Simulation};

/// Diameter of most grains [m].
const D: f64 = 0.02;

/// Grains in a box, and what is around them; ten substeps of two sweeps per frame.
fn sand(settings: &str, material: &str, grains: &str, around: &str) -> Scene {
    let text = format!(
        "name = \"sand\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n{settings}[[material]]\nname = \"sand\"\nradius = 0.01\ndensity = 2500\n\
         [material.pbd]\nfriction = 0.5\nrolling_friction = 0.1\n{material}[[grains]]\nmaterial = \"sand\"\nfill = \"relaxed\"\n\
         radius = [0.008, 0.012]\n{grains}{around}"
    );
    Scene::parse(&text, "sand").unwrap()
}

/// A body of particles.
fn body(name: &str, more: &str) -> String {
    format!("[[body]]\nname = \"{name}\"\ndensity = 2500\ncoupling = \"particles\"\n{more}\n")
}

const FLOOR: &str =
    "[[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";

/// A heap on a floor.
const HEAP: &str = "shape.box = { min = [0, 0, 0], max = [0.2, 0.08, 0.16] }\n";

/// A box that is hurled into a heap and spins, with its lowest corner at a place along x [m].
fn hurled_at(x: f64, settings: &str, material: &str) -> Scene {
    let shape = format!(
        "velocity = [1, -3, 0.4]\nangular_velocity = [20, 5, -30]\n\
         shape.box = {{ min = [{x}, 0.095, 0.03], max = [{}, 0.155, 0.11] }}",
        x + 0.1
    );
    sand(settings, material, HEAP, &format!("{FLOOR}{}", body("block", &shape)))
}

fn hurled(material: &str) -> Scene {
    hurled_at(0.05, "", material)
}

/// Two boxes and a ball of rapier's that meet each other, a floor, and grains that a wall presses.
fn meeting(material: &str) -> Scene {
    let below = body(
        "below",
        "velocity = [0.3, -0.5, 0]\nshape.box = { min = [0.05, 0.001, 0.03], max = [0.15, 0.061, 0.11] }",
    );
    let above = body(
        "above",
        "velocity = [0, -1.5, 0.2]\nangular_velocity = [3, 0, 8]\n\
         shape.box = { min = [0.07, 0.064, 0.04], max = [0.17, 0.124, 0.12] }",
    );
    let ball = "[[body]]\nname = \"ball\"\ndensity = 900\nvelocity = [0, -1, 0]\n\
                shape.sphere = { center = [0.1, 0.147, 0.08], radius = 0.02 }\n";
    let side = "[[boundary]]\nname = \"side\"\nshape.box = { min = [0.261, 0, 0], max = [0.3, 0.1, 0.15] }\n\
                [boundary.motion]\nservo = { direction = [-1, 0, 0], force = 10, mass = 1 }\n";
    let grains =
        "velocity = [-0.5, -1, 0]\nshape.box = { min = [0.17, 0, 0.03], max = [0.26, 0.06, 0.12] }\n";
    sand("", material, grains, &format!("{FLOOR}{side}{below}{above}{ball}"))
}

/// Both devices after some frames: how far grains are apart in radii, and their velocities to the largest; how far bodies are apart in
/// radii; how much their velocities [m/s], forces and torques differ.
fn compare(name: &str, scene: &Scene, count: usize, device: &Device) -> [f64; 6] {
    let (mut cpu, mut gpu) = (simulate(scene, &Device::Cpu), simulate(scene, device));
    let (a, b) = (frames(&mut cpu, count), frames(&mut gpu, count));
    assert_eq!((cpu.steps(), cpu.particle_count()), (gpu.steps(), gpu.particle_count()));
    assert_eq!((gpu.lost(), gpu.ledger().unaccounted()), (0, 0));
    let fields = ["position", "velocity", "material"];
    let (x, y) = (cpu.read(&fields).unwrap(), gpu.read(&fields).unwrap());
    assert_eq!(difference(&x, &y, "material"), 0.0);
    let (on_cpu, on_gpu) = (cpu.bodies(), gpu.bodies());
    let ways = on_cpu.iter().zip(&on_gpu).map(|(a, b)| f64::from((a.center - b.center).length()));
    let poses = cpu.simulator().boundary_poses().into_iter().zip(gpu.simulator().boundary_poses());
    assert!(poses.into_iter().all(|(a, b)| a.translation.distance(b.translation) < 1e-6), "{name}: walls");
    let [velocity, force, torque] = bodies_apart(&cpu, &gpu);
    let found = [
        apart(&x, &y) / (0.5 * D),
        difference(&x, &y, "velocity"),
        ways.fold(0.0, f64::max) / (0.5 * D),
        velocity,
        force,
        torque,
    ];
    let forces: Vec<f32> = on_cpu.iter().map(|body| body.force.length()).collect();
    let numbers = found.map(|number| format!("{number:.1e}")).join(", ");
    eprintln!(
        "{name}: {} grains, {} substeps, {:.3} and {:.3} contacts, forces {forces:?} N: {numbers}",
        gpu.particle_count(),
        gpu.steps(),
        a.neighbors_mean,
        b.neighbors_mean
    );
    assert!(forces[0] > 1.0, "{name}: nothing has touched the first body");
    assert!((a.kinetic_energy - b.kinetic_energy).abs() <= 1e-3 * a.kinetic_energy, "{name}: energy");
    assert!((a.neighbors_mean - b.neighbors_mean).abs() <= 0.01 * a.neighbors_mean, "{name}: contacts");
    found
}

/// Bounds of [`compare`].
const BOUNDS: [f64; 6] = [1e-4, 1e-3, 1e-4, 1e-4, 1e-3, 1e-3];

/// Two frames: a box that hits a heap, without bounces and with them; without rotation, on both sides of a period.
#[test]
fn a_box_in_a_heap_is_that_of_the_cpu_over_twenty_substeps() {
    let Some(device) = gpu() else { return };
    let mut still = hurled_at(0.13, "periodic = { x = [0, 0.2] }\n", "");
    still.pbd.rotation = false;
    for (name, scene) in
        [("hurled", hurled("")), ("bounces", hurled("restitution = 0.3\n")), ("without rotation", still)]
    {
        let found = compare(name, &scene, 2, &device);
        assert!(found.iter().zip(BOUNDS).all(|(found, bound)| *found < bound), "{name}: {found:?}");
    }
}

#[test]
fn two_bodies_meet_as_on_the_cpu_over_twenty_substeps() {
    let Some(device) = gpu() else { return };
    for (name, material) in [("meeting", ""), ("meeting and bouncing", "restitution = 0.3\n")] {
        let found = compare(name, &meeting(material), 2, &device);
        assert!(found.iter().zip(BOUNDS).all(|(found, bound)| *found < bound), "{name}: {found:?}");
    }
}

/// What grains lose the body has.
#[test]
fn momentum_of_body_and_grains_is_kept() {
    let Some(device) = gpu() else { return };
    let mut scene = hurled("restitution = 0.2\n");
    scene.simulation.gravity = [0.0; 3];
    scene.boundary.clear();
    let mut simulation = simulate(&scene, &device);
    let before = momentum_of_spheres(&mut simulation);
    frames(&mut simulation, 4);
    let change = (momentum_of_spheres(&mut simulation) - before).length() / before.length();
    let speed = simulation.bodies()[0].velocity;
    eprintln!("momentum changes by {change:.1e}; the box slows down from 3 m/s to {speed}");
    assert!(speed.y > -2.0, "the box has hit grains: {speed}");
    assert!(change < 1e-6, "{change}");
}

/// Places of the particles of bodies, by id [m].
fn members(simulation: &Simulation) -> Vec<Vec3> {
    let state: SavedState = saved::decode(&simulation.simulator().checkpoint().unwrap()).unwrap();
    let mut columns = state.particles;
    let Some(ColumnData::U16(material)) = columns.get_mut("material").cloned() else { panic!("materials") };
    let Some(ColumnData::U32(id)) = columns.get_mut("id").cloned() else { panic!("ids") };
    let Some(ColumnData::Vec4(position)) = columns.get_mut("position").cloned() else { panic!("positions") };
    let count = simulation.scene().material.len();
    let all = id.iter().zip(&material).zip(&position);
    let mut own: Vec<(u32, Vec4)> =
        all.filter(|((_, m), _)| usize::from(**m) >= count).map(|((id, _), x)| (*id, *x)).collect();
    own.sort_unstable_by_key(|(id, _)| *id);
    own.iter().map(|(_, x)| x.truncate()).collect()
}

/// By how much distances between particles of a body have changed, at most, in diameters.
fn deformed(before: &[Vec3], after: &[Vec3]) -> f64 {
    let distance = |x: &[Vec3], i: usize, j: usize| f64::from(x[i].distance(x[j]));
    let pairs = (0..before.len()).flat_map(|i| [(i, (i + 1) % before.len()), (i, (7 * i) % before.len())]);
    let change = |(i, j)| (distance(before, i, j) - distance(after, i, j)).abs() / D;
    pairs.map(change).fold(0.0, f64::max)
}

/// A box on a bed keeps its shape, stays where it is, and is carried by grains that say so.
#[test]
fn a_box_on_a_bed_keeps_its_shape_and_stays() {
    let Some(device) = gpu() else { return };
    let block = body("block", "shape.box = { min = [0.03, 0.085, 0.02], max = [0.13, 0.145, 0.1] }");
    let tank = "[[boundary]]\nname = \"tank\"\nshape.box = { min = [0, 0, 0], max = [0.16, 1, 0.12], hollow = true }\n";
    let grains = "shape.box = { min = [0, 0, 0], max = [0.16, 0.08, 0.12] }\n";
    let mut simulation = simulate(&sand("", "", grains, &format!("{tank}{block}")), &device);
    let start = members(&simulation);
    frames(&mut simulation, 30);
    let (body, halfway) = (simulation.bodies()[0].clone(), members(&simulation));
    frames(&mut simulation, 30);
    let (after, end) = (simulation.bodies()[0].clone(), members(&simulation));
    let shape = deformed(&start, &halfway).max(deformed(&start, &end));
    let drift = f64::from(after.center.distance(body.center)) / D;
    let weight = after.mass * 9.81;
    let contacts = simulation.contacts();
    let own: Vec<_> = contacts.iter().filter(|contact| contact.partner == Partner::wall(1, 0)).collect();
    let given: f32 = own.iter().map(|contact| -contact.force().y).sum();
    eprintln!(
        "{} particles: shape {shape:.1e} d, drift {drift:.1e} d, force {:.3} N and {given:.3} N by {} contacts, weight {weight:.3} N",
        start.len(),
        after.force.y,
        own.len()
    );
    assert!(start.len() > 50 && shape < 1e-4, "{shape} d");
    assert!(drift < 0.05, "{drift} d");
    assert!((after.force.y / weight - 1.0).abs() < 0.02 && (given / weight - 1.0).abs() < 0.02, "{after:?}");
    assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
}

#[test]
fn repeated_and_resumed_runs_give_the_same_bits() {
    let Some(device) = gpu() else { return };
    repeat_and_resume(&meeting("restitution = 0.2\n"), 1, &device);
}

#[test]
fn a_run_goes_on_on_the_other_device() {
    let Some(device) = gpu() else { return };
    let mut cpu = simulate(&meeting(""), &Device::Cpu);
    frames(&mut cpu, 2);
    let mut gpu = Simulation::resume(&cpu.checkpoint().unwrap(), &options(&device)).unwrap();
    let contacts = gpu.contacts().len();
    assert_eq!(gpu.failure(), None);
    assert_eq!((cpu.particle_count(), cpu.contacts().len()), (gpu.particle_count(), contacts));
    assert_eq!(cpu.simulator().bodies(), gpu.simulator().bodies());
    let mut back = Simulation::resume(&gpu.checkpoint().unwrap(), &options(&Device::Cpu)).unwrap();
    assert_eq!(back.simulator().state_hash(), cpu.simulator().state_hash());
    for simulation in [&mut cpu, &mut gpu, &mut back] {
        frames(simulation, 1);
    }
    assert_eq!(back.simulator().bodies(), cpu.simulator().bodies());
    let [velocity, ..] = bodies_apart(&cpu, &gpu);
    eprintln!("one frame after a change of devices: {velocity:.1e} m/s");
    assert!(velocity < 1e-3, "{velocity}");
}

/// A body beyond all bounds is lost: it stays where it was, at rest, and grains go on.
#[test]
fn a_body_beyond_all_bounds_is_lost_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let scene = hurled("");
    let lost = [&Device::Cpu, &device].map(|device| {
        let mut simulation = simulate(&scene, device);
        let before = simulation.bodies()[0].center;
        let impulse = Vec3::new(0.0, 1e20, 0.0);
        simulation.apply(&Command::PushBody { body: "block".into(), impulse, point: None }).unwrap();
        let report = simulation.step();
        let body = simulation.simulator().bodies()[0].clone();
        assert_eq!((simulation.failure(), body.center, body.velocity), (None, before, Vec3::ZERO));
        (report.lost, report.particles)
    });
    assert_eq!((lost[0], lost[0].0), (lost[1], 1));
}
