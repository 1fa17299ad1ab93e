//! Spheres hit a plane at an angle: the tangential rebound, from sticking to gross sliding.
//!
//! ```text
//! beta = -v_t'/v_t at the point of contact,   psi_1 = 2 (1 - nu) tan(theta)/(mu (2 - nu))      [MBF76]
//! ```

use std::f64::consts::PI;

use glam::DVec3;

use crate::measure::drive::{read, step};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::Scene;
use crate::simulation::SimulationError;

use super::sand::{Spheres, controlled, floor, rows, single};

/// Angles of incidence psi_1 and rebounds beta that LAMMPS gives with the same law.
const REBOUNDS: [[f64; 2]; 12] = [
    [0.100, -0.680],
    [0.766, -0.639],
    [1.040, -0.414],
    [1.332, -0.125],
    [1.650, 0.075],
    [2.397, 0.278],
    [2.857, 0.309],
    [3.405, 0.304],
    [4.080, 0.263],
    [4.949, 0.172],
    [7.850, -0.236],
    [16.20, -0.630],
];
/// Angles of gross sliding \[degrees\].
const SLIDING: [f64; 2] = [70.0, 80.0];
/// Restitution of spheres that slide.
const SLIDING_RESTITUTION: f64 = 0.95;
/// Radius \[m\].
const RADIUS: f64 = 0.0025;
const DENSITY: f64 = 2500.0;
const YOUNG: f64 = 1e7;
const POISSON: f64 = 0.25;
const FRICTION: f64 = 0.3;
/// Speed of impact [m/s].
const SPEED: f64 = 1.0;
/// Steps per duration of a collision along the normal.
const STEPS: f64 = 400.0;
/// Steps after which spheres that still touch are given up.
const MOST_STEPS: u32 = 6000;

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    progress(0.0, "sticking and sliding");
    let scale = FRICTION * (2.0 - POISSON) / (2.0 * (1.0 - POISSON));
    let angles = REBOUNDS.map(|[psi, _]| (psi * scale).atan());
    let rebounds = rebound(options, measurement, &angles, 1.0, 0.0)?;
    let mut found = Vec::new();
    for ([psi, beta], rebound) in REBOUNDS.into_iter().zip(&rebounds) {
        let source = "LAMMPS with the same law, 0.005";
        let point = Point::new("tangential rebound beta", rebound.beta, [beta - 0.005, beta + 0.005], source);
        measurement.points.push(point.with("psi_1", psi).against(beta));
        found.push([psi, rebound.beta]);
    }
    progress(0.5, "gross sliding");
    let angles = SLIDING.map(f64::to_radians);
    let rebounds = rebound(options, measurement, &angles, SLIDING_RESTITUTION, 1.0)?;
    for (angle, rebound) in SLIDING.into_iter().zip(&rebounds) {
        let exact = 1.0 - FRICTION * (1.0 + SLIDING_RESTITUTION) / angle.to_radians().tan();
        let source = "impulse of friction mu (1 + e) m v_n, 1e-3";
        let range = [exact - 1e-3, exact + 1e-3];
        let point = Point::new("speed along the plane after / before", rebound.along, range, source);
        measurement.points.push(point.with("angle [degrees]", angle).against(exact));
    }
    measurement.plots.push(Plot {
        name: "oblique".into(),
        title: "Tangential rebound of spheres from a plane".into(),
        x_label: "angle of incidence psi_1".into(),
        y_label: "beta".into(),
        logarithmic: false,
        series: vec![
            Series { name: "LAMMPS".into(), points: REBOUNDS.to_vec(), line: true },
            Series { name: "granule".into(), points: found, line: false },
        ],
    });
    Ok(())
}

/// How a sphere leaves the plane.
struct Rebound {
    /// -v_t'/v_t at the point of contact.
    beta: f64,
    /// Speed of the centre along the plane, after over before.
    along: f64,
}

fn scene(options: &MeasureOptions, angles: &[f64], restitution: f64, damping: f64) -> Scene {
    let spheres = Spheres { restitution, friction: controlled(options, FRICTION), ..Spheres::default() };
    let mut scene = spheres.scene("oblique");
    let mass = 4.0 / 3.0 * PI * RADIUS.powi(3) * DENSITY;
    let stiffness = 4.0 / 3.0 * YOUNG / (2.0 * (1.0 - POISSON * POISSON)) * RADIUS.sqrt();
    let dt = 3.218 * (mass / stiffness).powf(0.4) * SPEED.powf(-0.2) / STEPS;
    scene.simulation.gravity = [0.0; 3];
    scene.simulation.time_step = Some(dt);
    scene.simulation.fps = 1.0 / (100.0 * dt);
    scene.material[0].radius = RADIUS as f32;
    scene.material[0].density = DENSITY as f32;
    scene.material[0].dem.young = YOUNG;
    scene.material[0].dem.poisson = POISSON;
    scene.material[0].dem.tangential_damping = damping;
    scene.boundary.push(floor());
    for (k, angle) in angles.iter().enumerate() {
        let center = DVec3::new(0.0, 1.0001 * RADIUS, 4.0 * RADIUS * k as f64);
        scene.grains.push(single(center, RADIUS, SPEED * DVec3::new(angle.sin(), -angle.cos(), 0.0)));
    }
    scene
}

/// Lets spheres hit the plane at angles from its normal \[radians\].
fn rebound(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    angles: &[f64],
    restitution: f64,
    damping: f64,
) -> Result<Vec<Rebound>, SimulationError> {
    let scene = scene(options, angles, restitution, damping);
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let (mut steps, mut met) = (0, false);
    loop {
        step(&mut simulation)?;
        steps += 1;
        let snapshot = read(&mut simulation, &["velocity", "angular_velocity"])?;
        let velocity = rows(&snapshot, "velocity");
        let touching = !simulation.contacts().is_empty();
        met |= touching;
        let away = met && !touching && velocity.iter().all(|v| v.y > 0.0);
        if away || steps == MOST_STEPS {
            let spin = rows(&snapshot, "angular_velocity");
            let leaves = |((v, w), angle): ((&DVec3, &DVec3), &f64)| {
                let before = SPEED * angle.sin();
                Rebound { beta: -(v.x + RADIUS * w.z) / before, along: v.x / before }
            };
            return Ok(velocity.iter().zip(&spin).zip(angles).map(leaves).collect());
        }
    }
}
