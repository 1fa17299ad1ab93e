//! Drag: terminal velocity, exact path at a fixed coefficient, shielding, wind.

mod common;

use common::{D, block, mean, sand, simulate};
use granule::scene::{AirSettings, DragLaw, Fill, WindField};

/// One grain falling in dense air.
fn falling(air: AirSettings) -> granule::Simulation {
    let mut scene = sand(30.0);
    scene.air = Some(air);
    scene.grains.push(block([0.0; 3], [1.0; 3], Fill::Lattice));
    simulate(scene)
}

fn dense_air() -> AirSettings {
    AirSettings { density: 120.0, drag: DragLaw::Constant(0.47), ..AirSettings::default() }
}

#[test]
fn a_falling_grain_follows_the_analytic_velocity() {
    // v = v_t tanh(g t / v_t), v_t = sqrt(2 m g / (rho C_D A)).
    let mass = 1600.0 * (D as f64).powi(3);
    let area = std::f64::consts::PI * (0.5 * D as f64).powi(2);
    let terminal = (2.0 * mass * 9.81 / (120.0 * 0.47 * area)).sqrt();
    let mut simulation = falling(dense_air());
    for time in [0.1, 0.3, 0.6, 3.0] {
        simulation.run_until(time);
        let expected = terminal * (9.81 * simulation.time() / terminal).tanh();
        let speed = -mean(&mut simulation, "velocity")[1];
        assert!((speed / expected - 1.0).abs() < 0.01, "{speed} instead of {expected} at {time} s");
    }
}

#[test]
fn terminal_velocity_by_reynolds_number_balances_weight() {
    let mut simulation = falling(AirSettings { density: 120.0, ..AirSettings::default() });
    simulation.run_until(4.0);
    let speed = -mean(&mut simulation, "velocity")[1];
    let mass = 1600.0 * (D as f64).powi(3);
    let area = std::f64::consts::PI * (0.5 * D as f64).powi(2);
    let reynolds = 120.0 * speed * D as f64 / 1.8e-5;
    let force = 0.5 * 120.0 * speed * speed * granule::air::drag_coefficient(reynolds as f32) as f64 * area;
    assert!((force / (mass * 9.81) - 1.0).abs() < 0.02, "{force}");
}

#[test]
fn a_shielded_grain_feels_no_drag() {
    // Two grains in a row along the wind: the one downwind is shielded.
    let mut scene = sand(30.0);
    scene.simulation.gravity = [0.0; 3];
    scene.air =
        Some(AirSettings { wind: vec![WindField::Uniform { velocity: [5.0, 0.0, 0.0] }], ..dense_air() });
    scene.grains.push(block([0.0; 3], [2.0, 1.0, 1.0], Fill::Lattice));
    let mut simulation = simulate(scene.clone());
    simulation.step();
    let snapshot = simulation.read(&["velocity"]).unwrap();
    let v = snapshot.vec3("velocity").unwrap();
    assert!(v[0][0] > 0.01, "the upwind grain is pushed: {v:?}");
    scene.air.as_mut().unwrap().occlusion = false;
    let mut open = simulate(scene);
    open.step();
    let snapshot = open.read(&["velocity"]).unwrap();
    let unshielded = snapshot.vec3("velocity").unwrap();
    // Contact passes on part of the push; the air itself gives the shielded grain nothing.
    let pushed: f32 = v.iter().map(|v| v[0]).sum();
    let both: f32 = unshielded.iter().map(|v| v[0]).sum();
    assert!((pushed / both - 0.5).abs() < 0.01, "half of the total push is shielded: {pushed} of {both}");
}
