//! Bodies that are made of particles.

use granule::bodies::BodyReport;
use granule::boundary::Shape;
use granule::contacts::Partner;
use granule::scene::{BodyCoupling, BodySettings};

use super::conservation::momenta;
use super::*;

/// A box of five diameters whose lowest point is at a height \[m\].
fn block(name: &str, x: f64, bottom: f64) -> BodySettings {
    let (half, x, bottom) = (2.5 * D as f32, x as f32, bottom as f32);
    let (min, max) = ([x - half, bottom, -half], [x + half, bottom + 2.0 * half, half]);
    let shape = Shape::Box { min, max, hollow: false };
    BodySettings { coupling: BodyCoupling::Particles, density: 2500.0, ..BodySettings::new(name, shape) }
}

fn with_bodies(mut scene: Scene, bodies: &[BodySettings]) -> Scene {
    scene.body.extend_from_slice(bodies);
    scene
}

fn report(simulation: &Simulation, k: usize) -> BodyReport {
    simulation.bodies()[k].clone()
}

/// Momentum and angular momentum about the origin of a block of five diameters.
fn of_block(body: &BodyReport) -> (DVec3, DVec3) {
    let (mass, side) = (f64::from(body.mass), 5.0 * D);
    let (x, v) = (body.center.as_dvec3(), body.velocity.as_dvec3());
    let inertia = mass * side * side / 6.0;
    (mass * v, mass * x.cross(v) + inertia * body.angular_velocity.as_dvec3())
}

/// A block that spins flies into a cloud of grains, in empty space.
#[test]
fn body_and_grains_together_keep_momentum_and_angular_momentum() {
    let rest = "
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        radius = [0.005, 0.015]
        shape.box = { min = [0.08, -0.1, -0.1], max = [0.3, 0.1, 0.1] }";
    let mut body = block("block", 0.0, -2.5 * D);
    (body.velocity, body.angular_velocity) = ([0.8, 0.1, 0.0], [100.0, 300.0, -200.0]);
    let mut simulation = start(with_bodies(scene("gravity = [0, 0, 0]", "", (0.5, 0.1), rest), &[body]));
    let all = |simulation: &mut Simulation| {
        let ((p, l, ..), (pb, lb)) = (momenta(simulation), of_block(&report(simulation, 0)));
        (p + pb, l + lb)
    };
    let (p, l) = all(&mut simulation);
    // What the angular momentum is made of: that of the block about the origin, and its spin.
    let body = report(&simulation, 0);
    let spin = of_block(&BodyReport { velocity: glam::Vec3::ZERO, ..body.clone() }).1.length();
    let moduli = spin + f64::from(body.mass * body.velocity.length()) * 0.3;
    let (mut fastest, mut energy) = (0.0f64, Vec::new());
    while simulation.time() < 1.0 {
        simulation.step();
        let body = report(&simulation, 0);
        fastest = fastest.max(f64::from(body.force.length()));
        energy.push(body.velocity.length());
    }
    let (p_end, l_end) = all(&mut simulation);
    let slowed = energy[energy.len() - 1] / energy[0];
    let (linear, angular) = ((p_end - p).length() / p.length(), (l_end - l).length() / moduli);
    eprintln!("momentum {linear:.1e}, angular {angular:.1e}, slowed to {slowed:.2}, force {fastest:.1} N");
    assert!(slowed < 0.8 && fastest > 1.0, "they have met");
    assert!(linear < 3e-6, "{linear}");
    assert!(angular < 3e-5, "{angular}");
}

