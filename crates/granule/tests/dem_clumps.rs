//! Distinct elements that are several spheres: what collisions conserve, a grain of one sphere against the sphere itself, rest,
//! threads, restarts and books.

use glam::DVec3;
use granule::scene::Scene;
use granule::solver::dem::Dem;
use granule::solver::particle_solver::ParticleSolver;
use granule::{Options, Simulation};

const MATERIAL: &str = r#"
[[material]]
name = "sand"
radius = 0.005
density = 2500
[material.dem]
young = 5e6
restitution = 0.6
friction = 0.5
"#;

fn scene(simulation: &str, rest: &str) -> Scene {
    let text = format!("name = \"test\"\n[simulation]\nsolver = \"dem\"\n{simulation}\n{MATERIAL}\n{rest}");
    Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

fn simulate(scene: Scene, threads: usize) -> Simulation {
    let options = Options { threads: Some(threads), ..Options::default() };
    Simulation::new(scene, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Momentum, angular momentum about the origin, the sums of their moduli, and energy \[J\] of all rigid grains.
fn momenta(simulation: &mut Simulation) -> (DVec3, DVec3, f64, f64, f64) {
    let dem = simulation.solver_as::<Dem>().unwrap();
    let (mut p, mut l, mut p_all, mut l_all, mut energy) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0, 0.0);
    for grain in dem.assemblies().all() {
        let orbit = grain.position.to_meters().cross(grain.momentum);
        p += grain.momentum;
        l += orbit + grain.angular_momentum;
        p_all += grain.momentum.length();
        l_all += orbit.length() + grain.angular_momentum.length();
        energy += grain.kinetic_energy();
    }
    (p, l, p_all, l_all, energy)
}

/// Two clouds of tetrahedra and rods that meet in empty space, over ten thousand steps.
#[test]
fn a_free_cluster_of_rigid_grains_keeps_its_momenta() {
    let scene = scene(
        "fps = 100\ngravity = [0, 0, 0]\ntime_step = 2e-5",
        r#"
        [[grains]]
        material = "sand"
        grain = "tetrahedron"
        fill = "random"
        velocity = [0.6, 0.1, 0.0]
        shape.box = { min = [-0.07, 0.0, 0.0], max = [-0.01, 0.05, 0.05] }
        [[grains]]
        material = "sand"
        grain = "rod"
        fill = "random"
        radius = [0.003, 0.006]
        velocity = [-0.6, 0.0, 0.1]
        shape.box = { min = [0.0, 0.0, 0.0], max = [0.06, 0.05, 0.05] }
        "#,
    );
    let mut simulation = simulate(scene, 2);
    let (p, l, p_all, l_all, energy) = momenta(&mut simulation);
    assert!(simulation.grain_count() > 60, "{}", simulation.grain_count());
    simulation.run_until(0.2);
    let (p_now, l_now, _, _, energy_now) = momenta(&mut simulation);
    let (p_error, l_error) = ((p_now - p).length() / p_all, (l_now - l).length() / l_all);
    eprintln!(
        "momentum {p_error:.1e}, angular momentum {l_error:.1e}, energy {energy:.3e} J to {energy_now:.3e} J"
    );
    assert!(p_error < 1e-6 && l_error < 1e-6, "{p_error} {l_error}");
    // They did collide, and turn.
    assert!(energy_now < 0.7 * energy, "{energy} J to {energy_now} J");
    assert!(
        simulation
            .solver_as::<Dem>()
            .unwrap()
            .assemblies()
            .all()
            .iter()
            .any(|g| g.angular_velocity().length() > 5.0)
    );
}

/// A rigid grain of one sphere is that sphere: both are thrown onto the walls of a box, without gravity, which single
/// precision rounds for spheres and double precision for grains.
#[test]
fn a_rigid_grain_of_one_sphere_moves_like_the_sphere() {
    let run = |grain: &str| {
        let grains = format!(
            "[[grains]]\nmaterial = \"sand\"\nvelocity = [0.7, -0.9, 0.2]\n{grain}\n\
             shape.box = {{ min = [0, 0.02, 0], max = [0.011, 0.031, 0.011] }}\n\
             [[boundary]]\nname = \"tank\"\nshape.box = {{ min = [-0.05, 0, -0.05], max = [0.05, 0.1, 0.05], hollow = true }}\n"
        );
        let mut simulation = simulate(scene("fps = 100\ngravity = [0, 0, 0]\ntime_step = 2e-5", &grains), 1);
        simulation.run_until(0.3);
        let fields = simulation.read(&["position", "velocity", "angular_velocity"]).unwrap();
        let first = |name: &str| glam::Vec3::from(fields.vec3(name).unwrap()[0]);
        (first("position"), first("velocity"), first("angular_velocity"))
    };
    let (sphere, grain) = (run(""), run("grain.spheres = [[1, 2, 3, 0.5]]"));
    assert!(sphere.2.length() > 1.0, "it turns: {}", sphere.2);
    let radius = 0.005;
    assert!((sphere.0 - grain.0).length() < 1e-3 * radius, "{} {}", sphere.0, grain.0);
    assert!((sphere.1 - grain.1).length() < 1e-3 * sphere.1.length().max(0.1), "{} {}", sphere.1, grain.1);
    assert!((sphere.2 - grain.2).length() < 1e-3 * sphere.2.length(), "{} {}", sphere.2, grain.2);
}

/// A cube of eight spheres that lies on four of them carries its weight by them: four contacts at the depth of Hertz.
#[test]
fn a_grain_rests_on_its_spheres() {
    let grains = "[[grains]]\nmaterial = \"sand\"\ngrain = \"cube\"\n\
                  shape.box = { min = [0, 0.0, 0], max = [0.02, 0.02, 0.02] }\n\
                  [[boundary]]\nname = \"floor\"\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";
    let mut simulation = simulate(scene("fps = 100\ntime_step = 2e-5", grains), 1);
    simulation.run_until(2.0);
    let (.., energy) = momenta(&mut simulation);
    let fields = simulation.read(&["position", "radius"]).unwrap();
    let (position, radius) = (fields.vec3("position").unwrap(), fields.scalar("radius").unwrap());
    let depth: Vec<f64> = position.iter().zip(radius).map(|(x, r)| f64::from(r - x[1])).collect();
    let touching: Vec<f64> = depth.into_iter().filter(|depth| *depth > 0.0).collect();
    assert_eq!(touching.len(), 4, "{touching:?}");
    // m g = 4 (4/3 E* sqrt(r) depth^1.5), E* = E/(2 (1 - nu^2)).
    let weight = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.005f64.powi(3) * 9.81;
    let stiffness = 4.0 / 3.0 * 5e6 / (2.0 * (1.0 - 0.09)) * f64::from(radius[0]).sqrt();
    let carried: f64 = touching.iter().map(|depth| stiffness * depth.powf(1.5)).sum();
    assert!((carried / weight - 1.0).abs() < 0.01, "{carried} N for {weight} N");
    assert!(energy < 1e-8 * weight * 0.005, "{energy} J");
}

/// A tank that grains of several forms are poured into, with an outlet in its floor.
fn flow() -> Scene {
    scene(
        "fps = 100",
        r#"
        [[grains]]
        material = "sand"
        grain = "rod"
        fill = "random"
        radius = [0.004, 0.006]
        shape.box = { min = [-0.05, 0.0, -0.05], max = [0.05, 0.1, 0.05] }
        [[grains]]
        material = "sand"
        fill = "random"
        shape.box = { min = [-0.05, 0.1, -0.05], max = [0.05, 0.15, 0.05] }
        [[boundary]]
        name = "tank"
        shape.box = { min = [-0.05, -0.05, -0.05], max = [0.05, 0.5, 0.05], hollow = true }
        [[emitter]]
        name = "hose"
        material = "sand"
        grain = "tetrahedron"
        shape.box = { min = [-0.03, 0.25, -0.03], max = [0.03, 0.27, 0.03] }
        velocity = [0, -0.5, 0]
        rate = 2000
        [[outlet]]
        name = "drain"
        shape.box = { min = [0.02, -0.05, -0.05], max = [0.05, -0.035, 0.05] }
        "#,
    )
}

#[test]
fn threads_do_not_matter_and_the_books_count_grains() {
    let run = |threads: usize| {
        let mut simulation = simulate(flow(), threads);
        simulation.run_until(0.12);
        let ledger = simulation.ledger();
        assert_eq!(ledger.unaccounted(), 0, "{ledger:?}");
        assert!(ledger.emitted > 50 && ledger.drained > 2 && ledger.lost == 0, "{ledger:?}");
        assert!(simulation.particle_count() > 2 * simulation.grain_count());
        simulation.simulator().state_hash()
    };
    let one = run(1);
    assert_eq!(run(2), one);
    assert_eq!(run(4), one);
}

#[test]
fn a_run_resumed_in_the_middle_gives_the_same_bits() {
    let mut simulation = simulate(flow(), 2);
    simulation.run_until(0.06);
    let bytes = simulation.checkpoint().unwrap();
    simulation.run_until(0.12);
    let options = Options { threads: Some(2), ..Options::default() };
    let mut resumed = Simulation::resume(&bytes, &options).unwrap_or_else(|error| panic!("{error}"));
    resumed.run_until(0.12);
    assert_eq!(resumed.simulator().state_hash(), simulation.simulator().state_hash());
    assert_eq!(resumed.ledger(), simulation.ledger());
}

/// The step follows the smallest sphere of a grain, not the sphere of its volume: sqrt[3](3.5268) times shorter for a
/// tetrahedron where the Rayleigh time is the bound.
#[test]
fn the_step_is_that_of_the_smallest_sphere() {
    let step = |grain: &str| {
        let grains = format!(
            "[[grains]]\nmaterial = \"sand\"\ngrain = \"{grain}\"\nshape.box = {{ min = [0, 0, 0], max = [0.02, 0.02, 0.02] }}\n"
        );
        let mut simulation = simulate(scene("fps = 1\ngravity = [0, 0, 0]", &grains), 1);
        simulation.step().dt
    };
    let ratio = step("sphere") / step("tetrahedron");
    assert!((ratio / 3.5268f64.cbrt() - 1.0).abs() < 0.01, "{ratio}");
}
