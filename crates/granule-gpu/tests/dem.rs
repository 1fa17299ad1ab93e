//! Distinct elements on a device against the CPU's.

mod common;

use common::dem::{RADIUS, block, compare, pouring};
use common::runs::{apart, frames, options, repeat_and_resume, simulate};
use common::{difference, gpu};
use granule::scene::Scene;
use granule::simulator::Command;
use granule::{Device, Simulation};

fn container(size: [f32; 3]) -> String {
    let [x, y, z] = size;
    format!(
        "[[boundary]]\nname = \"box\"\nshape.box = {{ min = [0, 0, 0], max = [{x}, {y}, {z}], hollow = true }}\n"
    )
}

fn dam(more: &str) -> Scene {
    pouring(&format!("{more}{}{}", block([0.1, 0.1, 0.06], [0.3, -0.5, 0.1]), container([0.12, 0.3, 0.06])))
}

#[test]
fn a_pouring_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let found = compare(&dam(""), 200, &device);
    assert!(found[0] < 1e-5 && found[1] < 1e-4, "{found:?}");
}

/// A bed that is packed from the beginning, between periodic sides: six contacts each, lists made anew several times.
fn bed(more: &str, settings: &str) -> Scene {
    let text = format!(
        "name = \"bed\"\n[simulation]\nsolver = \"dem\"\nfps = 100\nperiodic = {{ x = [0, 0.08], z = [0, 0.06] }}\n\
         {settings}[dem]\nskin = 0.1\n{more}[[grains]]\nmaterial = \"glass\"\nfill = \"relaxed\"\n\
         radius = [0.0045, 0.0055]\nvelocity = [0.2, -1, 0.1]\nshape.box = {{ min = [0, 0, 0], max = [0.08, 0.06, 0.06] }}\n\
         [[boundary]]\nname = \"floor\"\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n"
    );
    Scene::parse(&text, "bed").unwrap()
}

const GLASS: &str = "[[material]]\nname = \"glass\"\nradius = 0.005\ndensity = 2500\n[material.dem]\nyoung = 5e6\n\
                     poisson = 0.3\nrestitution = 0.5\nfriction = 0.5\n";

/// Every model of the law, in a bed that hits the floor, over 200 steps.
#[test]
fn every_law_is_that_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let rolling = "rolling_friction = 0.1\ntwisting_friction = 1e-4\n";
    let sticky = "surface_energy = 0.5\n";
    let wet = "liquid_volume = 2e-10\nliquid_tension = 0.07\n";
    let cases = [
        ("rolling and twisting", "", rolling, 5e-5),
        ("hooke", "normal = \"hooke\"\n", rolling, 5e-5),
        ("mindlin without relaxation", "tangential = \"mindlin\"\nlimit_damping = true\n", "", 5e-5),
        ("viscous", "tangential = \"viscous\"\n", "viscous_friction = 0.5\n", 5e-5),
        ("wet", "bridges_at_start = true\n", wet, 5e-5),
        ("dmt", "normal = \"dmt\"\n", "", 5e-5),
    ];
    for (name, law, material, most) in cases {
        let found = compare(&bed(&format!("{law}{GLASS}{material}"), ""), 200, &device);
        assert!(found[0] < most && found[1] < 1e-2, "{name}: {found:?}");
    }
    for (name, law) in [("dmt", "dmt"), ("jkr", "jkr")] {
        let mut scene = dam(sticky);
        scene.dem.normal =
            if law == "dmt" { granule::scene::NormalLaw::Dmt } else { granule::scene::NormalLaw::Jkr };
        let found = compare(&scene, 200, &device);
        assert!(found[0] < 1e-3 && found[1] < 1e-2, "{name}: {found:?}");
    }
}

/// Two materials with a pair of their own, and grains that are held.
#[test]
fn mixtures_and_held_grains_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let more = "[[material]]\nname = \"steel\"\nradius = 0.005\ndensity = 7800\n[material.dem]\nyoung = 2e7\nfriction = 0.2\n\
                [[pair]]\nmaterials = [\"glass\", \"steel\"]\nfriction = 0.8\n\
                [[grains]]\nmaterial = \"steel\"\nfixed = true\nfill = \"lattice\"\nradius = 0.004\n\
                shape.box = { min = [0, 0, 0], max = [0.12, 0.009, 0.06] }\n\
                [[grains]]\nmaterial = \"steel\"\nfill = \"random\"\nvelocity = [0, -1, 0]\n\
                shape.box = { min = [0.01, 0.12, 0.01], max = [0.1, 0.16, 0.05] }\n";
    let mut scene = dam(more);
    for grains in &mut scene.grains {
        if grains.material == "glass" {
            grains.shape = granule::boundary::Shape::Box {
                min: [0.0, 0.012, 0.0],
                max: [0.1, 0.1, 0.06],
                hollow: false,
            };
        }
    }
    let found = compare(&scene, 400, &device);
    assert!(found[0] < 1e-4 && found[1] < 1e-3, "{found:?}");
}

