//! A sphere launched along a plane: it slides, then rolls against rolling friction.
//!
//! ```text
//! sliding: a = g_x - mu g        rolling: a = 5/7 (g_x - mu_r g)
//! ```

use glam::DVec3;

use crate::measure::drive::{read, step};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::simulation::SimulationError;
use crate::statistics::linear_fit;

use super::sand::{GRAVITY, Spheres, controlled, floor, rows, single};

/// Radius \[m\].
const RADIUS: f64 = 0.0025;
const YOUNG: f64 = 1e7;
/// Coefficients of friction, against sliding and against rolling.
const FRICTION: f64 = 0.3;
const ROLLING: f64 = 0.05;
/// Gravity along the plane [m/s2].
const SIDEWAYS: f64 = 0.2;
/// Speed of launch [m/s].
const LAUNCH: f64 = 0.1;
/// Times between which it slides, and rolls \[s\].
const SLIDES: [f64; 2] = [0.002, 0.008];
const ROLLS: [f64; 2] = [0.02, 0.1];

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let friction = controlled(options, FRICTION);
    let mut scene = Spheres { restitution: 0.7, friction, ..Spheres::default() }.scene("rolling");
    scene.simulation.gravity = [SIDEWAYS as f32, -GRAVITY as f32, 0.0];
    scene.simulation.fps = 1000.0;
    scene.material[0].radius = RADIUS as f32;
    let dem = &mut scene.material[0].dem;
    dem.young = YOUNG;
    dem.rolling_friction = ROLLING;
    dem.rolling_stiffness = Some(2000.0);
    dem.rolling_damping = Some(0.05);
    scene.boundary.push(floor());
    scene.grains.push(single(DVec3::Y * 0.999 * RADIUS, RADIUS, LAUNCH * DVec3::X));
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    progress(0.0, "a sphere slides and rolls");
    let mut speeds = Vec::new();
    while simulation.time() < ROLLS[1] {
        step(&mut simulation)?;
        let snapshot = read(&mut simulation, &["velocity"])?;
        speeds.extend(rows(&snapshot, "velocity").first().map(|v| [simulation.time(), v.x]));
    }
    let acceleration = |[from, to]: [f64; 2]| {
        let part = speeds.iter().copied().filter(|[t, _]| *t >= from && *t <= to);
        linear_fit(&part.collect::<Vec<_>>()).0
    };
    for (name, times, exact, tolerance) in [
        ("sliding", SLIDES, SIDEWAYS - FRICTION * GRAVITY, 5e-3),
        ("rolling", ROLLS, 5.0 / 7.0 * (SIDEWAYS - ROLLING * GRAVITY), 1e-3),
    ] {
        let margin = tolerance * exact.abs();
        let source = format!("exact, {tolerance} of it");
        let quantity = format!("acceleration while {name} [m/s2]");
        let point = Point::new(quantity, acceleration(times), [exact - margin, exact + margin], source);
        measurement.points.push(point.against(exact));
    }
    measurement.plots.push(Plot {
        name: "rolling".into(),
        title: "A sphere slides, then rolls".into(),
        x_label: "time [s]".into(),
        y_label: "speed [m/s]".into(),
        logarithmic: false,
        series: vec![Series { name: "granule".into(), points: speeds, line: true }],
    });
    Ok(())
}
