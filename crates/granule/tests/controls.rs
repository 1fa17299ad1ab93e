//! Negative controls beside those of experiments, which `granule measure --controls` runs: a fault makes a gate fail, and the sound
//! solver passes it.

mod common;

use common::{D, block, floor, sand};
use granule::boundary::Shape;
use granule::scene::{Fill, GrainsSettings};
use granule::solver::Defect;
use granule::{Options, Simulation};

/// Largest friction power over a collapse of 0.15 s, relative to M g sqrt(g d).
fn largest_friction_power(defect: Option<Defect>) -> f64 {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [8.0, 12.0, 8.0], Fill::Jittered));
    let mut simulation = Simulation::new(scene, &Options { defect, ..Options::default() }).unwrap();
    simulation.set_diagnostics(true);
    let d = D as f64;
    let scale = simulation.particle_count() as f64 * 1600.0 * d.powi(3) * 9.81 * (9.81 * d).sqrt();
    let mut largest = f64::NEG_INFINITY;
    while simulation.time() < 0.15 {
        largest = largest.max(simulation.step().friction_power.unwrap() / scale);
    }
    largest
}

#[test]
fn friction_dissipates_in_flow_and_not_with_the_printed_sign_of_the_stress() {
    let sound = largest_friction_power(None);
    assert!(sound < 0.0, "{sound}");
    let printed = largest_friction_power(Some(Defect::StressSign));
    assert!(printed > 0.01, "{printed}");
}

/// Height of a heap that stood at 25 degrees, after two seconds.
fn heap_height(friction_angle: f32) -> f32 {
    let mut scene = sand(friction_angle);
    scene.boundary.push(floor());
    let shape = Shape::Cone {
        from: [0.0; 3],
        to: [0.0, 7.0 * D, 0.0],
        from_radius: 15.0 * D,
        to_radius: 0.0,
        hollow: false,
    };
    let material = "sand".into();
    scene.grains.push(GrainsSettings {
        material,
        shape,
        fill: Fill::Jittered,
        velocity: [0.0; 3],
        radius: None,
        grain: Default::default(),
        fixed: false,
    });
    let mut simulation = Simulation::new(scene, &Options::default()).unwrap();
    simulation.run_until(2.0);
    let snapshot = simulation.read(&["position"]).unwrap();
    snapshot.vec3("position").unwrap().iter().map(|x| x[1]).fold(0.0, f32::max) / D
}

#[test]
fn a_heap_stands_with_friction_and_melts_without() {
    let standing = heap_height(30.0);
    assert!(standing > 4.0, "{standing} d");
    let melted = heap_height(0.0);
    assert!(melted < 2.0, "{melted} d");
}

#[test]
fn a_block_of_grains_does_not_lose_any() {
    let mut scene = sand(35.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0, 6.0, 0.0], [6.0, 12.0, 6.0], Fill::Jittered));
    let mut simulation = Simulation::new(scene, &Options::default()).unwrap();
    let count = simulation.particle_count();
    simulation.run_until(0.5);
    assert_eq!((simulation.particle_count(), simulation.lost()), (count, 0));
}
