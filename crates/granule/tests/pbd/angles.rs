//! At which angles grains slip, stand and flow.

use super::*;

/// One grain that does not turn on a plane that gravity leans by an angle \[degrees\]: how far it slides in a second \[m\].
fn slide(angle: f64, diameter: f64, substeps: u32, sweeps: u32) -> f64 {
    let (sin, cos) = angle.to_radians().sin_cos();
    let radius = 0.5 * diameter;
    let mut scene = scene(
        &format!("gravity = [{}, {}, 0]", GRAVITY * sin, -GRAVITY * cos),
        &format!("substeps = {substeps}\nsweeps = {sweeps}\nrotation = false"),
        (0.5, 0.0),
        &format!(
            "[[grains]]\nmaterial = \"sand\"\nshape.box = {{ min = [{a}, 0, {a}], max = [{b}, {c}, {b}] }}\n[[boundary]]\n\
             name = \"floor\"\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}",
            a = -1.01 * radius,
            b = 1.01 * radius,
            c = 2.02 * radius
        ),
    );
    scene.material[0].radius = radius as f32;
    let mut simulation = start(scene);
    assert_eq!(simulation.simulator().particle_count(), 1);
    let before = positions(&mut simulation)[0].x;
    simulation.run_until(1.0);
    positions(&mut simulation)[0].x - before
}

/// Coulomb's law, for 1, 5 and 20 steps per frame and sweeps per step: atan(0.5) is 26.57 degrees.
#[test]
fn a_block_slips_at_the_angle_of_its_friction_however_many_steps_and_sweeps_there_are() {
    let limit = 0.5f64.atan().to_degrees();
    // A single sweep of a single step is enough for large grains only.
    for (diameter, substeps, sweeps) in [(D, 1, 20), (D, 5, 5), (D, 20, 1), (D, 20, 20), (2.2, 1, 1)] {
        let held = slide(limit - 1.0, diameter, substeps, sweeps);
        assert!(held.abs() < 0.01 * diameter, "{substeps} x {sweeps}: slid by {held} m below the limit");
        let slid = slide(limit + 1.0, diameter, substeps, sweeps);
        let (sin, cos) = (limit + 1.0).to_radians().sin_cos();
        let expected = 0.5 * GRAVITY * (sin - 0.5 * cos);
        assert!((slid / expected - 1.0).abs() < 0.06, "{substeps} x {sweeps}: {slid} m, not {expected} m");
    }
}

/// Half a heap against a frictionless wall, poured onto a rough floor, periodic across 6 d; its angle by the centre of mass, in
/// degrees.
fn slab_angle(frictions: Frictions, pbd: &str, simulation: &str, seed: u64, options: &Options) -> f64 {
    let simulation = format!("{simulation}\nseed = {seed}\nperiodic = {{ z = [0, {}] }}", 6.0 * D);
    let rest = format!(
        "[[emitter]]\nname = \"hose\"\nmaterial = \"sand\"\nradius = [{r0}, {r1}]\nshape.box = {{ min = [0, {y0}, 0], max = [{x}, {y1}, \
         {z}] }}\nvelocity = [0, -0.3, 0]\nrate = 120\nlimit = 800\n[[boundary]]\nname = \"floor\"\nrough = {D}\nrough_region = {{ min = \
         [0, -1, 0], max = [2, 1, {z}] }}\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n[[boundary]]\nname = \"wall\"\n\
         friction = 0\nshape.plane = {{ point = [0, 0, 0], normal = [1, 0, 0] }}",
        r0 = 0.45 * D,
        r1 = 0.55 * D,
        x = 3.0 * D,
        y0 = 24.0 * D,
        y1 = 26.0 * D,
        z = 6.0 * D,
    );
    let mut simulation = Simulation::new(scene(&simulation, pbd, frictions, &rest), options).unwrap();
    let fixed = simulation.simulator().particle_count();
    run_to(&mut simulation, 10.0);
    let grains: Vec<DVec3> = positions(&mut simulation).split_off(fixed);
    let count = grains.len() as f64;
    let center = grains.iter().sum::<DVec3>() / count;
    assert!(grains.len() > 790, "{count} grains");
    // Of the floor, half a sphere is above the plane.
    (center.y - 0.5 * D).atan2(center.x).to_degrees()
}

