//! Longmore's ninth experiment: discharge of a cone by friction \[Lon09\].
//!
//! Grains leave at a constant rate, and the rougher they are the slower. Its large form, with his grains and his tenth
//! experiment, is in [`super::cone`].

use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::simulation::SimulationError;

use super::cone;
use super::sand::{Spheres, controlled};
use super::silo::Silo;

/// Coefficients of friction.
const FRICTIONS: [f64; 3] = [0.1, 0.3, 0.5];
/// Diameter of the hole \[d\].
const HOLE: f64 = 8.0;

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    if options.large {
        return cone::measure(options, measurement, progress);
    }
    // Width and depth of grains [d]: about 3,000 and 16,000 of them. Softer grains in the shorter form take longer steps.
    let (width, depth, young) = if options.quick { (20.0, 10.0, 1e4) } else { (32.0, 22.0, 1e5) };
    let (mut rates, mut series) = (Vec::new(), Vec::new());
    for (k, friction) in FRICTIONS.into_iter().enumerate() {
        let spheres = Spheres { young, friction: controlled(options, friction), ..Spheres::default() };
        // The walls have a slope of 45 degrees.
        let rise = 0.5 * (width - HOLE);
        let silo = Silo { spheres, hole: HOLE, width, rise, depth, ..Silo::default() };
        let share = |part: f64| (k as f64 + part) / FRICTIONS.len() as f64;
        let words = format!("friction {friction}");
        let outflow =
            silo.discharge(options, measurement, (0.98, 200.0), &mut |p| progress(share(p), &words))?;
        let (rate, linearity) = outflow.rate([0.1, 0.8]);
        let source = "a constant mean rate between 10 and 80 % of the grains, Longmore 2009 figure 7.14; LAMMPS 0.9995";
        let point = Point::new("R2 of grains over time", linearity, [0.999, 1.0], source);
        let with = |point: Point| point.with("friction", friction).with("grains", outflow.count);
        measurement.points.push(with(point).with("rate [1/sqrt(d/g)]", rate));
        rates.push(rate);
        series.push(Series { name: format!("friction {friction}"), points: outflow.curve, line: true });
    }
    for (pair, friction) in rates.windows(2).zip(&FRICTIONS[1..]) {
        let source = "rougher grains run slower [Lon09]";
        let point = Point::new("rate / that of the smoother grains", pair[1] / pair[0], [0.5, 0.995], source);
        measurement.points.push(point.with("friction", *friction));
    }
    measurement.plots.push(Plot {
        name: "funnel".into(),
        title: "Grains that have left a cone".into(),
        x_label: "time [sqrt(d/g)]".into(),
        y_label: "grains".into(),
        logarithmic: false,
        series,
    });
    Ok(())
}