/// Walls of every shape, still, turning and moving, far from the origin: overlaps are a thousandth of a grain.
#[test]
fn walls_of_every_shape_are_those_of_the_cpu() {
    let Some(device) = gpu() else { return };
    let shapes = [
        ("tilted plane", "shape.plane = { point = [3.0, 0.0, 1.0], normal = [0.2, 1, -0.3] }"),
        // Glass does not resist rolling.
        (
            "plane that resists rolling",
            "rolling_friction = 0.2\nshape.plane = { point = [3.0, 0.0, 1.0], normal = [0.2, 1, -0.3] }",
        ),
        ("ball", "shape.sphere = { center = [3.05, -0.19, 1.03], radius = 0.2 }"),
        ("bowl", "shape.sphere = { center = [3.05, 0.12, 1.03], radius = 0.125, hollow = true }"),
        ("pill", "shape.capsule = { from = [2.9, -0.05, 1.0], to = [3.2, -0.04, 1.06], radius = 0.05 }"),
        (
            "cylinder",
            "shape.cylinder = { from = [3.05, -0.3, 1.03], to = [3.05, 0.3, 1.03], radius = 0.05, hollow = true }",
        ),
        (
            "cone",
            "shape.cone = { from = [3.05, -0.02, 1.03], to = [3.05, 0.3, 1.03], from_radius = 0.035, to_radius = 0.12, hollow = true }",
        ),
        ("block", "shape.box = { min = [2.9, -0.1, 0.9], max = [3.07, 0.0, 1.2] }"),
        (
            "drum",
            "shape.cylinder = { from = [3.05, 0.07, 0.95], to = [3.05, 0.07, 1.12], radius = 0.07, hollow = true }\n\
             [boundary.motion]\npivot = [3.05, 0.06, 1.0]\n\
             keyframe = [{ time = 0, axis = [0, 0, 1], angle = 0 }, { time = 1, axis = [0, 0, 1], angle = 360 }]",
        ),
    ];
    for (name, shape) in shapes {
        let grains = "[[grains]]\nmaterial = \"glass\"\nfill = \"random\"\nradius = [0.0045, 0.0055]\nvelocity = [1.2, -2.5, 0.4]\n\
                      shape.box = { min = [3.02, 0.03, 1.0], max = [3.08, 0.1, 1.06] }\n";
        let scene = pouring(&format!("{grains}[[boundary]]\nname = \"wall\"\n{shape}\n"));
        let found = compare(&scene, 400, &device);
        // The pose of a wall that turns has single precision itself.
        let most = if name == "drum" { 1e-3 } else { 1e-4 };
        assert!(found[0] < most && found[1] < 10.0 * most, "{name}: {found:?}");
    }
}

/// Totals over 2,000 steps: number, momentum, energy and mean height of a bed that hits the floor and comes to rest.
#[test]
fn totals_are_those_of_the_cpu_over_thousands_of_steps() {
    let Some(device) = gpu() else { return };
    let mut scene = bed(GLASS, "");
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
        let totals = [mean("position", 1), mean("velocity", 0), mean("velocity", 2)];
        (simulation.particle_count(), last.kinetic_energy, totals)
    });
    eprintln!("number, energy, mean height and momentum: {found:?}");
    let [(count, energy, a), (other_count, other_energy, b)] = found;
    assert_eq!(count, other_count);
    // Grains go different ways after a thousand steps of collisions; what all do together stays the same.
    assert!((energy - other_energy).abs() < 0.02 * energy, "{energy} {other_energy}");
    assert!((a[0] - b[0]).abs() < 0.02 * RADIUS, "mean height");
    assert!((a[1] - b[1]).abs() < 0.02 * 0.2 && (a[2] - b[2]).abs() < 0.02 * 0.2, "momentum");
}

#[test]
fn repeated_and_resumed_runs_give_the_same_bits_however_they_are_cut_into_batches() {
    let Some(device) = gpu() else { return };
    let mut scene = bed(&format!("{GLASS}rolling_friction = 0.1\n"), "");
    scene.simulation.fps = 500.0;
    repeat_and_resume(&scene, 2, &device);
}

