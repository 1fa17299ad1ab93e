//! Material laws in the running solver: kernels on a lattice, viscosity, cohesion, rate dependence, commands.

mod common;

use common::{D, block, floor, mean, sand, simulate};
use granule::scene::{Fill, Periodic, Scene};
use granule::simulator::Command;
use granule::sph::KernelKind;

/// A periodic box full of lattice, without gravity.
fn lattice(side: f32) -> Scene {
    let mut scene = sand(0.0);
    scene.simulation.gravity = [0.0; 3];
    let period = Some([0.0, side * D]);
    scene.simulation.periodic = Periodic { x: period, y: period, z: period };
    scene.grains.push(block([0.0; 3], [side; 3], Fill::Lattice));
    scene
}

#[test]
fn a_lattice_is_at_rest_density_and_stays_for_every_kernel() {
    for kernel in [KernelKind::Cubic, KernelKind::Wendland, KernelKind::Poly6, KernelKind::Spiky] {
        for friction in [0.0, 30.0] {
            let mut scene = lattice(8.0);
            scene.simulation.kernel = kernel;
            scene.material[0].friction_angle = friction;
            let mut simulation = simulate(scene);
            let report = (0..20).map(|_| simulation.step()).last().unwrap();
            assert!(report.max_speed < 1e-3, "{kernel:?}, {friction}: {} m/s", report.max_speed);
            let snapshot = simulation.read(&["density"]).unwrap();
            for rho in snapshot.scalar("density").unwrap() {
                assert!((rho / 1600.0 - 1.0).abs() < 1e-3, "{kernel:?}: {rho}");
            }
        }
    }
}

/// A shear wave a sin(k . x) along `polarisation`.
struct Wave {
    k: [f64; 3],
    polarisation: [f64; 3],
}

const SIDE: f32 = 12.0;

/// Slow enough that the lattice stays one.
const SPEED: f64 = 0.002;

impl Wave {
    fn phase(&self, x: &[f32; 3]) -> f64 {
        let turn = std::f64::consts::TAU / (SIDE * D) as f64;
        (0..3).map(|c| turn * self.k[c] * x[c] as f64).sum::<f64>().sin()
    }

    fn amplitude(&self, simulation: &mut granule::Simulation) -> f64 {
        let snapshot = simulation.read(&["position", "velocity"]).unwrap();
        let (position, velocity) = (snapshot.vec3("position").unwrap(), snapshot.vec3("velocity").unwrap());
        let along = |v: &[f32; 3]| (0..3).map(|c| v[c] as f64 * self.polarisation[c]).sum::<f64>();
        position.iter().zip(velocity).map(|(x, v)| self.phase(x) * along(v)).sum::<f64>()
            / position.len() as f64
    }

    /// Rate at which the wave's amplitude decays, in units of k^2 [m2/s].
    fn viscosity(&self, viscosity: f32) -> f64 {
        let mut scene = lattice(SIDE);
        let centers = simulate(scene.clone()).read(&["position"]).unwrap();
        scene.grains.clear();
        scene.material[0].viscosity = viscosity;
        let mut simulation = simulate(scene);
        for x in centers.vec3("position").unwrap() {
            let velocity = self.polarisation.map(|c| (SPEED * c * self.phase(x)) as f32);
            let positions = vec![glam::Vec3::from(*x)];
            let command = Command::Emit { material: "sand".into(), positions, velocity: velocity.into() };
            assert_eq!(simulation.apply(&command).unwrap().emitted, 1);
        }
        let before = self.amplitude(&mut simulation);
        simulation.run_until(0.2);
        let turn = std::f64::consts::TAU / (SIDE * D) as f64;
        let square: f64 = self.k.iter().map(|k| (k * turn).powi(2)).sum();
        -(self.amplitude(&mut simulation) / before).ln() / (square * simulation.time())
    }
}

#[test]
fn viscosity_damps_shear_waves_at_the_analytic_rate() {
    // v ~ exp(-nu k^2 t). A cubic lattice is anisotropic: the two shears of cubic symmetry are averaged over
    // directions, (3 c_44 + 2 c') / 5.
    let straight = Wave { k: [0.0, 0.0, 1.0], polarisation: [1.0, 0.0, 0.0] };
    let half = 0.5f64.sqrt();
    let diagonal = Wave { k: [0.0, 1.0, 1.0], polarisation: [0.0, half, -half] };
    let measured = (3.0 * straight.viscosity(1e-3) + 2.0 * diagonal.viscosity(1e-3)) / 5.0;
    assert!((measured / 1e-3 - 1.0).abs() < 0.1, "{measured} instead of 0.001 m2/s");
    let inviscid = straight.viscosity(0.0);
    assert!(inviscid.abs() < 2e-5, "without viscosity the wave stays: {inviscid} m2/s");
}