/// Its mass is that of the solid, its particles are not among the grains, and contacts name it as a wall.
#[test]
fn it_is_reported_as_other_bodies_are() {
    let bed = "
        [[grains]]
        material = \"sand\"
        fill = \"relaxed\"
        shape.box = { min = [-0.1, 0.0, -0.1], max = [0.1, 0.1, 0.1] }
        [[boundary]]
        name = \"tank\"
        shape.box = { min = [-0.1, 0.0, -0.1], max = [0.1, 1.0, 0.1], hollow = true }";
    let alone = start(scene("", "", (0.5, 0.1), bed)).particle_count();
    let scene = with_bodies(scene("", "", (0.5, 0.1), bed), &[block("block", 0.0, 0.105)]);
    let mut simulation = start(scene);
    assert_eq!((simulation.particle_count(), positions(&mut simulation).len()), (alone, alone));
    let weight = DENSITY * (5.0 * D).powi(3) * GRAVITY;
    assert!((f64::from(report(&simulation, 0).mass) * GRAVITY / weight - 1.0).abs() < 1e-5);
    run_to(&mut simulation, 2.0);
    let (body, start) = (report(&simulation, 0), report(&simulation, 0).center);
    let force = f64::from(body.force.y);
    let contacts = simulation.contacts();
    let own: Vec<_> = contacts.iter().filter(|c| c.partner == Partner::wall(1, 0)).collect();
    let given: f64 = own.iter().map(|c| -f64::from(c.force().y)).sum();
    run_to(&mut simulation, 3.0);
    let drift = f64::from((report(&simulation, 0).center - start).length()) / D;
    eprintln!(
        "{} contacts, force {force:.4} and {given:.4} of {weight:.4} N, drift {drift:.1e} d",
        own.len()
    );
    assert!(own.len() > 8 && (force / weight - 1.0).abs() < 0.01, "{force} N of {weight}");
    assert!((given / weight - 1.0).abs() < 0.01, "{given} N of {weight}");
    assert!(drift < 0.005, "{drift} d in a second on sand");
    assert_eq!(simulation.ledger().unaccounted(), 0);
}

/// Box on a plane that is inclined by degrees, with the coefficient of friction; gives its way along in d.
fn slide(degrees: f64, friction: f32, pbd: &str, until: f64) -> (f64, f64) {
    let (sine, cosine) = (degrees.to_radians().sin(), degrees.to_radians().cos());
    let gravity = format!("gravity = [{}, {}, 0]", GRAVITY * sine, -GRAVITY * cosine);
    let floor = format!(
        "[[boundary]]\nname = \"floor\"\nfriction = {friction}\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}"
    );
    let mut body = BodySettings { friction: Some(friction), ..block("block", 0.0, 0.0) };
    // Two diameters high, so that it does not tip over.
    let (half, top) = (2.5 * D as f32, 2.0 * D as f32);
    body.shape = Shape::Box { min: [-half, 0.0, -half], max: [half, top, half], hollow: false };
    let mut simulation = start(with_bodies(scene(&gravity, pbd, (0.5, 0.1), &floor), &[body]));
    run_to(&mut simulation, 0.1);
    let start = report(&simulation, 0).center;
    run_to(&mut simulation, until);
    let end = report(&simulation, 0);
    (f64::from((end.center - start).length()) / D, f64::from(end.velocity.x))
}

/// Below the angle of friction it stays; above, it slides with the acceleration of a block.
#[test]
fn a_box_of_particles_slips_at_its_angle_of_friction_for_any_number_of_steps_and_sweeps() {
    for pbd in ["", "substeps = 5\nsweeps = 4", "substeps = 20\nsweeps = 1"] {
        let (way, _) = slide(25.6, 0.5, pbd, 2.0);
        assert!(way < 0.005, "{pbd}: {way} d at 25.6 degrees");
        let (_, speed) = slide(27.6, 0.5, pbd, 1.0);
        let theory = GRAVITY * (27.6f64.to_radians().sin() - 0.5 * 27.6f64.to_radians().cos());
        eprintln!("{pbd:?}: way {way:.1e} d, speed {:.3} of theory", speed / theory);
        assert!((speed / theory - 1.0).abs() < 0.05, "{pbd}: {speed} of {theory} m/s");
    }
}

const ROUGH: &str = "
    [[boundary]]
    name = \"floor\"
    rough = 0.02
    rough_region = { min = [-0.2, -0.02, -0.2], max = [0.2, 0.02, 0.2] }
    shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }";

