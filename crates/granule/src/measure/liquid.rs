//! What particles of a liquid do to each other: viscosity takes a shear wave down at its rate, and two particles that attract
//! each other rest where the force between them vanishes.
//!
//! ```text
//! u ~ exp(-nu k^2 t),        2 (1 - q)^3 q^3 = 1/64   at q = 0.273
//! ```

use crate::boundary::Shape;
use crate::scene::{Fill, Periodic, SolverKind};
use crate::simulation::SimulationError;

use super::drive::{look, next_frame, read, run_until};
use super::fluids::{filled, water};
use super::run::Run;
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};

/// Particle spacing \[m\].
const SPACING: f32 = 0.02;
/// Side of the periodic box, which is the length of the wave, and its width \[d\].
const BOX: [f32; 2] = [16.0, 8.0];
/// Kinematic viscosity [m2/s].
const VISCOSITY: f32 = 2e-3;
/// Speed of the layers [m/s].
const SPEED: f32 = 0.1;
/// How long the wave is watched \[s\].
const SECONDS: f64 = 0.4;
/// Distance at which a pair rests, in supports: the root of the cohesion spline's near branch.
const DISTANCE: f64 = 0.273;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    progress(0.0, "shear wave");
    let curve = wave(options, measurement)?;
    let wave_number = std::f64::consts::TAU / f64::from(BOX[0] * SPACING);
    let rate = f64::from(VISCOSITY) * wave_number * wave_number;
    let [time, left] = curve.last().copied().unwrap_or([f64::NAN; 2]);
    let source = "the analytic decay exp(-nu k^2 t), 10 %";
    let decay = Point::new(
        "rate of decay of a shear wave / (nu k^2)",
        -left.ln() / (rate * time),
        [0.9, 1.1],
        source,
    );
    measurement.points.push(decay.with("nu [m2/s]", f64::from(VISCOSITY)).against(1.0));

    progress(0.5, "pair");
    let source = "where the cohesion spline changes its sign";
    let range = [DISTANCE - 0.02, DISTANCE + 0.02];
    let rest = Point::new("distance at which a pair rests [h]", pair(options)?, range, source);
    measurement.points.push(rest.against(DISTANCE));

    let exact = curve.iter().map(|[time, _]| [*time, (-rate * time).exp()]).collect();
    measurement.plots.push(Plot {
        name: "liquid".into(),
        title: "Decay of a shear wave".into(),
        x_label: "time [s]".into(),
        y_label: "amplitude / that at the start".into(),
        logarithmic: false,
        series: vec![
            Series { name: "exp(-nu k^2 t)".into(), points: exact, line: true },
            Series { name: "granule".into(), points: curve, line: false },
        ],
    });
    Ok(())
}

/// Amplitude of a shear wave over time (t \[s\], over that at the start).
fn wave(options: &MeasureOptions, measurement: &mut Measurement) -> Result<Vec<[f64; 2]>, SimulationError> {
    let [side, width] = BOX.map(|length| length * SPACING);
    let mut scene = water("liquid", SolverKind::Wcsph, 0.5 * SPACING);
    scene.simulation.gravity = [0.0; 3];
    let period = Some([0.0, side]);
    scene.simulation.periodic = Periodic { x: period, y: period, z: Some([0.0, width]) };
    scene.material[0].viscosity = VISCOSITY;
    scene.wcsph.sound_speed = Some(2.0);
    for (from, to, speed) in [(0.0, 0.5 * side, SPEED), (0.5 * side, side, -SPEED)] {
        let shape = Shape::Box { min: [0.0, from, 0.0], max: [side, to, width], hollow: false };
        let mut layer = filled(shape, Fill::Lattice);
        layer.velocity = [speed, 0.0, 0.0];
        scene.grains.push(layer);
    }
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let first = amplitude(&mut simulation, f64::from(side))?;
    let mut curve = vec![[0.0, 1.0]];
    while simulation.time() < SECONDS {
        next_frame(&mut simulation)?;
        curve.push([simulation.time(), amplitude(&mut simulation, f64::from(side))? / first]);
    }
    Ok(curve)
}

/// The part of the velocity along x that goes with the first wave along y.
fn amplitude(simulation: &mut Run, length: f64) -> Result<f64, SimulationError> {
    look(simulation, &["position", "velocity"], |snapshot| {
        let (position, velocity) = (snapshot.vec3("position"), snapshot.vec3("velocity"));
        let rows = position.unwrap_or_default().iter().zip(velocity.unwrap_or_default());
        let wave_number = std::f64::consts::TAU / length;
        rows.map(|(x, v)| f64::from(v[0]) * (wave_number * f64::from(x[1])).sin()).sum()
    })
}

/// Distance at which two particles that attract each other come to rest, in supports.
fn pair(options: &MeasureOptions) -> Result<f64, SimulationError> {
    let mut scene = water("liquid", SolverKind::Wcsph, 0.5 * SPACING);
    scene.simulation.gravity = [0.0; 3];
    scene.material[0].surface_tension = 1.0;
    scene.material[0].viscosity = VISCOSITY;
    scene.material[0].artificial_viscosity = 1.0;
    let shape = Shape::Box { min: [0.0; 3], max: [2.0 * SPACING, SPACING, SPACING], hollow: false };
    scene.grains.push(filled(shape, Fill::Lattice));
    let mut simulation = Run::new(scene, options)?;
    run_until(&mut simulation, 4.0)?;
    let snapshot = read(&mut simulation, &["position"])?;
    let [a, b] = snapshot.vec3("position").unwrap_or_default() else { return Ok(f64::NAN) };
    let square: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum();
    Ok(square.sqrt() / f64::from(2.0 * SPACING))
}
