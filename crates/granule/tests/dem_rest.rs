//! Distinct elements at rest: a heap that has been poured stays, without any sleeping or damping beside that of its contacts.

use granule::scene::Scene;
use granule::{Options, Simulation};

/// Gravity [m/s2], radius \[m\] and density [kg/m3] of the heap.
const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.01;
const DENSITY: f64 = 2500.0;

/// A cone of this radius and height \[m\], poured at random, that settles into a heap.
fn heap(radius: f64, height: f64) -> Scene {
    let text = format!(
        r#"
        name = "heap"
        [simulation]
        solver = "dem"
        fps = 50
        [[material]]
        name = "sand"
        radius = {RADIUS}
        density = {DENSITY}
        [material.dem]
        young = 1e6
        restitution = 0.3
        friction = 0.6
        rolling_friction = 0.1
        twisting_friction = 1e-3
        [[grains]]
        material = "sand"
        fill = "relaxed"
        radius = [{}, {}]
        shape.cone = {{ from = [0, 0, 0], to = [0, {height}, 0], from_radius = {radius}, to_radius = 0 }}
        [[boundary]]
        name = "floor"
        shape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}
        "#,
        0.9 * RADIUS,
        1.1 * RADIUS,
    );
    Scene::parse(&text, "heap").unwrap_or_else(|error| panic!("{error}"))
}

/// Energy of motion at the end of the last step, height of the highest grain, and weight times height above the floor of all.
struct Energy {
    motion: f64,
    crest: f64,
    height: f64,
}

fn energy(simulation: &mut Simulation, motion: f64) -> Energy {
    let fields = simulation.read(&["position", "radius"]).unwrap();
    let (position, radius) = (fields.vec3("position").unwrap(), fields.scalar("radius").unwrap());
    let (mut crest, mut height) = (0.0f64, 0.0);
    for (x, r) in position.iter().zip(radius) {
        let (y, r) = (f64::from(x[1]), f64::from(*r));
        let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
        crest = crest.max(y);
        height += mass * GRAVITY * (y - r);
    }
    Energy { motion, crest, height }
}

/// Lets a cone settle for `settling` \[s\] and rest for `rest`: the largest energy of motion in the rest over
/// the energy of height, the fall of the crest in diameters, and the number of grains.
fn rest(radius: f64, height: f64, settling: f64, rest: f64) -> (f64, f64, usize) {
    let options = Options { threads: Some(2), ..Options::default() };
    let mut simulation = Simulation::new(heap(radius, height), &options).unwrap();
    simulation.run_until(settling);
    let start = energy(&mut simulation, 0.0);
    let mut motion = 0.0f64;
    while simulation.time() < settling + rest {
        simulation.step_ahead().iter().for_each(|(report, _)| motion = motion.max(report.kinetic_energy));
    }
    let end = energy(&mut simulation, motion);
    (end.motion / end.height, (start.crest - end.crest) / (2.0 * RADIUS), simulation.particle_count())
}

/// Two thousand grains for a second.
#[test]
fn a_small_heap_stays() {
    let (motion, fall, grains) = rest(0.36, 0.14, 5.0, 1.0);
    eprintln!("{grains} grains: energy of motion {motion:e} of that of height, crest {fall:e} d lower");
    assert!(grains > 1800, "{grains} grains");
    assert!(motion < 1e-8, "{motion:e}");
    assert!(fall.abs() < 1e-3, "{fall}");
}

/// Ten thousand grains for thirty seconds.
#[test]
#[ignore = "takes minutes"]
fn a_heap_of_ten_thousand_stays_for_half_a_minute() {
    let (motion, fall, grains) = rest(0.6, 0.23, 5.0, 30.0);
    eprintln!("{grains} grains: energy of motion {motion:e} of that of height, crest {fall:e} d lower");
    assert!(grains >= 10_000, "{grains} grains");
    assert!(motion < 1e-8, "{motion:e}");
    assert!(fall.abs() < 1e-3, "{fall}");
}