/// Heaps have the angles that the tables of docs/grains.md say.
#[test]
fn heaps_have_the_angles_of_the_calibration() {
    for (frictions, pbd, expected) in
        [((0.5, 0.0), "", 22.3), ((0.5, 0.1), "", 34.3), ((0.2, 0.0), "rotation = false", 33.8)]
    {
        let angle = slab_angle(frictions, pbd, "", 1, &options(2));
        eprintln!("{frictions:?} {pbd}: {angle:.1} degrees, {expected} in the table");
        assert!((angle - expected).abs() < 4.0, "{frictions:?} {pbd}: {angle}");
    }
}

/// Where overlaps are removed by velocity, poured heaps are shaken down: they miss the table by more than the bar above.
#[test]
fn a_push_that_becomes_velocity_shakes_heaps_down() {
    let angle = slab_angle((0.5, 0.1), "", "", 1, &with_defect(Defect::PushAsVelocity));
    eprintln!("{angle:.1} degrees");
    assert!(angle < 34.3 - 4.0, "{angle}");
}

/// The whole table and the dependence on steps and sweeps, means of three:
/// `cargo test --release -p granule --test pbd -- --ignored calibration --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn calibration() {
    let mean = |frictions: Frictions, pbd: &str, simulation: &str| {
        let all: Vec<f64> =
            (1..=3).map(|seed| slab_angle(frictions, pbd, simulation, seed, &options(2))).collect();
        let mean = all.iter().sum::<f64>() / 3.0;
        eprintln!("{frictions:?} {pbd:?} {simulation}: {mean:.1} of {all:.1?}");
        mean
    };
    let turning = [(0.1, 0.0), (0.2, 0.0), (0.5, 0.0), (0.5, 0.03), (0.5, 0.06), (0.5, 0.1), (0.5, 0.3)];
    let turning: Vec<f64> = turning.into_iter().map(|frictions| mean(frictions, "", "")).collect();
    assert!(turning.windows(2).all(|pair| pair[0] < pair[1]), "{turning:?}");
    assert!(turning[0] < 16.5 && turning[6] > 38.0, "{turning:?}");
    for friction in [0.05, 0.1, 0.2, 0.3] {
        mean((friction, 0.0), "rotation = false", "");
    }
    let steps = ["substeps = 5\nsweeps = 4", "substeps = 10\nsweeps = 2", "substeps = 20\nsweeps = 1"];
    let mut angles: Vec<f64> = steps.into_iter().map(|pbd| mean((0.5, 0.1), pbd, "")).collect();
    angles.push(mean((0.5, 0.1), "substeps = 5\nsweeps = 2", "fps = 120"));
    let (least, most) = angles.iter().fold((90.0f64, 0.0f64), |(a, b), x| (a.min(*x), b.max(*x)));
    assert!(most - least < 3.0, "{angles:?}");
}

/// A cone with a hole of 6 d, 45 degrees steep: grains leave at a constant rate.
#[test]
fn a_hopper_of_six_diameters_flows_steadily() {
    let rest = format!(
        "[[grains]]\nmaterial = \"sand\"\nfill = \"random\"\nshape.cylinder = {{ from = [0, {h}, 0], to = [0, {top}, 0], radius = {w} }}\n\
         [[boundary]]\nname = \"hopper\"\nfriction = 0.3\nshape.funnel = {{ from = [0, 0, 0], to = [0, {h}, 0], from_radius = {hole}, \
         to_radius = {w}, thickness = {D} }}\n[[boundary]]\nname = \"pipe\"\nfriction = 0.3\nshape.funnel = {{ from = [0, {h}, 0], \
         to = [0, 1.5, 0], from_radius = {w}, to_radius = {w}, thickness = {D} }}\n[[outlet]]\nname = \"below\"\nshape.box = {{ min = [-9, -9, -9], max = [9, {low}, \
         9] }}",
        hole = 3.0 * D,
        h = 5.0 * D,
        w = 8.0 * D,
        top = 18.0 * D,
        low = -2.0 * D,
    );
    let mut simulation = start(scene("", "", (0.5, 0.1), &rest));
    let all = simulation.simulator().particle_count() as f64;
    let mut points = Vec::new();
    while simulation.time() < 8.0 {
        simulation.run_until(simulation.time() + 1.0 / 60.0);
        let gone = 1.0 - simulation.simulator().particle_count() as f64 / all;
        if (0.15..0.75).contains(&gone) {
            points.push([simulation.time(), gone]);
        }
    }
    let (rate, _, linearity) = granule::statistics::linear_fit(&points);
    eprintln!("{all} grains, {} frames: rate {rate:.3}/s, R2 {linearity:.5}", points.len());
    assert!(points.len() > 20, "{} frames", points.len());
    assert!(linearity > 0.995, "{linearity}");
}
