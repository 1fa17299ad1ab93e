//! Numbers that follow from the solvers' own equations: bounds of time steps, the decay of shear by viscosity, what
//! walls leave of a velocity, and particles that have left the range of numbers.

mod common;

use common::{D, block, floor, sand, simulate};
use granule::boundary::{Keyframe, Motion};
use granule::scene::{Fill, Periodic, SolverKind};
use granule::{Scene, Simulation};

/// A scene of one particle that flies alone, with a frame so long that steps are as long as they may be.
fn lone_particle(solver: SolverKind, speed: f32) -> Scene {
    let mut scene = sand(0.0);
    scene.simulation.solver = solver;
    scene.simulation.fps = 1.0;
    scene.simulation.cfl = 0.4;
    scene.simulation.gravity = [0.0; 3];
    scene.wcsph.sound_speed = Some(2.0);
    let mut grain = block([0.0; 3], [1.0; 3], Fill::Lattice);
    grain.velocity = [0.0, 0.6 * speed, 0.8 * speed];
    scene.grains.push(grain);
    scene
}

/// Demands that the first step is as long as a bound [s] allows; a frame is divided into equal steps.
#[track_caller]
fn step_is(scene: Scene, bound: f64) {
    let mut simulation = simulate(scene);
    assert_eq!(simulation.particle_count(), 1);
    let dt = simulation.step().dt;
    assert!(
        dt <= bound * (1.0 + 1e-5) && dt > 0.98 * bound,
        "a step of {dt:.4e} s, its bound is {bound:.4e} s"
    );
}

/// Spacing [m].
fn spacing() -> f64 {
    f64::from(D)
}

#[test]
fn iisph_steps_are_bounded_by_the_courant_number_of_grains_and_walls() {
    // dt <= 0.4 d / v_max, docs/equations.md.
    step_is(lone_particle(SolverKind::Iisph, 20.0), 0.4 * spacing() / 20.0);
    let mut scene = lone_particle(SolverKind::Iisph, 0.0);
    let key =
        |time: f64, y: f32| Keyframe { time, translation: [0.0, y, 0.0], axis: [0.0, 1.0, 0.0], angle: 0.0 };
    let mut wall = floor();
    wall.motion = Some(Motion { keyframe: vec![key(0.0, -40.0), key(1.0, -80.0)], ..Motion::default() });
    scene.boundary.push(wall);
    step_is(scene, 0.4 * spacing() / 40.0);
}

#[test]
fn iisph_steps_are_bounded_by_viscosity() {
    // dt <= 0.1 h^2 / nu with a support of two spacings.
    let mut scene = lone_particle(SolverKind::Iisph, 0.0);
    scene.material[0].viscosity = 0.5;
    step_is(scene, 0.1 * (2.0 * spacing()).powi(2) / 0.5);
}

#[test]
fn wcsph_steps_are_bounded_by_sound_forces_viscosity_and_capillary_waves() {
    let scene = |speed| lone_particle(SolverKind::Wcsph, speed);
    // dt <= 0.4 d / (c + v).
    step_is(scene(0.0), 0.4 * spacing() / 2.0);
    step_is(scene(6.0), 0.4 * spacing() / 8.0);
    // dt <= 0.25 sqrt(d / a).
    let mut heavy = scene(0.0);
    heavy.simulation.gravity = [0.0, -4000.0, 0.0];
    step_is(heavy, 0.25 * (spacing() / 4000.0).sqrt());
    // dt <= 0.125 d^2 / nu.
    let mut viscous = scene(0.0);
    viscous.material[0].viscosity = 0.1;
    step_is(viscous, 0.125 * spacing().powi(2) / 0.1);
    // dt <= 0.4 sqrt(rho d^3 / (2 pi sigma)).
    let mut tense = scene(0.0);
    (tense.material[0].density, tense.material[0].surface_tension) = (1000.0, 20.0);
    step_is(tense, 0.4 * (1000.0 * spacing().powi(3) / (2.0 * std::f64::consts::PI * 20.0)).sqrt());
}

/// Layers of a shear wave u(y) = U sin(k y) that fills a periodic box.
const LAYERS: usize = 24;

/// Wave number k [1/m].
fn wave_number() -> f64 {
    2.0 * std::f64::consts::PI / (LAYERS as f64 * spacing())
}

/// A shear wave in a fluid without walls and gravity.
fn shear_wave(solver: SolverKind, viscosity: f32, speed: f64) -> Scene {
    let mut scene = sand(0.0);
    scene.simulation.solver = solver;
    scene.simulation.gravity = [0.0; 3];
    scene.simulation.fps = 100.0;
    let length = |layers: f32| Some([0.0, layers * D]);
    scene.simulation.periodic = Periodic { x: length(8.0), y: length(LAYERS as f32), z: length(8.0) };
    scene.wcsph.sound_speed = Some(1.0);
    scene.material[0].viscosity = viscosity;
    for k in 0..LAYERS {
        let mut layer = block([0.0, k as f32, 0.0], [8.0, (k + 1) as f32, 8.0], Fill::Lattice);
        let phase = wave_number() * (k as f64 + 0.5) * spacing();
        layer.velocity = [(speed * phase.sin()) as f32, 0.0, 0.0];
        scene.grains.push(layer);
    }
    scene
}

