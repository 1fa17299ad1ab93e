//! Position-based sand on a device against the CPU's.

mod common;

use common::runs::{apart, frames, options, repeat_and_resume, simulate};
use common::{difference, gpu};
use granule::boundary::Shape;
use granule::io::Checkpoint;
use granule::scene::Scene;
use granule::simulator::Command;
use granule::solver::saved::SavedState;
use granule::{Device, Simulation};

/// Radius of most grains [m].
const RADIUS: f64 = 0.01;

/// Grains that fall on a floor between periodic sides, ten substeps of two sweeps per frame.
fn bed(settings: &str, material: &str, more: &str) -> Scene {
    bed_of_height(0.12, settings, material, more)
}

/// Such grains, filled up to a height [m].
fn bed_of_height(height: f64, settings: &str, material: &str, more: &str) -> Scene {
    let text = format!(
        "name = \"bed\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\nperiodic = {{ x = [0, 0.24], z = [0, 0.16] }}\n{settings}\
         [[material]]\nname = \"sand\"\nradius = 0.01\ndensity = 2500\n[material.pbd]\nfriction = 0.5\n{material}\
         [[grains]]\nmaterial = \"sand\"\nfill = \"relaxed\"\nradius = [0.008, 0.012]\nvelocity = [0.2, -1, 0.1]\n\
         shape.box = {{ min = [0, 0, 0], max = [0.24, {height}, 0.16] }}\n\
         [[boundary]]\nname = \"floor\"\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n{more}"
    );
    Scene::parse(&text, "bed").unwrap()
}

const ROLLS: &str = "rolling_friction = 0.1\n";

/// Lets a scene go for so many frames on both devices, and gives how far grains are apart, in radii, and how much velocities
/// differ.
fn compare(name: &str, scene: &Scene, count: usize, device: &Device) -> [f64; 2] {
    let (mut cpu, mut gpu) = (simulate(scene, &Device::Cpu), simulate(scene, device));
    let (a, b) = (frames(&mut cpu, count), frames(&mut gpu, count));
    assert_eq!((cpu.steps(), cpu.particle_count()), (gpu.steps(), gpu.particle_count()));
    let fields = ["position", "velocity", "angular_velocity", "orientation"];
    let (x, y) = (cpu.read(&fields).unwrap(), gpu.read(&fields).unwrap());
    let found = [apart(&x, &y) / RADIUS, difference(&x, &y, "velocity")];
    eprintln!(
        "{name}: {} grains, {:.3} and {:.3} contacts, {} steps: {:.2e} radii, {:.2e} of velocities, {:.2e} J",
        gpu.particle_count(),
        a.neighbors_mean,
        b.neighbors_mean,
        gpu.steps(),
        found[0],
        found[1],
        b.kinetic_energy
    );
    assert!((a.kinetic_energy - b.kinetic_energy).abs() <= 1e-3 * a.kinetic_energy, "{name}: energy");
    let apart = (a.neighbors_mean - b.neighbors_mean).abs();
    assert!(apart <= 0.01 * a.neighbors_mean, "{name}: contacts");
    assert!(difference(&x, &y, "orientation") < 1e-3 && difference(&x, &y, "angular_velocity") < 1e-2);
    found
}

/// Two frames: twenty substeps of a bed that hits the floor. It is deep enough for colours that one workgroup is too small for.
#[test]
fn a_bed_is_that_of_the_cpu_over_twenty_substeps() {
    let Some(device) = gpu() else { return };
    let found = compare("bed", &bed_of_height(0.24, "", ROLLS, ""), 2, &device);
    assert!(found[0] < 1e-4 && found[1] < 1e-3, "{found:?}");
}

