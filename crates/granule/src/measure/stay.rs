//! A heap of grains comes to rest and stays: its crest does not sink, and its grains stop. Nothing is damped or put to sleep.
//!
//! Contacts of rigid grains store nothing: two of them that overlap are moved apart and do not fly apart.

use crate::boundary::Shape;
use crate::scene::{Fill, SolverKind};
use crate::simulation::SimulationError;

use super::drive::{look, next_frame};
use super::run::Run;
use super::scenes::{SPACING, begin, cylinder, rough_floor, sand, speed_scale};
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};

/// Friction angle \[degrees\].
const THETA: f64 = 30.0;

/// Distance of two grains that overlap \[d\].
const CLOSE: f32 = 0.95;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let (radius, height, seconds) =
        if options.quick { (8.0, 5.0, [3.0, 6.0]) } else { (21.0, 13.0, [5.0, 35.0]) };
    let options =
        MeasureOptions { solver: Some(options.solver.unwrap_or(SolverKind::Pbd)), ..options.clone() };
    let mut simulation = cone(&options, radius, height)?;
    measurement.describe(&simulation);
    let first = crest(&mut simulation)?;
    let (mut settled, mut speed, mut curve) = (first, f64::NAN, Vec::new());
    while simulation.time() < seconds[1] {
        progress(simulation.time() / seconds[1], "a heap stays");
        let report = next_frame(&mut simulation)?;
        let crest = crest(&mut simulation)?;
        curve.push([simulation.time(), crest]);
        if simulation.time() <= seconds[0] {
            settled = crest;
        }
        speed = report.max_speed / speed_scale();
    }
    let last = curve.last().map_or(f64::NAN, |[_, crest]| *crest);
    let with = |point: Point| point.with("from [s]", seconds[0]).with("to [s]", seconds[1]);
    let source = "a heap that stands stays";
    measurement.points.push(with(Point::new("drop of the crest [d]", settled - last, [-0.01, 0.01], source)));
    let source = "its grains stop";
    measurement.points.push(with(Point::new(
        "fastest grain at the end / sqrt(g d)",
        speed,
        [0.0, 1e-4],
        source,
    )));
    let source = "a cone of 32 degrees hardly gives way with a friction angle of 30 degrees";
    measurement.points.push(Point::new("height left", last / first, [0.7, 1.05], source));
    if options.solver == Some(SolverKind::Pbd) {
        let source = "a push that removes overlap is no velocity";
        let flight = Point::new(
            "speed of grains that were pushed apart / sqrt(g d)",
            push(&options)?,
            [0.0, 1e-3],
            source,
        );
        measurement.points.push(flight.with("distance at the start [d]", f64::from(CLOSE)).against(0.0));
    }
    measurement.plots.push(Plot {
        name: "stay".into(),
        title: "Crest of a heap".into(),
        x_label: "time [s]".into(),
        y_label: "crest [d]".into(),
        logarithmic: false,
        series: vec![Series { name: "granule".into(), points: curve, line: true }],
    });
    Ok(())
}

/// A cone of grains on a rough floor; radius and height in spacings.
fn cone(options: &MeasureOptions, radius: f32, height: f32) -> Result<Run, SimulationError> {
    let mut scene = sand("stay", options.friction_angle.unwrap_or(THETA), options);
    scene.boundary.push(rough_floor());
    let mut grains = cylinder(radius, height);
    grains.shape = Shape::Cone {
        from: [0.0, 0.5 * SPACING, 0.0],
        to: [0.0, height * SPACING, 0.0],
        from_radius: radius * SPACING,
        to_radius: 0.0,
        hollow: false,
    };
    scene.grains.push(grains);
    begin(scene, options)
}

/// Speed in sqrt(g d) of two grains that overlapped, after they were pushed apart, without gravity.
fn push(options: &MeasureOptions) -> Result<f64, SimulationError> {
    let mut scene = sand("push", THETA, options);
    scene.simulation.solver = SolverKind::Pbd;
    scene.simulation.gravity = [0.0; 3];
    for x in [0.0, CLOSE * SPACING] {
        let mut grain = cylinder(1.0, 1.0);
        grain.fill = Fill::Lattice;
        grain.shape = Shape::Box { min: [x, 0.0, 0.0], max: [x + SPACING, SPACING, SPACING], hollow: false };
        scene.grains.push(grain);
    }
    let mut simulation = Run::new(scene, options)?;
    let mut report = next_frame(&mut simulation)?;
    while simulation.time() < 0.5 {
        report = next_frame(&mut simulation)?;
    }
    Ok(report.max_speed / speed_scale())
}

/// Highest particle \[d\].
fn crest(simulation: &mut Run) -> Result<f64, SimulationError> {
    look(simulation, &["position"], |snapshot| {
        let heights = snapshot.vec3("position").unwrap_or_default().iter().map(|x| f64::from(x[1]));
        heights.fold(0.0, f64::max) / f64::from(SPACING)
    })
}
