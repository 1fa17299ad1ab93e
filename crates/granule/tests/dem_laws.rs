//! Laws of distinct elements that no oracle covers, run through the solver and held against what can be computed by hand.

use std::f64::consts::PI;

use granule::scene::Scene;
use granule::{Options, Simulation};

/// Radius \[m\], mass \[kg\] and weight \[N\] of the spheres here.
const RADIUS: f64 = 0.005;
const MASS: f64 = 2500.0 * 4.0 / 3.0 * PI * RADIUS * RADIUS * RADIUS;
const GRAVITY: f64 = 9.81;

/// Spheres of 5 mm with a law.
fn simulation(simulation: &str, dem: &str, material: &str, rest: &str) -> Simulation {
    let text = format!(
        r#"
        name = "test"
        [simulation]
        solver = "dem"
        {simulation}
        [dem]
        {dem}
        [[material]]
        name = "sand"
        radius = {RADIUS}
        density = 2500
        [material.dem]
        {material}
        {rest}
        "#
    );
    let scene = Scene::parse(&text, "test").unwrap();
    Simulation::new(scene, &Options { threads: Some(1), ..Options::default() }).unwrap()
}

/// A sphere whose box begins at a corner \[m\], with a velocity [m/s].
fn grain(corner: [f64; 3], velocity: [f64; 3], more: &str) -> String {
    let end = corner.map(|x| x + 2.0 * RADIUS + 1e-5);
    format!(
        "[[grains]]\nmaterial = \"sand\"\nvelocity = {velocity:?}\n{more}\n\
         shape.box = {{ min = {corner:?}, max = {end:?} }}\n"
    )
}

const FLOOR: &str = "[[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }";

/// A field of a grain; grains are numbered in the order of the scene.
fn vector(simulation: &mut Simulation, name: &str, id: usize) -> [f64; 3] {
    let fields = simulation.read(&[name]).unwrap();
    fields.vec3(name).unwrap()[id].map(f64::from)
}

/// A linear spring and dashpot are chosen for a restitution, which holds at any speed:
/// `e = exp(-pi zeta/sqrt(1 - zeta^2))`, and a collision lasts `pi sqrt(m_eff/k)/sqrt(1 - zeta^2)`.
#[test]
fn linear_contacts_give_back_the_restitution_that_was_asked_for() {
    for (restitution, speed) in [(0.9, 0.02), (0.5, 0.02), (0.5, 0.5), (0.2, 0.1)] {
        let material = format!("stiffness = 1e4\nrestitution = {restitution}\nfriction = 0.5");
        let two = grain([0.0; 3], [speed, 0.0, 0.0], "")
            + &grain([2.0 * RADIUS + 1e-5, 0.0, 0.0], [-speed, 0.0, 0.0], "");
        let still = "gravity = [0, 0, 0]\nfps = 1000\ntime_step = 5e-7";
        let mut pair = simulation(still, "normal = \"hooke\"", &material, &two);
        pair.run_until(2e-3 + 2e-5 / speed);
        let found = vector(&mut pair, "velocity", 1)[0] / speed;
        assert!((found - restitution).abs() < 2e-3, "spheres: {found} instead of {restitution}");

        let one = grain([0.0, 0.0, 0.0], [0.0, -speed, 0.0], "") + FLOOR;
        let mut wall = simulation(still, "normal = \"hooke\"", &material, &one);
        wall.run_until(3e-3 + 2e-5 / speed);
        let found = vector(&mut wall, "velocity", 0)[1] / speed;
        assert!((found - restitution).abs() < 2e-3, "wall: {found} instead of {restitution}");
    }
}

/// A linear spring bears a weight at m g/k, and a stack of two at 2 m g/k below.
#[test]
fn linear_contacts_bear_weights_at_the_depth_of_their_spring() {
    let stiffness = 1000.0;
    let stack = grain([0.0; 3], [0.0; 3], "") + &grain([0.0, 2.0 * RADIUS + 1e-5, 0.0], [0.0; 3], "") + FLOOR;
    let material = format!("stiffness = {stiffness}\nrestitution = 0.3\nfriction = 0.5");
    let mut simulation = simulation("fps = 50", "normal = \"hooke\"", &material, &stack);
    simulation.run_until(1.0);
    let (lower, upper) =
        (vector(&mut simulation, "position", 0)[1], vector(&mut simulation, "position", 1)[1]);
    let unit = MASS * GRAVITY / stiffness;
    let depths = [RADIUS - lower, 2.0 * RADIUS - (upper - lower)];
    assert!((depths[0] / (2.0 * unit) - 1.0).abs() < 1e-3, "{depths:?} in units of {unit}");
    assert!((depths[1] / unit - 1.0).abs() < 1e-3, "{depths:?} in units of {unit}");
}