/// Every kind of contact: without rotation, without rolling friction, with bounces, with pulls, with air, and two materials with
/// a pair of their own above grains that are held.
#[test]
fn every_kind_of_contact_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let held = "[[material]]\nname = \"steel\"\nradius = 0.01\ndensity = 7800\n[material.pbd]\nfriction = 0.2\n\
                [[pair]]\nmaterials = [\"sand\", \"steel\"]\nfriction = 0.8\n\
                [[grains]]\nmaterial = \"steel\"\nfixed = true\nfill = \"lattice\"\n\
                shape.box = { min = [0, -0.041, 0], max = [0.24, 0, 0.16] }\n";
    let cases = [
        ("without rotation", bed("[pbd]\nrotation = false\n", "", "")),
        ("bounces", bed("", "restitution = 0.4\n", "")),
        ("pulls", bed("", "tension = 2.0\n", "")),
        ("air", bed("[air]\nwind = [{ uniform = { velocity = [3, 1, 0] } }]\n", "", "")),
        ("held", without_floor(bed("", ROLLS, held))),
    ];
    for (name, scene) in cases {
        let found = compare(name, &scene, 1, &device);
        assert!(found[0] < 1e-4 && found[1] < 1e-3, "{name}: {found:?}");
    }
}

/// The floor is of grains.
fn without_floor(mut scene: Scene) -> Scene {
    scene.boundary.clear();
    scene
}

/// Walls of several shapes, one of which turns.
#[test]
fn walls_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let shapes = [
        ("bowl", "shape.sphere = { center = [1.12, 0.2, 0.08], radius = 0.205, hollow = true }"),
        ("box", "shape.box = { min = [1, 0, 0], max = [1.24, 0.4, 0.16], hollow = true }"),
        (
            "drum",
            "shape.cylinder = { from = [1.12, 0.1, -0.1], to = [1.12, 0.1, 0.3], radius = 0.11, hollow = true }\n\
             [boundary.motion]\npivot = [1.12, 0.1, 0]\n\
             keyframe = [{ time = 0, axis = [0, 0, 1], angle = 0 }, { time = 1, axis = [0, 0, 1], angle = 360 }]",
        ),
    ];
    for (name, shape) in shapes {
        let text = format!(
            "name = \"walls\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n[[material]]\nname = \"sand\"\nradius = 0.01\n\
             [material.pbd]\nfriction = 0.5\nrolling_friction = 0.1\n[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\n\
             velocity = [0.5, -2, 0.2]\nshape.box = {{ min = [1.05, 0.04, 0.02], max = [1.19, 0.16, 0.14] }}\n\
             [[boundary]]\nname = \"wall\"\nrolling_friction = 0.3\n{shape}\n"
        );
        let found = compare(name, &Scene::parse(&text, "walls").unwrap(), 2, &device);
        assert!(found[0] < 1e-3 && found[1] < 1e-2, "{name}: {found:?}");
    }
}

/// The averaged scheme with scaled masses, over a floor and beside a plate that moves: twenty substeps.
#[test]
fn the_averaged_scheme_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let plate = "[[boundary]]\nname = \"plate\"\nshape.box = { min = [0.05, 0.14, 0.02], max = [0.15, 0.16, 0.1] }\n\
        [boundary.motion]\nkeyframe = [{ time = 0 }, { time = 1, translation = [0.3, -0.5, 0] }]\n";
    let settings = "[pbd]\nscheme = \"averaged\"\nsweeps = 4\n[pbd.averaged]\nmass_scaling = 0.3\n";
    let scene = bed(settings, "", plate);
    let found = compare("averaged", &scene, 5, &device);
    assert!(found[0] < 1e-4 && found[1] < 1e-3, "{found:?}");
    repeat_and_resume(&scene, 1, &device);
}

/// Grains of very different sizes: more contacts at one of them than there are colours.
#[test]
fn pairs_without_a_colour_are_solved_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let slab = |min: [f32; 3], max: [f32; 3], velocity: [f32; 3]| {
        format!(
            "[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\nvelocity = {velocity:?}\n\
             shape.box = {{ min = {min:?}, max = {max:?} }}\n"
        )
    };
    let text = [
        "name = \"stone\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n[[material]]\nname = \"sand\"\nradius = 0.01\n\
         [material.pbd]\nfriction = 0.5\n[[material]]\nname = \"stone\"\nradius = 0.05\n[[grains]]\nmaterial = \"stone\"\n\
         fill = \"lattice\"\nshape.box = { min = [0.07, 0.07, 0.07], max = [0.171, 0.171, 0.171] }\n"
            .to_string(),
        slab([0.0, 0.0, 0.0], [0.24, 0.07, 0.24], [0.0, 3.0, 0.0]),
        slab([0.0, 0.171, 0.0], [0.24, 0.24, 0.24], [0.0, -3.0, 0.0]),
        slab([0.0, 0.071, 0.0], [0.07, 0.17, 0.24], [3.0, 0.0, 0.0]),
        slab([0.171, 0.071, 0.0], [0.24, 0.17, 0.24], [-3.0, 0.0, 0.0]),
        slab([0.071, 0.071, 0.0], [0.17, 0.17, 0.07], [0.0, 0.0, 3.0]),
        slab([0.071, 0.071, 0.171], [0.17, 0.17, 0.24], [0.0, 0.0, -3.0]),
    ];
    let scene = Scene::parse(&text.concat(), "stone").unwrap();
    let found = compare("stone", &scene, 2, &device);
    assert!(found[0] < 1e-3 && found[1] < 1e-2, "{found:?}");
}

