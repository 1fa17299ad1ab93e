//! Distinct elements among meshes, still and moving, on a device against the CPU's.

mod common;

use common::dem::{RADIUS, block, compare, pouring};
use common::gpu;
use common::runs::{frames, options, simulate};
use granule::scene::Scene;
use granule::{Device, Simulation};

/// Grains that fall into a tub over a ring, both of which are meshes; `motion` is that of the ring.
fn meshes(motion: &str) -> Scene {
    let walls = "[[boundary]]\nname = \"tub\"\n\
        shape.mesh = { file = \"builtin:box\", size = 0.14, axis = [0, 1, 0], angle = 20, position = [0.05, 0.065, 0.03], hollow = true }\n\
        [[boundary]]\nname = \"ring\"\n\
        shape.mesh = { file = \"builtin:torus\", size = 0.1, axis = [1, 0, 0.3], angle = 30, position = [0.05, 0.0, 0.03] }\n";
    let grains = block([0.09, 0.085, 0.055], [1.0, -4.0, 0.5]).replace("0.001, 0", "0.035, 0");
    pouring(&format!("{grains}{walls}{motion}"))
}

/// A ring that turns once in a fifth of a second and goes up.
const TURNING: &str = "[boundary.motion]\npivot = [0.05, 0, 0.03]\n\
    keyframe = [{ time = 0, axis = [0.3, 1, 0], angle = 0 }, { time = 0.2, axis = [0.3, 1, 0], angle = 360, translation = [0, 0.2, 0] }]\n";

/// Sides of two triangles each, a ring of many, and one in a union with a ball: faces, edges, vertices and seams.
#[test]
fn grains_touch_meshes_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let found = compare(&meshes(""), 200, &device);
    assert!(found[0] < 2e-5 && found[1] < 1e-4, "{found:?}");
    let mut scene = meshes("");
    let ball = granule::boundary::Shape::Sphere { center: [0.05, 0.0, 0.03], radius: 0.02, hollow: false };
    scene.boundary[1].shape = granule::boundary::Shape::Union(vec![scene.boundary[1].shape.clone(), ball]);
    let found = compare(&scene, 200, &device);
    assert!(found[0] < 2e-4 && found[1] < 1e-3, "union: {found:?}");
}

#[test]
fn moving_meshes_push_grains_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let found = compare(&meshes(TURNING), 200, &device);
    // The pose of a wall that turns has single precision itself.
    assert!(found[0] < 2e-3 && found[1] < 1e-2, "{found:?}");
}

/// What all grains do over 2,000 steps, though each goes its own way after a few hundred.
#[test]
fn totals_among_meshes_are_those_of_the_cpu_over_thousands_of_steps() {
    let Some(device) = gpu() else { return };
    let mut scene = meshes("");
    scene.simulation.fps = 1.0 / (2000.0 * simulate(&scene, &device).step().dt);
    let found = [Device::Cpu, device].map(|device| {
        let mut simulation = simulate(&scene, &device);
        let last = frames(&mut simulation, 1);
        assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
        assert!(simulation.steps() >= 1990);
        let snapshot = simulation.read(&["position", "velocity"]).unwrap();
        let mean = |name: &str, axis: usize| {
            let rows = snapshot.vec3(name).unwrap();
            rows.iter().map(|row| f64::from(row[axis])).sum::<f64>() / rows.len() as f64
        };
        let totals = [mean("position", 1), mean("velocity", 0), mean("velocity", 1), mean("velocity", 2)];
        (simulation.particle_count(), last.kinetic_energy, totals)
    });
    eprintln!("number, energy, mean height and momentum: {found:?}");
    let [(count, energy, a), (other_count, other_energy, b)] = found;
    assert_eq!(count, other_count);
    assert!((energy - other_energy).abs() < 0.1 * energy, "{energy} {other_energy}");
    assert!((a[0] - b[0]).abs() < 0.2 * RADIUS, "mean height");
    assert!((1..4).all(|k| (a[k] - b[k]).abs() < 0.02 * 4.0), "momentum");
}

/// Contacts with faces, edges and vertices are remembered over checkpoints, on either device.
#[test]
fn runs_among_moving_meshes_repeat_and_resume_to_the_same_bits() {
    let Some(device) = gpu() else { return };
    let mut scene = meshes(TURNING);
    scene.simulation.fps = 400.0;
    let hash = |simulation: &Simulation| simulation.simulator().state_hash();
    let [mut first, mut again] = [(); 2].map(|()| simulate(&scene, &device));
    frames(&mut first, 3);
    let checkpoint = first.checkpoint().unwrap();
    let halfway = hash(&first);
    frames(&mut first, 2);
    frames(&mut again, 5);
    assert_eq!(hash(&again), hash(&first));
    let mut resumed = Simulation::resume(&checkpoint, &options(&device)).unwrap();
    assert_eq!((hash(&resumed), resumed.checkpoint().unwrap()), (halfway, checkpoint.clone()));
    frames(&mut resumed, 2);
    assert_eq!(hash(&resumed), hash(&first));
    let features = |simulation: &mut Simulation| simulation.contacts().len();
    let mut cpu = Simulation::resume(&checkpoint, &options(&Device::Cpu)).unwrap();
    let known = features(&mut cpu);
    assert!(known > 50, "{known} contacts");
    let mut back = Simulation::resume(&cpu.checkpoint().unwrap(), &options(&device)).unwrap();
    assert_eq!((hash(&back), features(&mut back)), (halfway, known));
}
