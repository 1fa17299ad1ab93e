//! Negative controls: each deliberate fault makes its gate fail, and the sound solver passes it.

mod common;

use common::{D, block, floor, sand};
use granule::boundary::Shape;
use granule::measure::{Experiment, MeasureOptions, Measurement};
use granule::scene::{Fill, FrictionMode, GrainsSettings};
use granule::solver::Defect;
use granule::{Options, Simulation};

fn measure(experiment: &str, defect: Option<Defect>, friction: FrictionMode) -> Measurement {
    let options = MeasureOptions {
        quick: true,
        simulation: Options { defect, ..Options::default() },
        friction,
        ..MeasureOptions::default()
    };
    Experiment::find(experiment).unwrap().run(&options, &mut |_, _| {}).unwrap()
}

/// The points of a measurement that fail.
fn failures(measurement: &Measurement) -> String {
    let failed = measurement.points.iter().filter(|point| !point.pass);
    failed.map(|p| format!("{} {:?} = {} not in {:?}\n", p.quantity, p.inputs, p.measured, p.range)).collect()
}

#[test]
fn slope_holds_and_flows() {
    let slope = measure("slope", None, FrictionMode::Coupled);
    assert!(slope.pass, "{}", failures(&slope));
}

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

#[test]
fn hydrostatic_passes() {
    let bed = measure("hydrostatic", None, FrictionMode::Coupled);
    assert!(bed.pass, "{}", failures(&bed));
}

#[test]
fn first_layer_fails_with_the_reference_stand_off() {
    let bed = measure("hydrostatic", Some(Defect::WallStandOff), FrictionMode::Coupled);
    assert!(failures(&bed).contains("first layer"), "{:?}", bed.points);
}

#[test]
fn hydrostatic_fails_with_a_missing_neighbour_row() {
    let bed = measure("hydrostatic", Some(Defect::MissingNeighborRow), FrictionMode::Coupled);
    // Sums without a row of cells are not those of a bed: stresses do not follow the depth, or densities do not converge.
    let words = ["gradient of vertical stress", "density"];
    let meant = bed.points.iter().filter(|point| !point.pass && point.measured.is_finite());
    let meant = meant.filter(|point| words.iter().any(|word| point.quantity.contains(word)));
    assert!(meant.count() > 0, "{:?}", bed.points);
}

#[test]
fn rest_passes_and_fails_with_explicit_friction() {
    let rest = measure("rest", None, FrictionMode::Coupled);
    assert!(rest.pass, "{}", failures(&rest));
    let explicit = measure("rest", None, FrictionMode::Explicit);
    assert!(failures(&explicit).contains("crest"), "{:?}", explicit.points);
}

#[test]
fn repose_passes() {
    let repose = measure("repose", None, FrictionMode::Coupled);
    assert!(repose.pass, "{}", failures(&repose));
}

#[test]
fn collapse_passes() {
    let collapse = measure("collapse", None, FrictionMode::Coupled);
    assert!(collapse.pass, "{}", failures(&collapse));
}

#[test]
fn collapse_fails_without_friction() {
    let options = MeasureOptions { quick: true, friction_angle: Some(0.0), ..MeasureOptions::default() };
    let collapse = Experiment::find("collapse").unwrap().run(&options, &mut |_, _| {}).unwrap();
    assert!(failures(&collapse).contains("runout"), "{:?}", collapse.points);
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