/// Two stones side by side between slabs of sand that meet them: both have more grains in their brick than that has colours, and grains
/// between them are neighbours of both, so that loose pairs have an order.
#[test]
fn pairs_that_find_no_colour_in_their_brick_are_solved_as_on_the_cpu() {
    let Some(device) = gpu() else { return };
    let slab = |low: f64, high: f64, speed: f64| {
        format!(
            "[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\nvelocity = [0, {speed}, 0]\n\
             shape.box = {{ min = [0, {low}, 0], max = [0.24, {high}, 0.14] }}\n"
        )
    };
    let text = [
        "name = \"stones\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n[[material]]\nname = \"sand\"\nradius = 0.007\n\
         [material.pbd]\nfriction = 0.5\n[[material]]\nname = \"stone\"\nradius = 0.05\n[[grains]]\nmaterial = \"stone\"\n\
         fill = \"lattice\"\nshape.box = { min = [0.019, 0.06, 0.02], max = [0.221, 0.161, 0.121] }\n"
            .to_string(),
        slab(0.0, 0.06, 4.0),
        slab(0.161, 0.22, -4.0),
    ];
    let scene = Scene::parse(&text.concat(), "stones").unwrap();
    let found = compare("stones", &scene, 2, &device);
    assert!(found[0] < 1e-3 && found[1] < 1e-2, "{found:?}");
}

#[test]
fn repeated_and_resumed_runs_give_the_same_bits_however_they_are_cut_into_batches() {
    let Some(device) = gpu() else { return };
    let scene = bed_of_height(0.24, "", ROLLS, "");
    repeat_and_resume(&scene, 2, &device);
}

#[test]
fn a_run_goes_on_on_the_other_device() {
    let Some(device) = gpu() else { return };
    let mut cpu = simulate(&bed("", ROLLS, ""), &Device::Cpu);
    frames(&mut cpu, 4);
    let mut gpu = Simulation::resume(&cpu.checkpoint().unwrap(), &options(&device)).unwrap();
    let fields = ["coordination", "contact_force", "pressure", "density"];
    let (here, there) = (cpu.read(&fields).unwrap(), gpu.read(&fields).unwrap());
    for field in fields {
        assert_eq!(difference(&here, &there, field), 0.0, "{field}");
    }
    assert_eq!(cpu.contacts().len(), gpu.contacts().len());
    let mut back = Simulation::resume(&gpu.checkpoint().unwrap(), &options(&Device::Cpu)).unwrap();
    assert_eq!(back.simulator().state_hash(), cpu.simulator().state_hash());
    let [a, b, c] = [&mut cpu, &mut gpu, &mut back].map(|simulation| {
        frames(simulation, 1);
        simulation.read(&["position", "velocity", "contact_force"]).unwrap()
    });
    assert_eq!(difference(&a, &c, "contact_force"), 0.0);
    let found = [apart(&a, &b) / RADIUS, difference(&a, &b, "velocity"), difference(&a, &b, "contact_force")];
    eprintln!("one frame after a change of devices: {found:?}");
    assert!(found[0] < 1e-4 && found[1] < 1e-3 && found[2] < 1e-2, "{found:?}");
}

