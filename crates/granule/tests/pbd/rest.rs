//! What must stay at rest, and what must not.

use super::*;

/// A cone of grains on a rough floor.
pub fn heap(frictions: Frictions, radius: f64, height: f64) -> Scene {
    let rest = format!(
        "[[grains]]\nmaterial = \"sand\"\nfill = \"relaxed\"\nradius = [{}, {}]\nshape.cone = {{ from = [0, 0.01, 0], to = [0, \
         {height}, 0], from_radius = {radius}, to_radius = 0 }}\n[[boundary]]\nname = \"floor\"\nrough = {D}\nrough_region = \
         {{ min = [{low}, -1, {low}], max = [{high}, 1, {high}] }}\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}",
        0.45 * D,
        0.55 * D,
        low = -2.0 * radius,
        high = 2.0 * radius,
    );
    scene("", "", frictions, &rest)
}

/// Lets a heap settle until `from` \[s\] and watches it until `to`: how far its crest sinks \[d\], and the fastest speed at the end in
/// sqrt(g d), and what is left of
/// its first height.
pub fn watch(scene: Scene, options: &Options, from: f64, to: f64) -> (f64, f64, f64) {
    let mut simulation = Simulation::new(scene, options).unwrap_or_else(|error| panic!("{error}"));
    let crest = |simulation: &mut Simulation| positions(simulation).iter().map(|x| x.y).fold(0.0, f64::max);
    let start = crest(&mut simulation);
    run_to(&mut simulation, from);
    let before = crest(&mut simulation);
    let speed = run_to(&mut simulation, to);
    let drop = (before - crest(&mut simulation)) / D;
    eprintln!(
        "{} grains: crest sinks {drop:.5} d, speed {speed:.1e}",
        simulation.simulator().particle_count()
    );
    (drop, speed, crest(&mut simulation) / start)
}

/// Some 700 grains. No damping, sleeping or freezing.
#[test]
fn a_heap_comes_to_rest_and_stays() {
    let (drop, speed, height) = watch(heap((0.5, 0.1), 0.16, 0.1), &options(2), 3.0, 6.0);
    assert!(drop.abs() < 0.01 && speed < 1e-4 && height > 0.7, "{drop} {speed} {height}");
}

/// The bars of the test above, without what makes heaps stay.
#[test]
fn heaps_melt_with_a_weak_warm_start_and_without_friction() {
    let fails = |scene: Scene, options: &Options, what: &str| {
        let (drop, speed, height) = watch(scene, options, 3.0, 6.0);
        assert!(drop.abs() > 0.01 || speed > 1e-4 || height < 0.7, "{what}: {drop} {speed} {height}");
    };
    let cone = || heap((0.5, 0.1), 0.16, 0.1);
    fails(cone(), &with_defect(Defect::WeakWarmStart), "warm start 0.99");
    fails(heap((0.0, 0.0), 0.16, 0.1), &options(2), "no friction");
}

/// Ten thousand grains for 30 s: `cargo test --release -p granule --test pbd -- --ignored ten_thousand --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn a_heap_of_ten_thousand_grains_stays_for_thirty_seconds() {
    let (drop, speed, height) = watch(heap((0.5, 0.1), 0.42, 0.26), &options(2), 5.0, 35.0);
    assert!(drop.abs() < 0.1 && speed < 1e-4 && height > 0.7, "{drop} {speed} {height}");
}

/// Mean and largest overlap of grains that touch, in diameters.
fn overlaps(simulation: &mut Simulation) -> (f64, f64, usize) {
    let contacts = simulation.contacts();
    let deep: Vec<f64> = contacts
        .iter()
        .filter(|contact| contact.partner.as_particle().is_some() && contact.normal_force > 0.0)
        .map(|contact| f64::from(contact.overlap).max(0.0) / D)
        .collect();
    let mean = deep.iter().sum::<f64>() / deep.len().max(1) as f64;
    (mean, deep.iter().copied().fold(0.0, f64::max), deep.len())
}

/// A bed that is 30 d deep, periodic across 5 d.
#[test]
fn grains_at_the_bottom_of_a_deep_bed_hardly_overlap() {
    let simulation = format!("periodic = {{ x = [0, {w}], z = [0, {w}] }}", w = 5.0 * D);
    let rest = format!(
        "[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\nshape.box = {{ min = [0, 0, 0], max = [{w}, {h}, {w}] }}\n[[boundary]]\n\
         name = \"floor\"\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}",
        w = 5.0 * D,
        h = 56.0 * D
    );
    let mut simulation = start(scene(&simulation, "", (0.5, 0.1), &rest));
    let speed = run_to(&mut simulation, 6.0);
    let top = positions(&mut simulation).iter().map(|x| x.y).fold(0.0, f64::max) / D;
    let (mean, most, contacts) = overlaps(&mut simulation);
    eprintln!(
        "{top:.1} d deep, {contacts} contacts: overlap {mean:.4} mean, {most:.4} at most, speed {speed:.1e}"
    );
    assert!(top > 28.0 && contacts > 1000, "{top} d, {contacts} contacts");
    assert!(mean < 0.01 && most < 0.05, "{mean} {most}");
}
