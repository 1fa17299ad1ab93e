//! Piles at rest: they must stay as they are, without damping, freezing or sleeping.

use serde::{Deserialize, Serialize};

use crate::scene::Periodic;
use crate::simulation::SimulationError;

use super::drive::{look, step};
use super::repose::{Poured, poured_heap};
use super::run::Run;
use super::scenes::{DENSITY, GRAVITY, SPACING, block, plane, rough_floor, sand, speed_scale};
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};

/// Friction angle of the piles \[degrees\].
const THETA: f64 = 30.0;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let (count, seconds) = if options.quick { (1200, 4.0) } else { (10_000, 30.0) };
    let heap = poured_heap(options, &Poured { theta: THETA, count, seed: 1, contact: None }, &mut |n| {
        progress(0.3 * n as f64 / count as f64, &format!("pouring {n} grains"));
    })?;
    measurement.describe(&heap);
    let least = if options.quick { 5.0 } else { 12.0 };
    let limits = Limits { least_height: least, crest_drop: 0.1, all: true };
    let rest = rest(heap, seconds, &mut |share| progress(0.3 + 0.3 * share, "heap at rest"))?;
    report("heap", &rest, &limits, measurement);

    let slab = settled_slab(options, &mut |share| progress(0.6 + 0.1 * share, "slab settling"))?;
    let least = if options.quick { 12.0 } else { 30.0 };
    let limits = Limits { least_height: least, crest_drop: 0.5, all: false };
    let rest_slab = self::rest(slab, seconds, &mut |share| progress(0.7 + 0.3 * share, "slab at rest"))?;
    report("slab", &rest_slab, &limits, measurement);

    measurement.plots.push(Plot {
        name: "rest".into(),
        title: "Crest of piles at rest".into(),
        x_label: "time [s]".into(),
        y_label: "drop of the crest [d]".into(),
        logarithmic: false,
        series: vec![
            Series { name: "heap".into(), points: rest.crest, line: true },
            Series { name: "slab".into(), points: rest_slab.crest, line: true },
        ],
    });
    Ok(())
}

struct Limits {
    least_height: f64,
    crest_drop: f64,
    /// Whether speed and volume are gated too.
    all: bool,
}

struct Rest {
    height: f64,
    crest_drop: f64,
    mean_speed: f64,
    volume_drift: f64,
    lost: f64,
    positive_power: f64,
    mean_power: f64,
    crest: Vec<[f64; 2]>,
}

fn report(name: &str, rest: &Rest, limits: &Limits, measurement: &mut Measurement) {
    let mut push = |quantity: &str, measured: f64, range: [f64; 2], source: &str| {
        measurement.points.push(Point::new(format!("{name}: {quantity}"), measured, range, source));
    };
    let drop = limits.crest_drop;
    push("height [d]", rest.height, [limits.least_height, 100.0], "large enough to creep");
    push("drop of the crest [d]", rest.crest_drop, [-drop, drop], "a pile stays");
    push(
        "friction power, positive part / (M g sqrt(g d))",
        rest.positive_power,
        [0.0, 1e-4],
        "friction dissipates",
    );
    push("friction power, mean / (M g sqrt(g d))", rest.mean_power, [-1.0, 1e-5], "friction dissipates");
    push("particles lost", rest.lost, [0.0, 0.0], "exact accounting");
    if limits.all {
        push("mean speed / sqrt(g d)", rest.mean_speed, [0.0, 1e-3], "a pile stays");
        push("volume drift [%]", rest.volume_drift, [-0.5, 0.5], "a pile stays");
    }
}

/// A half pile against a smooth wall, periodic across: a collapsed block.
fn settled_slab(options: &MeasureOptions, progress: &mut dyn FnMut(f64)) -> Result<Run, SimulationError> {
    let (width, height, settle) = if options.quick { (12.0, 16.0, 3.0) } else { (30.0, 40.0, 6.0) };
    let mut scene = sand("rest", THETA, options);
    scene.simulation.periodic = Periodic { x: None, y: None, z: Some([0.0, 6.0 * SPACING]) };
    scene.boundary.push(rough_floor());
    scene.boundary.push(plane("wall", [1.0, 0.0, 0.0], 0.0));
    scene.grains.push(block([width, height, 6.0]));
    let mut simulation = Run::new(scene, options)?;
    while simulation.time() < settle {
        step(&mut simulation)?;
        progress(simulation.time() / settle);
    }
    Ok(simulation)
}

/// Watches a settled pile.
fn rest(mut simulation: Run, seconds: f64, progress: &mut dyn FnMut(f64)) -> Result<Rest, SimulationError> {
    let start = simulation.time();
    let first = Shape::of(&mut simulation)?;
    let count = simulation.particle_count() as f64;
    let scale = count * DENSITY * (SPACING as f64).powi(3) * GRAVITY * speed_scale();
    let (mut positive, mut power, mut steps) = (0.0f64, 0.0, 0.0);
    let mut crest = vec![[0.0, 0.0]];
    simulation.set_diagnostics(true);
    let lost = simulation.lost();
    while simulation.time() < start + seconds {
        let report = step(&mut simulation)?;
        let watt = report.friction_power.unwrap_or(0.0) / scale;
        positive = positive.max(watt);
        power += watt;
        steps += 1.0;
        let elapsed = simulation.time() - start;
        if elapsed >= crest.len() as f64 * seconds / 30.0 {
            crest.push([elapsed, first.crest - Shape::of(&mut simulation)?.crest]);
            progress(elapsed / seconds);
        }
    }
    let last = Shape::of(&mut simulation)?;
    Ok(Rest {
        height: first.crest + 0.5,
        crest_drop: first.crest - last.crest,
        mean_speed: last.mean_speed / speed_scale(),
        volume_drift: 100.0 * (last.volume / first.volume - 1.0),
        lost: (simulation.lost() - lost) as f64 + (count - simulation.particle_count() as f64),
        positive_power: positive,
        mean_power: power / steps,
        crest,
    })
}

/// What of a pile is watched.
#[derive(Serialize, Deserialize)]
struct Shape {
    /// Highest particle \[d\].
    crest: f64,
    /// Mean speed [m/s].
    mean_speed: f64,
    /// Sum of mass over density \[m3\].
    volume: f64,
}

impl Shape {
    fn of(simulation: &mut Run) -> Result<Self, SimulationError> {
        look(simulation, &["position", "speed", "density"], |snapshot| {
            let position = snapshot.vec3("position").unwrap_or_default();
            let speed = snapshot.scalar("speed").unwrap_or_default();
            let density = snapshot.scalar("density").unwrap_or_default();
            let mass = DENSITY * (SPACING as f64).powi(3);
            Self {
                crest: position.iter().map(|x| x[1] as f64).fold(0.0, f64::max) / SPACING as f64,
                mean_speed: speed.iter().map(|s| *s as f64).sum::<f64>() / speed.len().max(1) as f64,
                volume: density.iter().map(|rho| mass / *rho as f64).sum(),
            }
        })
    }
}