/// A sphere that slides on a plane under Longmore's friction `F = min(mu m g, k v_t)`: it slows down by mu g, its surface by
/// 7/2 mu g; below v_t = mu m g/k the slip decays with the rate 7 k/(2 m), towards rolling with 5/7 of the speed.
#[test]
fn friction_without_memory_slides_and_then_decays() {
    let (friction, coefficient) = (0.3, 0.05);
    let material =
        format!("young = 5e6\nrestitution = 0.5\nfriction = {friction}\nviscous_friction = {coefficient}");
    let one = grain([0.0; 3], [0.5, 0.0, 0.0], "") + FLOOR;
    let mut run = simulation("fps = 1000", "tangential = \"viscous\"", &material, &one);
    let mut state = |time: f64| {
        run.run_until(time);
        let (v, w) = (vector(&mut run, "velocity", 0), vector(&mut run, "angular_velocity", 0));
        (v[0], v[0] + RADIUS * w[2])
    };
    // By then it has stopped to bounce.
    let (v0, slip0) = state(0.02);
    let (v1, slip1) = state(0.03);
    let deceleration = friction * GRAVITY * 0.01;
    assert!(((v0 - v1) / deceleration - 1.0).abs() < 5e-3, "{v0} {v1}");
    assert!(((slip0 - slip1) / (3.5 * deceleration) - 1.0).abs() < 5e-3, "{slip0} {slip1}");
    // Then the slip decays.
    let ((_, slip2), (v3, slip3)) = (state(0.06), state(0.07));
    let limit = friction * MASS * GRAVITY / coefficient;
    assert!(slip1 > limit && slip2 < limit, "{slip1} and {slip2} beside {limit}");
    let expected = (-3.5 * coefficient / MASS * 0.01f64).exp();
    assert!((slip3 / slip2 / expected - 1.0).abs() < 1e-2, "{} instead of {expected}", slip3 / slip2);
    // What friction cannot change.
    let kept = |v: f64, slip: f64| v - 2.0 / 7.0 * slip;
    assert!((kept(v3, slip3) / kept(v0, slip0) - 1.0).abs() < 1e-3);
    assert!((kept(v3, slip3) / (5.0 / 7.0 * 0.5) - 1.0).abs() < 1e-3);
}

/// On a slope of 20 degrees a sphere rolls with the friction 2/7 m g sin(20): without memory that takes a slip of F/k,
/// with memory none.
#[test]
fn friction_without_memory_creeps_on_a_slope_and_friction_with_memory_does_not() {
    let coefficient = 0.5;
    let (sine, cosine) = 20f64.to_radians().sin_cos();
    let tilted = format!("fps = 100\ngravity = [{}, {}, 0]", GRAVITY * sine, -GRAVITY * cosine);
    let one = grain([0.0; 3], [0.0; 3], "") + FLOOR;
    let slip = |tangential: &str| {
        let material =
            format!("young = 5e6\nrestitution = 0.3\nfriction = 0.5\nviscous_friction = {coefficient}");
        let mut run = simulation(&tilted, &format!("tangential = \"{tangential}\""), &material, &one);
        run.run_until(0.3);
        let (v, w) = (vector(&mut run, "velocity", 0), vector(&mut run, "angular_velocity", 0));
        assert!((v[0] / (5.0 / 7.0 * GRAVITY * sine * 0.3) - 1.0).abs() < 0.02, "{tangential}: {v:?}");
        v[0] + RADIUS * w[2]
    };
    let expected = 2.0 / 7.0 * MASS * GRAVITY * sine / coefficient;
    let (creep, none) = (slip("viscous"), slip("mindlin_rescale"));
    assert!((creep / expected - 1.0).abs() < 1e-2, "{creep} instead of {expected}");
    assert!(none.abs() < 0.02 * expected, "{none} beside {expected}");
}

/// Fisher 1926: touching spheres pull with 2 pi R sigma cos(theta). A sphere hangs from a held one by more than its weight,
/// pressed against it by the rest: `4/3 E* sqrt(R/2) delta^(3/2) = 2 pi R sigma cos(theta) - m g`.
#[test]
fn a_wet_sphere_hangs_from_another_and_falls_where_the_liquid_is_too_weak() {
    let (young, poisson, angle) = (5e6, 0.3, 30f64);
    let run = |tension: f64| {
        let material = format!(
            "young = {young}\npoisson = {poisson}\nrestitution = 0.3\nfriction = 0.5\n\
             liquid_volume = 1e-9\nliquid_tension = {tension}\nliquid_angle = {angle}"
        );
        let two = grain([0.0, 2.0 * RADIUS + 1e-5, 0.0], [0.0; 3], "fixed = true")
            + &grain([0.0; 3], [0.0, 0.05, 0.0], "");
        let mut run = simulation("fps = 100", "", &material, &two);
        run.run_until(0.5);
        let (upper, lower) = (vector(&mut run, "position", 0)[1], vector(&mut run, "position", 1)[1]);
        (2.0 * RADIUS - (upper - lower), vector(&mut run, "velocity", 1)[1])
    };
    let pull = |tension: f64| 2.0 * PI * RADIUS * tension * angle.to_radians().cos();
    let weight = MASS * GRAVITY;
    let strong = 1.5 * weight / pull(1.0);
    let (depth, speed) = run(strong);
    let stiffness = 4.0 / 3.0 * young / (2.0 * (1.0 - poisson * poisson)) * (0.5 * RADIUS).sqrt();
    let expected = ((pull(strong) - weight) / stiffness).powf(2.0 / 3.0);
    assert!(speed.abs() < 1e-6, "it still moves: {speed}");
    assert!((depth / expected - 1.0).abs() < 5e-3, "{depth} instead of {expected}");
    let (depth, speed) = run(0.5 * weight / pull(1.0));
    assert!(depth < -0.5 && speed < -3.0, "it should have fallen: {depth}, {speed}");
}
