//! Experiments with distinct elements: their quick forms pass, and each fails with a deliberate fault.
//!
//! Those of single contacts are measured with the other quick ones by the tests of the program. Beds take up to a minute each, and
//! twice that with their controls:
//!
//! ```text
//! cargo test --release -p granule --test dem_measure -- --ignored
//! ```

use granule::measure::{Experiment, MeasureOptions, Measurement};
use granule::scene::SolverKind;

fn measure(experiment: &str, friction_angle: Option<f64>) -> Measurement {
    let options = MeasureOptions {
        quick: true,
        solver: Some(SolverKind::Dem),
        friction_angle,
        ..MeasureOptions::default()
    };
    Experiment::find(experiment).unwrap().run(&options, &mut |_, _| {}).unwrap()
}

/// The points of a measurement that fail.
fn failures(measurement: &Measurement) -> String {
    let failed = measurement.points.iter().filter(|point| !point.pass);
    failed.map(|p| format!("{} {:?} = {} not in {:?}\n", p.quantity, p.inputs, p.measured, p.range)).collect()
}

fn passes(experiment: &str) {
    let measured = measure(experiment, None);
    assert!(measured.pass, "{}", failures(&measured));
    assert_eq!(measured.solver, "dem");
}

/// The quantity that a fault must push out of its range.
fn fails_in(quantity: &str, control: &Measurement) {
    assert!(failures(control).contains(quantity), "{:?}", control.points);
}

#[test]
#[ignore = "a minute"]
fn packing_passes_and_fails_where_friction_does_nothing() {
    passes("packing");
    fails_in("loss of fraction", &measure("packing", Some(0.0)));
}

#[test]
#[ignore = "minutes"]
fn orifice_passes_and_fails_without_friction() {
    passes("orifice");
    fails_in("rate / that of C", &measure("orifice", Some(0.0)));
}

#[test]
#[ignore = "a minute"]
fn funnel_passes_and_fails_where_all_grains_are_equally_rough() {
    passes("funnel");
    fails_in("rate / that of the smoother grains", &measure("funnel", Some(20.0)));
}

#[test]
#[ignore = "minutes"]
fn forces_pass_and_fail_without_friction() {
    passes("forces");
    fails_in("3: tangential force", &measure("forces", Some(0.0)));
}

#[test]
#[ignore = "a minute"]
fn janssen_passes_and_fails_with_a_smooth_wall() {
    passes("janssen");
    fails_in("ratio K", &measure("janssen", Some(0.0)));
}

#[test]
#[ignore = "a minute"]
fn segregation_passes_and_fails_where_all_grains_are_of_one_size() {
    passes("segregation");
    let options = MeasureOptions { quick: true, equal_sizes: true, ..MeasureOptions::default() };
    let mixed = Experiment::find("segregation").unwrap().run(&options, &mut |_, _| {}).unwrap();
    fails_in("below the large one", &mixed);
}

#[test]
#[ignore = "a minute"]
fn incline_passes_and_fails_without_friction() {
    passes("incline");
    fails_in("change of kinetic energy", &measure("incline", Some(0.0)));
}

#[test]
#[ignore = "minutes"]
fn piles_pass_and_fail_without_friction() {
    passes("piles");
    fails_in("slope of spheres with memory", &measure("piles", Some(0.0)));
}

#[test]
#[ignore = "minutes"]
fn load_passes_and_fails_without_friction_and_for_single_contacts() {
    passes("load");
    let measured = measure("load", None);
    let find = |quantity: &str| measured.points.iter().find(|point| point.quantity == quantity).unwrap();
    let grains = find("spheres: 2: shape of forces on grains");
    let contacts = find("spheres: shape of single contacts");
    assert!(contacts.measured < grains.range[0], "{} of single contacts", contacts.measured);
    fails_in("tangential force", &measure("load", Some(0.0)));
}

#[test]
#[ignore = "minutes"]
fn oedometer_passes_and_fails_without_friction() {
    passes("oedometer");
    fails_in("horizontal / vertical stress", &measure("oedometer", Some(0.0)));
}

#[test]
#[ignore = "minutes"]
fn zhou_passes_and_fails_without_friction() {
    passes("zhou");
    fails_in("angle", &measure("zhou", Some(0.0)));
}

#[test]
#[ignore = "a minute"]
fn planar_passes_and_fails_without_friction() {
    passes("planar");
    fails_in("runout / L0", &measure("planar", Some(0.0)));
}

#[test]
#[ignore = "minutes"]
fn tumbler_passes_and_fails_without_friction_and_with_one_size() {
    passes("tumbler");
    fails_in("inclination", &measure("tumbler", Some(0.0)));
    let options = MeasureOptions { quick: true, equal_sizes: true, ..MeasureOptions::default() };
    let mixed = Experiment::find("tumbler").unwrap().run(&options, &mut |_, _| {}).unwrap();
    fails_in("segregation of two sizes", &mixed);
}

#[test]
#[ignore = "a minute"]
fn triaxial_compression_passes_and_fails_without_friction() {
    passes("triaxial");
    fails_in("dense: friction angle of the critical state", &measure("triaxial", Some(0.0)));
}

#[test]
#[ignore = "a minute"]
fn simple_shear_passes_and_fails_without_friction() {
    passes("shear");
    fails_in("dense: friction at I", &measure("shear", Some(0.0)));
}
