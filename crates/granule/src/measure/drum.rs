//! A rotating drum: its sand keeps a steady inclination, steeper for rougher sand.

use crate::simulation::SimulationError;

use super::drive::{look, next_frame};
use super::scenes::{begin, built_in, grains_solver};
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series, surface_angle};

/// Friction angles of the sand \[degrees\].
const ANGLES: [f64; 3] = [20.0, 30.0, 40.0];

/// Friction angles of grains \[degrees\]: up to those that grains of spheres have, and down to those that do not roll along the
/// smooth wall of the drum: at 20 degrees they do, and slump as a whole (docs/validation.md).
const GRAINS: [f64; 3] = [25.0, 30.0, 35.0];

/// Time until the surface has found its inclination \[s\].
const SETTLING: f64 = 2.0;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let seconds = if options.quick { 4.0 } else { 8.0 };
    let angles = if grains_solver(options).is_some() { GRAINS } else { ANGLES };
    let (mut means, mut series) = (Vec::new(), Vec::new());
    for (k, friction) in angles.into_iter().enumerate() {
        let friction_angle = options.friction_angle.unwrap_or(friction);
        progress(k as f64 / angles.len() as f64, &format!("drum, friction {friction} degrees"));
        let curve = run(options, measurement, friction_angle, seconds)?;
        let late: Vec<f64> = curve.iter().filter(|[t, _]| *t > SETTLING).map(|[_, angle]| *angle).collect();
        let count = late.len() as f64;
        let mean = late.iter().sum::<f64>() / count;
        let spread = (late.iter().map(|angle| (angle - mean).powi(2)).sum::<f64>() / count).sqrt();
        let with = |point: Point| point.with("friction [degrees]", friction);
        let source = "the dynamic angle of a rolling drum lies above the angle of repose by up to about 10 degrees [DRMN98]";
        let range = [friction - 1.0, friction + 10.0];
        measurement.points.push(with(Point::new("inclination [degrees]", mean, range, source)));
        let source = "steady: avalanches and grain-sized noise only";
        measurement.points.push(with(Point::new(
            "its spread over time [degrees]",
            spread,
            [0.0, 2.5],
            source,
        )));
        means.push(mean);
        series.push(Series { name: format!("friction {friction} degrees"), points: curve, line: true });
    }
    for k in 1..angles.len() {
        let source = "a rougher sand is steeper, by about as much as its friction angle is larger";
        let rougher = angles[k] - angles[k - 1];
        let range = [0.5 * rougher, 1.5 * rougher];
        let rise = Point::new("rise of the inclination [degrees]", means[k] - means[k - 1], range, source);
        let rise = rise.with("from [degrees]", angles[k - 1]).with("to [degrees]", angles[k]);
        measurement.points.push(rise.against(rougher));
    }
    measurement.plots.push(Plot {
        name: "drum".into(),
        title: "Inclination of the sand in a rotating drum".into(),
        x_label: "time [s]".into(),
        y_label: "inclination [degrees]".into(),
        logarithmic: false,
        series,
    });
    Ok(())
}

/// Inclination of the surface over time (t \[s\], angle \[degrees\]).
fn run(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    friction_angle: f64,
    seconds: f64,
) -> Result<Vec<[f64; 2]>, SimulationError> {
    let sets = [("material.friction_angle".to_string(), friction_angle.to_string())];
    let scene = built_in("drum", &sets, options)?;
    let spacing = 2.0 * f64::from(scene.reference_radius());
    let mut simulation = begin(scene, options)?;
    measurement.describe(&simulation);
    let mut curve = Vec::new();
    while simulation.time() < seconds {
        next_frame(&mut simulation)?;
        let angle = look(&mut simulation, &["position"], |snapshot| {
            surface_angle(snapshot.vec3("position").unwrap_or_default(), spacing)
        })?;
        curve.push([simulation.time(), angle]);
    }
    Ok(curve)
}
