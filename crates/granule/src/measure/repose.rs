//! Angle of repose: a heap poured slowly onto a rough floor.

use crate::simulation::{Simulation, SimulationError};

use super::drive::{read, run_until};
use super::pour::Pour;
use super::profile::DepositProfile;
use super::scenes::{SPACING, rough_floor, sand};
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};

/// Simulated seconds after the last grain.
const SETTLE: f64 = 2.0;

/// Grains per emission.
const STREAM: usize = 12;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let angles: &[f64] = if options.quick { &[20.0, 35.0] } else { &[0.0, 20.0, 25.0, 30.0, 35.0, 40.0] };
    let count = if options.quick { 1200 } else { 8200 };
    let mut measured = Vec::new();
    let mut plot = Vec::new();
    for (k, &theta) in angles.iter().enumerate() {
        let share = |n: usize| (k as f64 + n as f64 / count as f64) / angles.len() as f64;
        let mut report = |n: usize| progress(share(n), &format!("pouring {n} grains of {theta} degrees"));
        let heap = heap(options, measurement, theta, count, &mut report)?;
        measured.push(heap.angle);
        measurement.points.push(angle_point(theta, heap.angle, options.quick).with("grains", count as f64));
        plot.push(Series {
            name: format!("{theta} degrees"),
            points: in_spacings(&heap.surface),
            line: true,
        });
    }
    let steps = measured.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let source = "steeper for more friction";
    measurement.points.push(Point::new(
        "smallest increase of the angle [degrees]",
        steps,
        [1e-3, 90.0],
        source,
    ));
    measurement.plots.push(Plot {
        name: "repose".into(),
        title: "Poured heaps by friction angle".into(),
        x_label: "radius [d]".into(),
        y_label: "height [d]".into(),
        logarithmic: false,
        series: plot,
    });
    Ok(())
}

fn in_spacings(surface: &[[f64; 2]]) -> Vec<[f64; 2]> {
    surface.iter().map(|p| p.map(|c| c / SPACING as f64)).collect()
}

fn angle_point(theta: f64, measured: f64, quick: bool) -> Point {
    let tolerance = match theta {
        0.0 => {
            return Point::new("angle [degrees]", measured, [0.0, 5.0], "a fluid lies flat")
                .with("theta", theta);
        }
        // Small heaps have few rings between 20 and 80 % of their height.
        _ if quick => 5.0,
        theta if theta >= 40.0 => 4.0,
        _ => 3.0,
    };
    let range = [theta - tolerance, theta + tolerance];
    let source = format!("the set friction angle, {tolerance} degrees");
    Point::new("angle [degrees]", measured, range, source).with("theta", theta).against(theta)
}

/// Pours a heap, lets it settle and measures its shape.
fn heap(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    theta: f64,
    count: usize,
    progress: &mut dyn FnMut(usize),
) -> Result<DepositProfile, SimulationError> {
    let mut simulation = poured_heap(options, theta, count, progress)?;
    measurement.describe(&simulation);
    let snapshot = read(&mut simulation, &["position"])?;
    let mut profile =
        DepositProfile::of(snapshot.vec3("position").unwrap_or_default(), (0.0, 0.0), SPACING as f64);
    if !profile.angle.is_finite() || profile.height < 3.0 * SPACING as f64 {
        // Too flat for a flank between 20 and 80 % of its height.
        profile.angle = (profile.height / profile.front).atan().to_degrees();
    }
    Ok(profile)
}

/// A heap of `count` grains poured onto a rough floor around the origin, settled.
pub fn poured_heap(
    options: &MeasureOptions,
    theta: f64,
    count: usize,
    progress: &mut dyn FnMut(usize),
) -> Result<Simulation, SimulationError> {
    let mut scene = sand("repose", theta, options);
    scene.boundary.push(rough_floor());
    let mut simulation = Simulation::new(scene, &options.simulation)?;
    Pour::new(1, STREAM).pour(&mut simulation, count, progress)?;
    let end = simulation.time() + SETTLE;
    run_until(&mut simulation, end)?;
    Ok(simulation)
}
