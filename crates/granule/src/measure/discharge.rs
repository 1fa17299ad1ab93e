//! An hourglass at two fill heights: sand leaves at a constant rate that the height does not change.

use crate::flow::{Discharge, discharge};
use crate::simulation::{Simulation, SimulationError};

use super::drive::next_frame;
use super::scenes::{GRAVITY, SPACING, begin, built_in, bulk_volume};
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};

/// Fill heights above the neck \[m\].
const FILLS: [f32; 2] = [0.30, 0.40];
/// Tangent of the cones' half angle, 30 degrees.
const TANGENT: f32 = 0.577_35;
/// Radius of the neck \[m\].
const NECK: f32 = 0.11;
/// Time after which a discharge that has not ended is given up \[s\].
const LONGEST: f64 = 8.0;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let mut rates = Vec::new();
    let mut series = Vec::new();
    for (k, fill) in FILLS.into_iter().enumerate() {
        progress(0.5 * k as f64, &format!("hourglass filled to {fill} m"));
        let (curve, spacing) = run(options, measurement, fill)?;
        let Discharge { rate, linearity } =
            discharge(&curve).unwrap_or(Discharge { rate: f64::NAN, linearity: f64::NAN });
        let with = |point: Point| {
            point.with("fill [m]", fill.into()).with("neck [d]", 2.0 * f64::from(NECK) / spacing)
        };
        let source = "sand's rate does not depend on the height above [BLV61]";
        let steady = Point::new("R2 of the middle 60 % of the discharge", linearity, [0.995, 1.0], source);
        measurement.points.push(with(steady.against(1.0)));
        // Q = C sqrt(g) D^2.5 as volume at rest.
        let flow = rate * bulk_volume(options) * (spacing / f64::from(SPACING)).powi(3);
        let scaled = flow / (GRAVITY.sqrt() * (2.0 * f64::from(NECK)).powf(2.5));
        let source = "[BLV61]: 0.58 (1 - k d/D)^2.5 with k = 1 to 2, times up to 1.21 in a cone of 30 degrees [RT56]; 10 % above";
        measurement.points.push(with(Point::new("rate / (sqrt(g) D^2.5)", scaled, [0.28, 0.61], source)));
        series.push(Series { name: format!("filled to {fill} m"), points: curve, line: true });
        rates.push(rate);
    }
    let source = "the same at both fill heights within 5 % [BLV61]; of water it would be 1.15, the root of the heights";
    let ratio =
        Point::new("rate at the higher fill / at the lower", rates[1] / rates[0], [0.95, 1.05], source);
    measurement.points.push(ratio.against(1.0));
    measurement.plots.push(Plot {
        name: "discharge".into(),
        title: "Grains below the neck of an hourglass".into(),
        x_label: "time [s]".into(),
        y_label: "grains".into(),
        logarithmic: false,
        series,
    });
    Ok(())
}

/// Grains below the neck over time, and the spacing \[m\].
fn run(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    fill: f32,
) -> Result<(Vec<[f64; 2]>, f64), SimulationError> {
    let sets = [
        ("grains.0.shape.cone.to", format!("[0, {fill}, 0]")),
        ("grains.0.shape.cone.to_radius", (NECK + TANGENT * fill).to_string()),
    ];
    let scene = built_in("hourglass", &sets.map(|(path, value)| (path.to_string(), value)), options)?;
    let spacing = 2.0 * f64::from(scene.reference_radius());
    let mut simulation = begin(scene, options)?;
    measurement.describe(&simulation);
    let total = simulation.particle_count() as f64;
    let curve = |simulation: &mut Simulation| Ok(simulation.flow().curve("below").unwrap_or_default());
    let mut passed = 0.0;
    while simulation.time() < LONGEST && passed < 0.98 * total {
        next_frame(&mut simulation)?;
        let last = simulation.observe("grains below", |simulation| Ok(curve(simulation)?.last().copied()))?;
        passed = last.map_or(0.0, |[_, grains]: [f64; 2]| grains);
    }
    Ok((simulation.observe("curve below", curve)?, spacing))
}
