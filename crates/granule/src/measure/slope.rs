//! A slab on a rough incline: it must hold below the friction angle and flow above it.
//!
//! In an infinite slope the shear stress is tan(slope) times the normal stress at every depth, so with
//! |s| <= sqrt(2) tan(theta) p a slope of exactly theta is the limit, whatever the depth.

use glam::Vec3;

use crate::scene::{Periodic, YieldLaw};
use crate::simulation::SimulationError;
use crate::simulator::Command;

use super::drive::{look, run_until, step};
use super::run::Run;
use super::scenes::{GRAVITY, SPACING, block, rough_floor, sand};
use super::{MeasureOptions, Measurement, Point, Progress};

/// Length, depth and width of the slab in spacings.
const SLAB: [f32; 3] = [16.0, 10.0, 8.0];

/// Degrees below and above the friction angle.
const MARGIN: f64 = 3.0;

/// Simulated seconds on the level before the slope is set.
const SETTLE: f64 = 1.0;

/// Drift, in spacings, up to which a slab holds.
const HOLDS: f64 = 0.1;

/// Drift of a slab that flows, over that of a Coulomb block on the same slope, which it cannot outrun. Layers that have to
/// begin to shear lag behind: by 16 to 31 % at friction angles of 20 to 40 degrees (docs/validation.md). A friction
/// coefficient that is wrong by 5 % leaves this range, as its difference to the slope's tangent drives the flow.
const FLOWS: [f64; 2] = [0.6, 1.02];

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let angles: &[f64] = if options.quick { &[30.0] } else { &[20.0, 30.0, 40.0] };
    let (hold_seconds, flow_seconds) = if options.quick { (3.0, 2.0) } else { (10.0, 3.0) };
    let runs = (2 * angles.len() + 1) as f64;
    for (k, &theta) in angles.iter().enumerate() {
        progress(2.0 * k as f64 / runs, &format!("{theta} degrees, holding"));
        let slope = theta - MARGIN;
        let drift = drift_on_slope(options, measurement, theta, slope, hold_seconds)?;
        let source = "infinite slope: holds below theta";
        let point = Point::new("drift downhill in its last 90 % of time [d]", drift, [-HOLDS, HOLDS], source);
        measurement.points.push(point.with("theta", theta).with("slope", slope).against(0.0));

        progress((2 * k + 1) as f64 / runs, &format!("{theta} degrees, flowing"));
        let slope = theta + MARGIN;
        let drift = drift_on_slope(options, measurement, theta, slope, flow_seconds)?;
        let free = sliding_distance(theta, slope, flow_seconds);
        let source = "infinite slope: g (sin - tan(theta) cos) t^2/2 above theta";
        let point = Point::new("drift downhill [d]", drift, FLOWS.map(|share| share * free), source);
        measurement.points.push(point.with("theta", theta).with("slope", slope).against(free));
    }
    if options.yield_law == YieldLaw::Tan {
        progress((runs - 1.0) / runs, "40 degrees, neder's yield");
        let neder = MeasureOptions { yield_law: YieldLaw::Neder, ..options.clone() };
        let drift = drift_on_slope(&neder, measurement, 40.0, 37.0, flow_seconds)?;
        let limit = 40f64.to_radians().sin().atan().to_degrees();
        let free = sliding_distance(limit, 37.0, flow_seconds);
        let source = "yield = \"neder\" flows above atan(sin(theta)) = 32.7 degrees";
        let range = FLOWS.map(|share| share * free);
        let point = Point::new("drift downhill [d], yield = neder", drift, range, source);
        measurement.points.push(point.with("theta", 40.0).with("slope", 37.0).against(free));
    }
    Ok(())
}

/// Distance \[d\] that a block under Coulomb friction of angle theta slides from rest down a slope \[degrees\].
fn sliding_distance(theta: f64, slope: f64, seconds: f64) -> f64 {
    let (theta, slope) = (theta.to_radians(), slope.to_radians());
    let acceleration = GRAVITY * (slope.sin() - theta.tan() * slope.cos());
    // The first tenth of the time is not counted, as in `drift_on_slope`.
    0.5 * acceleration * seconds * seconds * (1.0 - 0.01) / SPACING as f64
}

/// Mean distance \[d\] that a slab moves downhill in the last 90 % of `seconds`, after settling on the level.
fn drift_on_slope(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    theta: f64,
    slope: f64,
    seconds: f64,
) -> Result<f64, SimulationError> {
    let mut scene = sand("slope", theta, options);
    let [x, _, z] = SLAB.map(|s| s * SPACING);
    scene.simulation.periodic = Periodic { x: Some([0.0, x]), y: None, z: Some([0.0, z]) };
    scene.boundary.push(rough_floor());
    scene.grains.push(block(SLAB));
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    run_until(&mut simulation, SETTLE)?;
    let (sin, cos) = slope.to_radians().sin_cos();
    tilt(&mut simulation, Vec3::new((GRAVITY * sin) as f32, (-GRAVITY * cos) as f32, 0.0));
    let mut drift = 0.0;
    while simulation.time() < SETTLE + seconds {
        let dt = step(&mut simulation)?.dt;
        if simulation.time() > SETTLE + 0.1 * seconds {
            drift += dt * mean_velocity_x(&mut simulation)?;
        }
    }
    Ok(drift / SPACING as f64)
}

fn tilt(simulation: &mut Run, gravity: Vec3) {
    // Gravity is always accepted.
    let _ = simulation.apply(&Command::Gravity(gravity));
}

fn mean_velocity_x(simulation: &mut Run) -> Result<f64, SimulationError> {
    look(simulation, &["velocity"], |snapshot| {
        let velocity = snapshot.vec3("velocity").unwrap_or_default();
        velocity.iter().map(|v| v[0] as f64).sum::<f64>() / velocity.len().max(1) as f64
    })
}
