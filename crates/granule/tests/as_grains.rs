//! Scenes for a continuum that run with grains: masses, overlaps, and walls that cohesion holds.

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

/// A block of moist sand of 30 degrees, 14 d long and high and 5 d deep, periodic, between a wall and a gate that goes after 0.25 s.
fn cut(cohesion: f64) -> Simulation {
    let text = format!(
        "name = \"cut\"\n[simulation]\nfps = 20\nperiodic = {{ z = [0, 0.1] }}\n\
         [[material]]\nname = \"sand\"\nradius = 0.01\nfriction_angle = 30\ncohesion = {cohesion}\n\
         [[grains]]\nmaterial = \"sand\"\nshape.box = {{ min = [0, 0.015, 0], max = [0.28, 0.295, 0.1] }}\n\
         [[boundary]]\nname = \"back\"\nfriction = 0\nshape.plane = {{ normal = [1, 0, 0] }}\n\
         [[boundary]]\nname = \"floor\"\nrough = 0.02\n\
         rough_region = {{ min = [0, -0.01, 0], max = [0.6, 0.01, 0.1] }}\nshape.plane = {{ normal = [0, 1, 0] }}\n\
         [[boundary]]\nname = \"gate\"\nfriction = 0\nshape.box = {{ min = [0.28, 0, -1], max = [0.33, 1, 1] }}\n\
         motion.keyframe = [{{ time = 0.25, translation = [0, 0, 0] }}, {{ time = 0.3, translation = [1, 0, 0] }}]\n"
    );
    simulate(Scene::resolve(&text, "cut", false, &[(DEM.0.into(), DEM.1.into())]).unwrap())
}

/// Part of the sand that lies in front of the cut after 0.8 s.
fn fallen(simulation: &mut Simulation) -> f64 {
    simulation.run_until(0.8);
    let state = simulation.read(&["position"]).unwrap();
    let sand: Vec<_> = state.vec3("position").unwrap().iter().filter(|x| x[1] > 0.011).collect();
    sand.iter().filter(|x| x[0] > 0.31).count() as f64 / sand.len() as f64
}

/// A vertical cut of height H stands up to H = 4c/(rho g) tan(45 + phi/2) (Rankine): with the cohesion of 0.8 of it, and not with
/// that of 1.2.
#[test]
fn a_vertical_cut_stands_below_its_critical_height_and_falls_above() {
    let critical = |share: f64| 1600.0 * 9.81 * 0.28 / (4.0 * 60f64.to_radians().tan()) / share;
    let (below, above) = (fallen(&mut cut(critical(0.8))), fallen(&mut cut(critical(1.2))));
    assert!(below < 0.01, "at 0.8 of the critical height {below} of the sand has fallen");
    assert!(above > 0.08, "at 1.2 of the critical height only {above} of the sand has fallen");
}

/// Highest grain of a castle at the start and after two seconds [m].
fn castle(cohesion: &str) -> [f64; 2] {
    let sets = [DEM, ("material.cohesion", cohesion), ("material.radius", "0.0145")];
    let mut castle = simulate(open("castle", true, &sets));
    let height = |simulation: &mut Simulation| {
        let state = simulation.read(&["position"]).unwrap();
        state.vec3("position").unwrap().iter().map(|x| f64::from(x[1])).fold(0.0, f64::max)
    };
    let start = height(&mut castle);
    castle.run_until(2.0);
    [start, height(&mut castle)]
}

#[test]
fn moist_castles_stand_and_dry_ones_slump() {
    let [start, moist] = castle("2500");
    assert!(moist > 0.97 * start, "from {start} to {moist} m");
    let [start, dry] = castle("0");
    assert!(dry < 0.6 * start, "from {start} to {dry} m");
}
