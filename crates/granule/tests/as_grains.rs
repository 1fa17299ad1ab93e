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
