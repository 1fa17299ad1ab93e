//! Position-based sand: what must stay at rest, what must be conserved, and that nothing depends on threads or restarts.

use glam::DVec3;
use granule::contacts::Contact;
use granule::scene::Scene;
use granule::simulator::Command;
use granule::solver::Defect;
use granule::{Options, Simulation};

/// Diameter \[m\], density [kg/m3] and gravity [m/s2] of most tests.
const D: f64 = 0.02;
const DENSITY: f64 = 2500.0;
const GRAVITY: f64 = 9.81;

fn options(threads: usize) -> Options {
    Options { threads: Some(threads), solver: None, ..Options::default() }
}

fn with_defect(defect: Defect) -> Options {
    Options { defect: Some(defect), ..options(2) }
}

/// What grains are like: friction and rolling friction.
type Frictions = (f64, f64);

/// A scene with keys of `[simulation]`, keys of `[pbd]`, and the rest.
fn scene(simulation: &str, pbd: &str, (friction, rolling): Frictions, rest: &str) -> Scene {
    let text = format!(
        "name = \"test\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n{simulation}\n[pbd]\n{pbd}\n[[material]]\n\
         name = \"sand\"\nradius = {}\ndensity = {DENSITY}\n[material.pbd]\nfriction = {friction}\n\
         rolling_friction = {rolling}\n{rest}",
        0.5 * D
    );
    Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

fn start(scene: Scene) -> Simulation {
    Simulation::new(scene, &options(2)).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs to a time \[s\] and gives the fastest speed of the last step, in sqrt(g d).
fn run_to(simulation: &mut Simulation, until: f64) -> f64 {
    let mut fastest = 0.0;
    while simulation.time() < until - 1e-9 {
        fastest = simulation.step().max_speed;
    }
    fastest / (GRAVITY * D).sqrt()
}

fn positions(simulation: &mut Simulation) -> Vec<DVec3> {
    let fields = simulation.read(&["position"]).unwrap();
    fields.vec3("position").unwrap().iter().map(|x| DVec3::from(x.map(f64::from))).collect()
}

fn hash(simulation: &Simulation) -> u64 {
    simulation.simulator().state_hash()
}

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

/// A cone of grains on a rough floor.
fn heap(frictions: Frictions, radius: f64, height: f64) -> Scene {
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
fn watch(scene: Scene, options: &Options, from: f64, to: f64) -> (f64, f64, f64) {
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

/// Momentum, angular momentum about the origin, and the sums of their moduli.
fn momenta(simulation: &mut Simulation) -> (DVec3, DVec3, f64, f64) {
    let fields = simulation.read(&["position", "velocity", "angular_velocity", "radius"]).unwrap();
    let rows = |name: &str| fields.vec3(name).unwrap().iter().map(|x| DVec3::from(x.map(f64::from)));
    let radius = fields.scalar("radius").unwrap();
    let (mut p, mut l, mut p_all, mut l_all) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
    for (((x, v), w), r) in rows("position").zip(rows("velocity")).zip(rows("angular_velocity")).zip(radius) {
        let r = f64::from(*r);
        let m = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
        let spin = 0.4 * m * r * r * w;
        p += m * v;
        l += m * x.cross(v) + spin;
        p_all += m * v.length();
        l_all += m * (x.length() * v.length()) + spin.length();
    }
    (p, l, p_all, l_all)
}

/// Two clouds of grains that meet in empty space: no energy comes from nowhere.
#[test]
fn a_free_cluster_keeps_its_momentum_and_angular_momentum_and_gains_no_energy() {
    let rest = "
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        radius = [0.005, 0.015]
        velocity = [0.6, 0.1, 0.0]
        shape.box = { min = [-0.22, 0.0, 0.0], max = [-0.04, 0.18, 0.18] }
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        radius = [0.005, 0.015]
        velocity = [-0.3, 0.0, 0.1]
        shape.box = { min = [0.0, 0.04, 0.04], max = [0.16, 0.2, 0.2] }";
    let mut simulation = start(scene("gravity = [0, 0, 0]", "", (0.5, 0.1), rest));
    let (p, l, p_all, l_all) = momenta(&mut simulation);
    let (mut energy, mut rise, mut first) = (f64::INFINITY, 0.0f64, 0.0);
    while simulation.time() < 1.0 {
        let now = simulation.step().kinetic_energy;
        first = if first == 0.0 { now } else { first };
        rise = rise.max(now - energy);
        energy = now;
    }
    let (p_end, l_end, ..) = momenta(&mut simulation);
    let (linear, angular) = ((p_end - p).length() / p_all, (l_end - l).length() / l_all);
    eprintln!(
        "momentum {linear:.1e}, angular {angular:.1e}, energy {:.3}, rise {:.1e}",
        energy / first,
        rise / first
    );
    assert!(energy < 0.8 * first, "they have met");
    assert!(linear < 1e-6, "{linear}");
    assert!(angular < 1e-5, "{angular}");
    assert!(rise < 1e-6 * first, "{rise} of {first} J");
}

/// Grains of two materials with an emitter, an outlet, a plate that moves, a body that falls, air and rough walls.
fn flow() -> Scene {
    let rest = "
        tension = 0.02
        [[material]]
        name = \"gravel\"
        radius = 0.01
        [material.pbd]
        friction = 0.3
        restitution = 0.4
        [[pair]]
        materials = [\"sand\", \"gravel\"]
        friction = 0.6
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        radius = [0.007, 0.02]
        shape.box = { min = [-0.12, 0.17, -0.12], max = [0.12, 0.42, 0.12] }
        [[grains]]
        material = \"gravel\"
        fill = \"random\"
        fixed = true
        shape.box = { min = [-0.12, 0.0, -0.12], max = [-0.05, 0.06, -0.05] }
        [[boundary]]
        name = \"tank\"
        material = \"gravel\"
        shape.box = { min = [-0.12, -0.1, -0.12], max = [0.12, 1.0, 0.12], hollow = true }
        [[boundary]]
        name = \"plate\"
        shape.box = { min = [0.0, -0.02, -0.05], max = [0.005, 0.15, 0.05] }
        [boundary.motion]
        [[boundary.motion.keyframe]]
        time = 0.0
        [[boundary.motion.keyframe]]
        time = 1.0
        translation = [-0.06, 0.03, 0.0]
        angle = 40.0
        axis = [0, 0, 1]
        [[body]]
        name = \"block\"
        density = 1500
        shape.box = { min = [-0.03, 0.46, -0.03], max = [0.03, 0.52, 0.03] }
        [[emitter]]
        name = \"hose\"
        material = \"gravel\"
        shape.box = { min = [-0.04, 0.6, -0.04], max = [0.04, 0.66, 0.04] }
        velocity = [0, -0.5, 0]
        rate = 300
        [[outlet]]
        name = \"drain\"
        shape.box = { min = [0.06, -0.1, -0.12], max = [0.12, -0.05, 0.12] }
        [air]
        density = 1.2
        ";
    scene("", "", (0.5, 0.05), rest)
}

#[test]
fn threads_and_instructions_change_no_bit() {
    let mut hashes = Vec::new();
    for threads in [1, 2, 4] {
        let mut simulation = Simulation::new(flow(), &options(threads)).unwrap();
        simulation.run_until(0.5);
        assert_eq!(simulation.ledger().unaccounted(), 0);
        hashes.push(hash(&simulation));
    }
    let portable = Options { instructions: Some(granule::simd::Instructions::Portable), ..options(2) };
    let mut simulation = Simulation::new(flow(), &portable).unwrap();
    simulation.run_until(0.5);
    hashes.push(hash(&simulation));
    let ledger = simulation.ledger();
    assert!(ledger.emitted > 50 && ledger.drained > 5, "{ledger:?}");
    assert!(hashes.windows(2).all(|pair| pair[0] == pair[1]), "{hashes:?}");
}

#[test]
fn a_resumed_run_in_the_middle_of_a_flow_has_the_same_bits() {
    let mut unbroken = Simulation::new(flow(), &options(2)).unwrap();
    unbroken.run_until(0.3);
    let checkpoint = unbroken.checkpoint().unwrap();
    let mut resumed = Simulation::resume(&checkpoint, &options(1)).unwrap();
    // Not where walls are now, which a checkpoint holds rounded; steps find it anew.
    let contacts = |simulation: &mut Simulation| {
        let known = |c: &Contact| (c.particle, c.partner, c.center, c.normal, c.force());
        simulation.contacts().iter().map(known).collect::<Vec<_>>()
    };
    assert!(contacts(&mut unbroken).len() > 300);
    assert_eq!(contacts(&mut unbroken), contacts(&mut resumed));
    for simulation in [&mut unbroken, &mut resumed] {
        simulation.apply(&Command::Gravity(glam::Vec3::new(1.0, -9.81, 0.0))).unwrap();
        simulation.run_until(0.5);
    }
    assert_eq!(hash(&unbroken), hash(&resumed));
    let fields = ["orientation", "pressure", "coordination", "contact_force"];
    let [mut a, mut b] = [unbroken, resumed];
    assert_eq!(a.read(&fields).unwrap().columns, b.read(&fields).unwrap().columns);
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

/// One grain, or a few, in a box \[m\] with a velocity [m/s], of the material `sand`.
fn grains(min: [f64; 3], max: [f64; 3], more: &str) -> String {
    format!("[[grains]]\nmaterial = \"sand\"\nshape.box = {{ min = {min:?}, max = {max:?} }}\n{more}\n")
}

const FLOOR: &str =
    "[[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";

/// A grain on a belt that moves by 0.5 m/s: friction takes it along within v/(mu g), and no faster.
#[test]
fn a_moving_wall_carries_grains_by_friction() {
    let belt = "[[boundary]]\nname = \"belt\"\nshape.box = { min = [-2, -0.1, -1], max = [3, 0, 1] }\n[boundary.motion]\n\
                [[boundary.motion.keyframe]]\ntime = 0.0\n[[boundary.motion.keyframe]]\ntime = 4.0\ntranslation = [2, 0, 0]\n";
    let one = grains([-0.01, 0.0, -0.01], [0.0101, 0.0201, 0.0101], "");
    let mut simulation = start(scene("", "rotation = false", (0.3, 0.0), &format!("{one}{belt}")));
    let speed = |simulation: &mut Simulation| {
        let fields = simulation.read(&["velocity"]).unwrap();
        f64::from(fields.vec3("velocity").unwrap()[0][0])
    };
    simulation.run_until(0.1);
    let early = speed(&mut simulation);
    assert!((early / (0.3 * GRAVITY * 0.1) - 1.0).abs() < 0.05, "{early}");
    simulation.run_until(1.0);
    let late = speed(&mut simulation);
    assert!((late - 0.5).abs() < 1e-3, "{late}");
}

/// A block flies into a cloud of grains, without gravity: what it loses, they gain.
#[test]
fn a_body_and_grains_keep_their_momentum_together() {
    let rest = "
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        shape.box = { min = [0.0, -0.1, -0.1], max = [0.2, 0.1, 0.1] }
        [[body]]
        name = \"block\"
        density = 2000
        velocity = [1.5, 0, 0]
        angular_velocity = [0, 3, 1]
        shape.box = { min = [-0.2, -0.06, -0.04], max = [-0.08, 0.05, 0.06] }";
    let mut simulation = start(scene("gravity = [0, 0, 0]", "", (0.5, 0.1), rest));
    let all = |simulation: &mut Simulation| {
        let (p, l, ..) = momenta(simulation);
        let body = simulation.bodies()[0].clone();
        let (m, v, x) = (f64::from(body.mass), body.velocity.as_dvec3(), body.center.as_dvec3());
        (p + m * v, l, m * v, x)
    };
    let (before, _, of_body, _) = all(&mut simulation);
    simulation.run_until(0.6);
    let (after, _, of_body_then, _) = all(&mut simulation);
    let lost = (of_body - of_body_then).length();
    assert!(lost > 0.2 * of_body.length(), "the block has hit them: {of_body_then} of {of_body}");
    assert!((after - before).length() < 1e-5 * of_body.length(), "{before} became {after}");
}

/// A block that is laid onto a bed stays on it.
#[test]
fn a_body_rests_on_a_bed_of_grains() {
    let rest = "
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        shape.box = { min = [-0.1, 0.0, -0.1], max = [0.1, 0.16, 0.1] }
        [[boundary]]
        name = \"tank\"
        shape.box = { min = [-0.1, 0, -0.1], max = [0.1, 1, 0.1], hollow = true }
        [[body]]
        name = \"block\"
        density = 2500
        shape.box = { min = [-0.05, 0.2, -0.05], max = [0.05, 0.26, 0.05] }";
    let mut simulation = start(scene("", "", (0.5, 0.1), rest));
    simulation.run_until(2.0);
    let height = |simulation: &Simulation| f64::from(simulation.bodies()[0].center.y);
    let before = height(&simulation);
    simulation.run_until(3.0);
    let sunk = (before - height(&simulation)) / D;
    eprintln!("block at {before:.4} m, sinks by {sunk:.5} d in a second");
    assert!(before > 0.1 && sunk.abs() < 0.05, "{before} m, {sunk} d");
}

/// Pull of a grain that hangs below one that is held: above its weight it holds, below it does not.
#[test]
fn a_pull_holds_a_grain_up_to_its_weight() {
    let weight = DENSITY * std::f64::consts::PI / 6.0 * D.powi(3) * GRAVITY;
    for (share, holds) in [(1.2, true), (0.8, false)] {
        let tension = share * weight / (std::f64::consts::PI * D);
        let held = grains([-0.0101, 0.0, -0.0101], [0.0101, 0.0201, 0.0101], "fixed = true");
        let hanging = grains([-0.0101, -0.0201, -0.0101], [0.0101, 0.0, 0.0101], "");
        let rest = format!("tension = {tension}\n{held}{hanging}");
        let mut simulation = start(scene("", "", (0.5, 0.0), &rest));
        assert_eq!(simulation.simulator().particle_count(), 2);
        let lowest = |simulation: &mut Simulation| {
            positions(simulation).iter().map(|x| x.y).fold(f64::INFINITY, f64::min)
        };
        let before = lowest(&mut simulation);
        simulation.run_until(0.5);
        let fallen = before - lowest(&mut simulation);
        assert_eq!(fallen < 0.01 * D, holds, "{share} of its weight: fallen by {fallen} m");
    }
}

/// A grain that falls by 0.2 m rises by e^2 of it.
#[test]
fn restitution_gives_back_its_share_of_the_speed() {
    let one = grains([-0.0101, 0.2, -0.0101], [0.0101, 0.2201, 0.0101], "");
    for restitution in [0.0, 0.5, 0.9] {
        let rest = format!("restitution = {restitution}\n{one}{FLOOR}");
        let mut simulation = start(scene("", "", (0.5, 0.0), &rest));
        let fall = positions(&mut simulation)[0].y - 0.5 * D;
        let (mut highest, mut rises) = (0.0f64, false);
        while simulation.time() < 0.7 {
            simulation.step();
            let fields = simulation.read(&["velocity"]).unwrap();
            rises |= fields.vec3("velocity").unwrap()[0][1] > 1e-3;
            let height = positions(&mut simulation)[0].y - 0.5 * D;
            highest = if rises { highest.max(height) } else { 0.0 };
        }
        let share = highest / fall;
        assert!((share - restitution * restitution).abs() < 0.04, "e = {restitution}: {share}");
    }
}

/// What a scene is refused with.
fn refusal(text: &str) -> String {
    let text = format!("name = \"test\"\n[simulation]\nsolver = \"pbd\"\nfps = 60\n{text}");
    let scene = match Scene::parse(&text, "test") {
        Ok(scene) => scene,
        Err(error) => return error.to_string(),
    };
    Simulation::new(scene, &options(1)).err().map_or("nothing".into(), |error| error.to_string())
}

#[test]
fn what_is_wrong_is_refused_with_its_key_and_a_remedy() {
    let bed = "[[material]]\nname = \"sand\"\nradius = 0.01\n[[grains]]\nmaterial = \"sand\"\n\
               shape.box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n";
    let cases = [
        (format!("[pbd]\nscheme = \"averaged\"\n{bed}"), vec!["pbd.scheme", "averaged", "impulse"]),
        (format!("[pbd]\nsubsteps = 0\n{bed}"), vec!["pbd.substeps", "from 1"]),
        (format!("[pbd]\nsweeps = 0\n{bed}"), vec!["pbd.sweeps", "from 1"]),
        (format!("[pbd]\nsubsteps = 4\nsweeps = 1\n{bed}"), vec!["pbd.substeps", "10 for grains of 0.02"]),
        (format!("[pbd]\nspeed = 4\n{bed}"), vec!["speed"]),
        (format!("{bed}grain.shape = \"tetrahedron\"\n"), vec!["grain"]),
        (format!("periodic = {{ x = [0, 0.07] }}\n{bed}"), vec!["simulation.periodic.x", "0.08"]),
    ];
    for (text, words) in cases {
        let message = refusal(&text);
        assert!(words.iter().all(|word| message.contains(word)), "{words:?}: {message}");
    }
    assert_eq!(refusal(bed), "nothing");
    for (key, value) in
        [("friction", "-1"), ("rolling_friction", "-0.1"), ("restitution", "1.5"), ("tension", "-2")]
    {
        let text = bed.replace("[[grains]]", &format!("[material.pbd]\n{key} = {value}\n[[grains]]"));
        let message = refusal(&text);
        assert!(message.contains(&format!("pbd.{key}")), "{key}: {message}");
    }
}