/// A heap comes to rest on the device and stays.
#[test]
fn a_bed_comes_to_rest() {
    let Some(device) = gpu() else { return };
    let mut simulation = simulate(&bed("", ROLLS, ""), &device);
    let last = frames(&mut simulation, 60);
    eprintln!("fastest after a second: {:.1e} m/s", last.max_speed);
    assert!(last.max_speed < 1e-3 && last.neighbors_mean > 3.0, "{} {}", last.max_speed, last.neighbors_mean);
    assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
    // What rests keeps its lists, and a resumed run has the same ones.
    let listed = |bytes: &[u8]| {
        let state = SavedState::read(&Checkpoint::decode(bytes).unwrap().state).unwrap();
        state.lists.map(|lists| lists.listed)
    };
    let checkpoint = simulation.checkpoint().unwrap();
    let mut resumed = Simulation::resume(&checkpoint, &options(&device)).unwrap();
    assert_eq!(resumed.checkpoint().unwrap(), checkpoint);
    frames(&mut simulation, 3);
    frames(&mut resumed, 3);
    let after = simulation.checkpoint().unwrap();
    assert!(listed(&checkpoint).is_some() && listed(&checkpoint) == listed(&after));
    assert_eq!(resumed.checkpoint().unwrap(), after);
}

/// Grains come through an emitter and go through an outlet; room is made in the middle of steps, and one that is not finite is lost,
/// no other.
#[test]
fn grains_come_and_go_and_none_is_lost_but_a_broken_one() {
    let Some(device) = gpu() else { return };
    let more = "[[emitter]]\nname = \"pipe\"\nmaterial = \"sand\"\nvelocity = [0, -1, 0]\nrate = 4000\n\
                shape.box = { min = [0.02, 0.3, 0.01], max = [0.2, 0.34, 0.15] }\n\
                [[outlet]]\nname = \"drain\"\nshape.box = { min = [0, -0.01, 0], max = [0.06, 0.02, 0.16] }\n";
    let mut simulation = simulate(&bed("", ROLLS, more), &device);
    frames(&mut simulation, 6);
    let (emitted, drained) = (simulation.flow().emitted(), simulation.flow().drained());
    assert!(emitted > 200 && drained > 10, "{emitted} {drained}");
    assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
    let broken = Command::Emit {
        material: "sand".into(),
        positions: vec![glam::Vec3::new(0.05, 0.45, 0.03)],
        velocity: glam::Vec3::new(f32::NAN, 0.0, 0.0),
    };
    assert_eq!(simulation.apply(&broken).unwrap().emitted, 1);
    frames(&mut simulation, 1);
    assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (1, 0));
}

/// Steps without any grain, between those of two beds that are listed.
#[test]
fn a_bed_that_is_taken_away_and_poured_anew_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let scene = bed("", ROLLS, "");
    let region = Shape::Box { min: [-1.0; 3], max: [1.0; 3], hollow: false };
    let place =
        |k: usize| 0.021 * glam::Vec3::new((k % 8) as f32 + 0.5, (k / 56) as f32 + 0.6, (k / 8 % 7) as f32);
    let pour = Command::Emit {
        material: "sand".into(),
        positions: (0..280).map(place).collect(),
        velocity: glam::Vec3::new(0.3, -1.0, 0.2),
    };
    let [cpu, gpu] = [&Device::Cpu, &device].map(|device| {
        let mut simulation = simulate(&scene, device);
        frames(&mut simulation, 2);
        let before = simulation.particle_count();
        assert_eq!(simulation.apply(&Command::Remove { region: region.clone() }).unwrap().removed, before);
        frames(&mut simulation, 2);
        assert_eq!(simulation.particle_count(), 0);
        assert_eq!(simulation.apply(&pour).unwrap().emitted, 280);
        let report = frames(&mut simulation, 3);
        assert!(report.neighbors_mean > 0.3 && simulation.ledger().unaccounted() == 0, "{report:?}");
        simulation.read(&["position", "velocity"]).unwrap()
    });
    let found = apart(&cpu, &gpu) / RADIUS;
    assert!(found < 1e-4, "{found}");
}

/// What devices do not have is refused by the key, with a remedy.
#[test]
fn what_devices_do_not_have_is_refused_by_name() {
    let Some(device) = gpu() else { return };
    let mut impulse = simulate(&bed("", "", ""), &device);
    let other = Command::Choose { path: "pbd.scheme".into(), word: "averaged".into() };
    let error = impulse.apply(&other).unwrap_err().to_string();
    assert!(error.contains("scheme") && error.contains("take the CPU"), "{error}");
}