/// Lets bodies rest on the rough floor between two times \[s\], and says how far they drift \[d\] and turn.
fn rest(bodies: &[BodySettings], pbd: &str, from: f64, to: f64) -> Vec<(f64, f32)> {
    let mut simulation = start(with_bodies(scene("", pbd, (0.5, 0.1), ROUGH), bodies));
    run_to(&mut simulation, from);
    let before = simulation.bodies();
    run_to(&mut simulation, to);
    let way = |(body, before): (&BodyReport, &BodyReport)| {
        let drift = f64::from((body.center - before.center).length()) / D;
        (drift, body.pose.rotation.angle_between(before.pose.rotation))
    };
    let ways: Vec<_> = simulation.bodies().iter().zip(&before).map(way).collect();
    eprintln!("{pbd:?}: drift [d] and turn {ways:?}");
    ways
}

/// Ten seconds on a rough floor, where its particles rest on others; less on another box.
#[test]
fn boxes_on_a_rough_floor_do_not_drift() {
    let (drift, turned) = rest(&[block("block", 0.0, 1.2 * D)], "", 2.0, 12.0)[0];
    assert!(drift < 0.005 && turned < 1e-3, "{drift} d, {turned}");
    let two = [block("below", 0.0, 1.2 * D), block("above", 0.8 * D, 6.3 * D)];
    for (drift, turned) in rest(&two, "", 3.0, 5.0) {
        assert!(drift < 0.05 && turned < 0.01, "{drift} d, {turned}");
    }
}

/// Grains, two boxes, a body of rapier's, an emitter and an outlet.
fn mixed() -> Scene {
    let rest = "
        restitution = 0.2
        [[grains]]
        material = \"sand\"
        fill = \"random\"
        radius = [0.007, 0.02]
        shape.box = { min = [-0.12, 0.0, -0.12], max = [0.12, 0.15, 0.12] }
        [[boundary]]
        name = \"tank\"
        shape.box = { min = [-0.12, 0.0, -0.12], max = [0.12, 1.0, 0.12], hollow = true }
        [[body]]
        name = \"ball\"
        density = 1500
        shape.sphere = { center = [0.02, 0.47, 0.0], radius = 0.04 }
        [[emitter]]
        name = \"hose\"
        material = \"sand\"
        shape.box = { min = [-0.04, 0.6, -0.04], max = [0.04, 0.66, 0.04] }
        velocity = [0, -0.5, 0]
        rate = 300
        [[outlet]]
        name = \"drain\"
        shape.box = { min = [0.08, -0.1, -0.12], max = [0.12, 0.04, 0.12] }";
    let mut spinning = block("second", -0.06, 0.3);
    spinning.angular_velocity = [0.0, 200.0, 100.0];
    with_bodies(scene("", "", (0.5, 0.05), rest), &[block("first", 0.055, 0.16), spinning])
}

#[test]
fn threads_and_restarts_change_no_bit() {
    let mut hashes = Vec::new();
    for threads in [1, 3] {
        let mut simulation = Simulation::new(mixed(), &options(threads)).unwrap();
        simulation.run_until(0.3);
        let checkpoint = simulation.checkpoint().unwrap();
        simulation.run_until(0.5);
        hashes.push(hash(&simulation));
        let mut resumed = Simulation::resume(&checkpoint, &options(2)).unwrap();
        resumed.run_until(0.5);
        hashes.push(hash(&resumed));
        assert_eq!(resumed.bodies(), simulation.bodies());
        let ledger = simulation.ledger();
        assert!(ledger.emitted > 30 && ledger.drained > 5 && ledger.unaccounted() == 0, "{ledger:?}");
        // The ball has met the boxes or the sand, and all are above the floor.
        assert!(simulation.bodies().iter().all(|body| body.center.y > 0.02), "{:?}", simulation.bodies());
    }
    assert!(hashes.windows(2).all(|pair| pair[0] == pair[1]), "{hashes:?}");
}