/// Amplitude of the wave [m/s].
fn amplitude(simulation: &mut Simulation) -> f64 {
    let snapshot = simulation.read(&["position", "velocity"]).unwrap();
    let (x, v) = (snapshot.vec3("position").unwrap(), snapshot.vec3("velocity").unwrap());
    let terms = x.iter().zip(v).map(|(x, v)| f64::from(v[0]) * (wave_number() * f64::from(x[1])).sin());
    2.0 * terms.sum::<f64>() / x.len() as f64
}

/// Rate at which the wave's amplitude decays until a time [s], over nu k^2.
fn relative_decay(scene: Scene, seconds: f64) -> f64 {
    let viscosity = f64::from(scene.material[0].viscosity);
    let mut simulation = simulate(scene);
    let before = amplitude(&mut simulation);
    simulation.run_until(seconds);
    let after = amplitude(&mut simulation);
    (before / after).ln() / seconds / (viscosity * wave_number().powi(2))
}

/// A shear wave decays as exp(-nu k^2 t), the exact solution of Navier and Stokes. The Laplacian of a lattice is that of a
/// wave of 24 layers to 1 - (k d)^2 / 12 = 0.994.
#[test]
fn wcsph_viscosity_damps_a_shear_wave_at_its_rate() {
    let decay = relative_decay(shear_wave(SolverKind::Wcsph, 0.01, 0.005), 0.4);
    assert!((decay - 0.994).abs() < 0.03, "the wave decays {decay:.4} times as fast as nu k^2");
}

/// The viscous force of `iisph` acts along pairs and is right for the mean of all directions. Along the axes of a lattice
/// it is 15 sum w x^2 y^2 / sum w r^4 = 0.704 of it, w = |W'| / (r (r^2 + 0.01 h^2)) with the cubic spline and h = 2 d, and
/// 0.700 for a wave of 24 layers.
#[test]
fn iisph_viscosity_damps_a_shear_wave_at_its_rate() {
    let decay = relative_decay(shear_wave(SolverKind::Iisph, 0.01, 0.005), 0.4);
    assert!((decay - 0.700).abs() < 0.03, "the wave decays {decay:.4} times as fast as nu k^2");
}

/// Both kicks of a step ask the walls: what lies on a floor has no velocity into it at the end of a step.
#[test]
fn a_grain_of_water_on_a_floor_is_at_rest_after_every_step() {
    let mut scene = lone_particle(SolverKind::Wcsph, 0.0);
    scene.simulation.gravity = [0.0, -9.81, 0.0];
    scene.boundary.push(floor());
    let mut simulation = simulate(scene);
    for step in 0..20 {
        let dt = simulation.step().dt;
        let snapshot = simulation.read(&["position", "velocity"]).unwrap();
        let (x, v) = (snapshot.vec3("position").unwrap()[0], snapshot.vec3("velocity").unwrap()[0]);
        assert!(v[1].abs() < 1e-3 * 9.81 * dt as f32, "step {step} of {dt} s ends with {} m/s", v[1]);
        assert!((x[1] - 0.5 * D).abs() < 1e-3 * D, "step {step}: {} m", x[1]);
    }
}

/// What has left the range of numbers is counted, and it is gone: with its id, from every field and from the books.
#[test]
fn grains_that_have_left_the_range_of_numbers_are_removed() {
    for solver in [SolverKind::Iisph, SolverKind::Wcsph] {
        let mut scene = sand(0.0);
        scene.simulation.solver = solver;
        scene.simulation.gravity = [0.0; 3];
        scene.simulation.time_step = Some(1e-3);
        scene.grains.push(block([0.0; 3], [4.0, 4.0, 1.0], Fill::Lattice));
        let mut runaway = block([20.0, 0.0, 0.0], [21.0, 1.0, 1.0], Fill::Lattice);
        runaway.velocity = [3e12, 0.0, 0.0];
        scene.grains.push(runaway);
        scene.grains.push(block([40.0, 0.0, 0.0], [42.0, 1.0, 1.0], Fill::Lattice));
        let mut simulation = simulate(scene);
        assert_eq!(simulation.particle_count(), 19);
        let report = simulation.step();
        assert_eq!((report.lost, report.particles), (1, 18), "{solver:?}");
        assert_eq!((simulation.lost(), simulation.particle_count()), (1, 18), "{solver:?}");
        assert_eq!(simulation.ledger().unaccounted(), 0);
        let snapshot = simulation.read(&["id", "position"]).unwrap();
        let expected: Vec<u32> = (0..19).filter(|id| *id != 16).collect();
        assert_eq!(snapshot.integer("id").unwrap(), expected, "{solver:?}");
        let farthest = snapshot.vec3("position").unwrap().iter().map(|x| x[0]).fold(0.0, f32::max);
        assert!(farthest < 1.0, "{solver:?}: {farthest} m");
        assert_eq!(simulation.step().lost, 0, "{solver:?}: it is lost once");
    }
}