/// Height of a free-standing block after a second, in spacings.
fn block_height(cohesion: f32) -> f64 {
    let mut scene = sand(30.0);
    scene.material[0].cohesion = cohesion;
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [8.0, 14.0, 8.0], Fill::Jittered));
    let mut simulation = simulate(scene);
    simulation.run_until(1.0);
    let snapshot = simulation.read(&["position"]).unwrap();
    snapshot.vec3("position").unwrap().iter().map(|x| x[1] as f64).fold(0.0, f64::max) / D as f64
}

#[test]
fn cohesion_holds_a_vertical_face_that_collapses_without() {
    // A vertical cut of height H stands for c > rho g H / (4 tan(45 + theta/2)), here 635 Pa.
    assert!(block_height(2000.0) > 12.5);
    assert!(block_height(0.0) < 9.0);
}

/// Mean speed down a slope of 33 degrees after some seconds.
fn speed_on_slope(fast_friction_angle: Option<f32>, seconds: f64) -> f64 {
    let mut scene = sand(30.0);
    scene.material[0].fast_friction_angle = fast_friction_angle;
    let (sin, cos) = 33f32.to_radians().sin_cos();
    scene.simulation.gravity = [9.81 * sin, -9.81 * cos, 0.0];
    let period = Some([0.0, 8.0 * D]);
    scene.simulation.periodic = Periodic { x: period, y: None, z: period };
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [8.0, 8.0, 8.0], Fill::Jittered));
    let mut simulation = simulate(scene);
    simulation.run_until(seconds);
    mean(&mut simulation, "velocity")[0]
}

#[test]
fn rate_dependent_friction_gives_a_steady_flow() {
    let (early, late) = (speed_on_slope(Some(40.0), 3.0), speed_on_slope(Some(40.0), 4.0));
    assert!(late > 0.05 && late < 1.25 * early, "steady: {early} then {late} m/s");
    let free = speed_on_slope(None, 4.0);
    assert!(free > 1.5 * late, "without it the flow accelerates: {free} against {late} m/s");
}

#[test]
fn parameters_change_by_their_scene_path() {
    let mut scene = sand(40.0);
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [6.0, 8.0, 6.0], Fill::Jittered));
    let mut simulation = simulate(scene);
    simulation.run_until(0.4);
    let standing = mean(&mut simulation, "position")[1];
    let set = |path: &str, value: f64| Command::Set { path: path.into(), value };
    simulation.apply(&set("material.sand.friction_angle", 0.0)).unwrap();
    simulation.run_until(1.0);
    let melted = mean(&mut simulation, "position")[1];
    assert!(melted < 0.7 * standing, "{standing} m became {melted} m");
    assert!(simulation.apply(&set("material.sand.friction_angle", 90.0)).is_err());
    assert!(simulation.apply(&set("material.sand.radius", 0.02)).is_err());
    assert!(simulation.apply(&set("material.send.radius", 0.02)).is_err());
    assert!(simulation.apply(&set("simulation.fps", 10.0)).unwrap_err().to_string().contains("can change"));
}

#[test]
fn the_friction_of_a_wall_changes_by_its_scene_path() {
    let mut scene = sand(30.0);
    scene.simulation.gravity = [4.0, -9.0, 0.0];
    scene.boundary.push(floor());
    scene.grains.push(block([0.0; 3], [1.0; 3], Fill::Lattice));
    let mut simulation = simulate(scene);
    simulation.run_until(0.5);
    assert!(mean(&mut simulation, "velocity")[0].abs() < 1e-4, "the grain sticks");
    simulation.apply(&Command::Set { path: "boundary.floor.friction".into(), value: 0.0 }).unwrap();
    simulation.run_until(1.0);
    let speed = mean(&mut simulation, "velocity")[0];
    assert!((speed - 2.0).abs() < 0.02, "it slides without friction: {speed} m/s");
}

#[test]
fn emitted_grains_find_room_or_are_reported() {
    let mut scene = sand(30.0);
    scene.boundary.push(floor());
    let mut simulation = simulate(scene);
    let emit = |positions: Vec<glam::Vec3>, material: &str| Command::Emit {
        material: material.into(),
        positions,
        velocity: glam::Vec3::ZERO,
    };
    let up = |y: f32| glam::Vec3::new(0.0, y, 0.0);
    let report = simulation.apply(&emit(vec![up(0.1), up(0.105), up(0.2), up(-0.1)], "sand")).unwrap();
    assert_eq!((report.emitted, report.blocked), (2, 2));
    assert_eq!(simulation.particle_count(), 2);
    assert!(simulation.apply(&emit(vec![up(0.5)], "snad")).is_err());
    simulation.run_until(0.1);
    assert_eq!(simulation.particle_count(), 2);
}
