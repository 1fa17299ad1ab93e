//! Scenes for a continuum that run with grains: their number and their mass.

use granule::{Options, Scene, Simulation};

fn open(name: &str, quick: bool, sets: &[(&str, &str)]) -> Scene {
    let sets: Vec<(String, String)> = sets.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    Scene::open(name, quick, &sets).unwrap()
}

fn simulate(scene: Scene) -> Simulation {
    Simulation::new(scene, &Options::default()).unwrap()
}

const DEM: (&str, &str) = ("simulation.solver", "dem");

/// Mass of all grains [kg].
fn mass(simulation: &mut Simulation) -> f64 {
    let has_grains = simulation.simulator().solver() == "dem";
    let state = simulation.read(&["radius"]).unwrap();
    let density = f64::from(simulation.scene().material[0].density);
    let volume = |radius: f64| match has_grains {
        true => 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
        false => (2.0 * radius).powi(3),
    };
    state.scalar("radius").unwrap().iter().map(|radius| density * volume(f64::from(*radius))).sum()
}

/// Grains are 0.6 of the volume that bulk matter has: 1.146 of them weigh as much as a particle.
#[test]
fn packings_weigh_as_much_as_the_lattices_they_replace() {
    for scene in ["column", "bunker", "hourglass", "castle"] {
        let grains = open(scene, true, &[DEM]);
        let radius = grains.material[0].radius.to_string();
        let mut grains = simulate(grains);
        let mut bulk = simulate(open(scene, true, &[("material.radius", &radius)]));
        let (count, ratio) = (grains.particle_count(), mass(&mut grains) / mass(&mut bulk));
        let more = count as f64 / bulk.particle_count() as f64;
        assert!(count >= 2000, "{scene}: {count} grains");
        assert!((ratio - 1.0).abs() < 0.03, "{scene}: mass over mass {ratio}");
        assert!(more > 0.8 && more < 1.2, "{scene}: number over number {more}");
    }
}

/// The part of a block of moist sand, 12 d high, 16 d long and 6 d deep (periodic), that has fallen out of its vertical cut after
/// 1.2 s; its cohesion is that of a cut of which it has the given share of the critical height.
///
/// ```text
/// H = 4c/(rho g) tan(45 + phi/2)
/// ```
fn fallen(angle: f64, share: f64) -> f64 {
    let (d, density, height) = (0.01, 1600.0, 0.12);
    let critical = density * 9.81 * height / (4.0 * (45.0 + 0.5 * angle).to_radians().tan());
    let text = format!(
        r#"
        name = "cut"
        [simulation]
        periodic = {{ z = [0, 0.06] }}
        [[material]]
        name = "sand"
        radius = 0.005
        density = {density}
        friction_angle = {angle}
        cohesion = {}
        [[grains]]
        material = "sand"
        shape.box = {{ min = [0, 0.0075, 0], max = [0.16, {}, 0.06] }}
        [[boundary]]
        name = "back"
        friction = 0
        shape.plane = {{ point = [0, 0, 0], normal = [1, 0, 0] }}
        [[boundary]]
        name = "floor"
        friction = 1.0
        rough = {d}
        rough_region = {{ min = [0, -0.001, 0], max = [0.5, 0.001, 0.06] }}
        shape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}
        "#,
        critical / share,
        0.0075 + height,
    );
    let sets = [DEM].map(|(key, value)| (key.to_string(), value.to_string()));
    let mut simulation = simulate(Scene::resolve(&text, "cut", false, &sets).unwrap());
    simulation.run_until(1.2);
    let state = simulation.read(&["position"]).unwrap();
    // Spheres of the floor lie lower.
    let sand: Vec<&[f32; 3]> = state.vec3("position").unwrap().iter().filter(|x| x[1] > 0.0055).collect();
    sand.iter().filter(|x| x[0] > 0.18).count() as f64 / sand.len() as f64
}

#[test]
fn a_vertical_cut_stands_below_its_critical_height_and_falls_above() {
    for angle in [30.0, 35.0] {
        let (low, high) = (fallen(angle, 0.8), fallen(angle, 1.2));
        eprintln!("{angle} degrees: {low} of it fallen at 0.8 of the critical height, {high} at 1.2");
        assert!(low < 0.01, "{angle} degrees: {low} at 0.8");
        assert!(high > 0.05, "{angle} degrees: {high} at 1.2");
    }
}

/// Height of the castle \[m\] before and after so many seconds, with a cohesion \[Pa\].
fn castle(cohesion: &str, seconds: f64) -> [f64; 2] {
    let mut simulation = simulate(open("castle", true, &[DEM, ("material.cohesion", cohesion)]));
    let mut height = || {
        let state = simulation.read(&["position"]).unwrap();
        let top = state.vec3("position").unwrap().iter().map(|x| f64::from(x[1])).fold(0.0, f64::max);
        simulation.run_until(seconds);
        top
    };
    [height(), height()]
}

fn check_castle(seconds: f64) {
    let ([start, moist], [_, dry]) = (castle("2500", seconds), castle("0", seconds));
    eprintln!("a castle of {start} m: {} of it after {seconds} s, dry {}", moist / start, dry / start);
    assert!(moist > 0.97 * start, "moist: {moist} of {start}");
    assert!(dry < 0.6 * start, "dry: {dry} of {start}");
}

#[test]
fn a_moist_castle_stands_and_a_dry_one_falls() {
    check_castle(0.5);
}

/// As long as the claim says; by 0.2 s nothing moves any more.
#[test]
#[ignore = "two minutes"]
fn a_moist_castle_stands_for_two_seconds() {
    check_castle(2.0);
}