#[test]
fn a_run_goes_on_on_the_other_device() {
    let Some(device) = gpu() else { return };
    let mut scene = bed(&format!("{GLASS}rolling_friction = 0.1\n"), "");
    scene.simulation.fps = 500.0;
    let mut cpu = simulate(&scene, &Device::Cpu);
    frames(&mut cpu, 2);
    let mut gpu = Simulation::resume(&cpu.checkpoint().unwrap(), &options(&device)).unwrap();
    // Contacts, and the fields that they give, are those of the same state.
    let fields = ["coordination", "contact_force", "pressure", "von_mises", "stress", "density", "torque"];
    let (here, there) = (cpu.read(&fields).unwrap(), gpu.read(&fields).unwrap());
    for field in fields {
        assert_eq!(difference(&here, &there, field), 0.0, "{field}");
    }
    assert_eq!(cpu.contacts().len(), gpu.contacts().len());
    let mut back = Simulation::resume(&gpu.checkpoint().unwrap(), &options(&Device::Cpu)).unwrap();
    assert_eq!(back.simulator().state_hash(), cpu.simulator().state_hash());
    let [a, b, c] = [&mut cpu, &mut gpu, &mut back].map(|simulation| {
        frames(simulation, 1);
        simulation.read(&["position", "velocity", "force", "orientation", "angular_velocity"]).unwrap()
    });
    assert_eq!(difference(&a, &c, "force"), 0.0);
    let found = [apart(&a, &b) / RADIUS, difference(&a, &b, "velocity"), difference(&a, &b, "force")];
    eprintln!("one frame after a change of devices: {found:?}");
    assert!(found[0] < 1e-5 && found[1] < 1e-3 && found[2] < 1e-2, "{found:?}");
    assert!(difference(&a, &b, "orientation") < 1e-5 && difference(&a, &b, "angular_velocity") < 1e-3);
}

/// Grains come through an emitter and go through an outlet; room is made in the middle of steps, and none is lost.
#[test]
fn grains_come_and_go_and_none_is_lost() {
    let Some(device) = gpu() else { return };
    let more = "[[emitter]]\nname = \"pipe\"\nmaterial = \"glass\"\nvelocity = [0, -1, 0]\nrate = 30000\n\
                shape.box = { min = [0.02, 0.2, 0.01], max = [0.1, 0.22, 0.05] }\n\
                [[outlet]]\nname = \"drain\"\nshape.box = { min = [0, -0.01, 0], max = [0.04, 0.01, 0.06] }\n";
    let mut simulation = simulate(&dam(more), &device);
    simulation.run_until(0.06);
    assert_eq!(simulation.failure(), None);
    let (emitted, drained) = (simulation.flow().emitted(), simulation.flow().drained());
    assert!(emitted > 300 && drained > 20, "{emitted} {drained}");
    assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (0, 0));
    let snapshot = simulation.read(&["speed", "density"]).unwrap();
    let fastest = snapshot.scalar("speed").unwrap().iter().copied().fold(0.0, f32::max);
    assert!(fastest < 4.0, "{fastest}");
}

/// A grain that is not finite is removed, and no other.
#[test]
fn a_broken_grain_is_lost_and_no_other() {
    let Some(device) = gpu() else { return };
    let mut simulation = simulate(&dam(""), &device);
    simulation.step();
    let broken = Command::Emit {
        material: "glass".into(),
        positions: vec![glam::Vec3::new(0.05, 0.25, 0.03)],
        velocity: glam::Vec3::new(f32::NAN, 0.0, 0.0),
    };
    assert_eq!(simulation.apply(&broken).unwrap().emitted, 1);
    (0..4).for_each(|_| {
        simulation.step();
    });
    assert_eq!((simulation.lost(), simulation.ledger().unaccounted()), (1, 0));
}

/// What devices do not have is refused by the key, with a remedy.
#[test]
fn what_devices_do_not_have_is_refused() {
    let Some(device) = gpu() else { return };
    let materials: String = (0..23).map(|k| GLASS.replace("glass", &format!("glass {k}"))).collect();
    let text = format!("name = \"many\"\n[simulation]\nsolver = \"dem\"\n{materials}");
    let scene = Scene::parse(&text, "many").unwrap();
    let error = Simulation::new(scene, &options(&device)).err().expect("refused").to_string();
    assert!(error.contains("529") && error.contains("512"), "{error}");
}
