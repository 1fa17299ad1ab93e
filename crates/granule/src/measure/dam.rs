//! A dam break: the front of a collapsing column of water against Martin and Moyce.

use crate::boundary::Shape;
use crate::scene::{Fill, Periodic, SolverKind};
use crate::simulation::SimulationError;

use super::drive::{look, next_frame};
use super::fluids::{filled, smooth, water};
use super::run::Run;
use super::scenes::GRAVITY;
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};

/// Width of the column \[m\]: 2.25 inches. It is twice as high.
const WIDTH: f64 = 0.05715;

/// Time t sqrt(2 g/a) and place x/a of the front; Martin and Moyce 1952, n^2 = 2, a = 2.25 in.
const FRONT: [[f64; 2]; 5] = [[1.219, 1.474], [1.997, 2.292], [3.345, 4.134], [4.418, 5.881], [5.685, 7.945]];

/// Longest time that the gate may have held the water back, in the same units: about 16 ms.
const LONGEST_DELAY: f64 = 0.3;

/// Layers across the periodic axis.
const DEPTH: usize = 8;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let layers = if options.quick { 12 } else { 24 };
    let track = front(options, measurement, layers, progress)?;
    let delay = gate_delay(&track);
    let source = "water is let go at once here, by a gate there: at most 16 ms";
    let point = Point::new("delay of the gate, t sqrt(2 g/a)", delay, [0.0, LONGEST_DELAY], source);
    measurement.points.push(point.with("width [d]", layers as f64));
    for [time, place] in FRONT {
        let measured = at(&track, time - delay);
        let source = "Martin and Moyce 1952, 10 %";
        let point = Point::new("front x/a, after the delay", measured, [0.9 * place, 1.1 * place], source);
        let point = point.with("t sqrt(2 g/a)", time).with("without the delay", at(&track, time));
        measurement.points.push(point.against(place));
    }
    let delayed = track.iter().map(|[time, place]| [time + delay, *place]).collect();
    measurement.plots.push(Plot {
        name: "dam".into(),
        title: "Front of a collapsing column of water".into(),
        x_label: "t sqrt(2 g/a)".into(),
        y_label: "x/a".into(),
        logarithmic: false,
        series: vec![
            Series { name: "granule, let go at once".into(), points: track, line: true },
            Series { name: "granule, after the delay".into(), points: delayed, line: true },
            Series { name: "Martin and Moyce 1952".into(), points: FRONT.to_vec(), line: false },
        ],
    });
    Ok(())
}

/// The front's place over time, in the units of [`FRONT`].
fn front(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    layers: usize,
    progress: &mut Progress,
) -> Result<Vec<[f64; 2]>, SimulationError> {
    let spacing = WIDTH / layers as f64;
    let solver = options.solver.unwrap_or(SolverKind::Wcsph);
    let mut scene = water("dam", solver, 0.5 * spacing as f32);
    let (width, depth) = (WIDTH as f32, (DEPTH as f64 * spacing) as f32);
    scene.material[0].viscosity = 1e-6;
    scene.material[0].artificial_viscosity = 0.02;
    scene.simulation.periodic = Periodic { z: Some([0.0, depth]), ..Periodic::default() };
    let tank = Shape::Box { min: [0.0, 0.0, -1.0], max: [14.0 * width, 10.0 * width, 1.0], hollow: true };
    scene.boundary.push(smooth("tank", tank));
    let column = Shape::Box { min: [0.0; 3], max: [width, 2.0 * width, depth], hollow: false };
    scene.grains.push(filled(column, Fill::Lattice));
    let unit = (WIDTH / (2.0 * GRAVITY)).sqrt();
    let last = FRONT[FRONT.len() - 1][0];
    scene.simulation.fps = 20.0 / unit;
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let mut track = vec![[0.0, 1.0]];
    while simulation.time() < (last + 0.1) * unit {
        next_frame(&mut simulation)?;
        let place = look(&mut simulation, &["position"], |snapshot| {
            let position = snapshot.vec3("position").unwrap_or_default();
            let mut x: Vec<f64> = position.iter().map(|x| f64::from(x[0])).collect();
            x.sort_unstable_by(f64::total_cmp);
            // The foremost row, not its foremost particle.
            x[x.len().saturating_sub(DEPTH)] + 0.5 * spacing
        })?;
        track.push([simulation.time() / unit, place / WIDTH]);
        progress(simulation.time() / (last * unit), "column of water");
    }
    Ok(track)
}

/// The delay with which the curve fits [`FRONT`] best.
fn gate_delay(track: &[[f64; 2]]) -> f64 {
    let error = |delay: f64| FRONT.iter().map(|[t, x]| (at(track, t - delay) / x - 1.0).powi(2)).sum::<f64>();
    let delays = (-100..=100).map(|k| 0.005 * f64::from(k));
    delays.min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(0.0)
}

/// A curve's value, interpolated.
fn at(curve: &[[f64; 2]], x: f64) -> f64 {
    let k = curve.partition_point(|point| point[0] < x).clamp(1, curve.len() - 1);
    let ([x0, y0], [x1, y1]) = (curve[k - 1], curve[k]);
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}
