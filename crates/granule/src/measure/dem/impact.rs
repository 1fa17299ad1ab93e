//! Two spheres meet head-on: restitution, duration and largest overlap against the equation of motion.
//!
//! ```text
//! x'' = -x^(3/2) - alpha x^(1/4) x',   x(0) = 0, x'(0) = 1      until x = 0
//! ```
//! in lengths of (m v^2/k)^(2/5) and times of (m/k)^(2/5) v^(-1/5), with the reduced mass m, k = 4/3 E* sqrt(R_eff) and
//! alpha = -sqrt(5) ln e/sqrt(pi^2 + ln^2 e). Without damping the duration is 3.218 and the overlap (5/4)^(2/5).

use std::f64::consts::PI;

use glam::DVec3;

use crate::measure::drive::{read, step};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::SolverKind;
use crate::simulation::SimulationError;

use super::sand::{Spheres, rows, single};

/// Radius \[m\].
const RADIUS: f64 = 0.0025;
/// Young's modulus \[Pa\].
const YOUNG: f64 = 1e7;
/// Poisson's ratio.
const POISSON: f64 = 0.3;
/// Density [kg/m3].
const DENSITY: f64 = 2500.0;
/// Coefficients of restitution.
const RESTITUTIONS: [f64; 5] = [0.3, 0.5, 0.7, 0.9, 1.0];
/// Speeds of approach [m/s].
const SPEEDS: [f64; 3] = [0.01, 0.1, 1.0];
/// Steps per duration of an elastic collision.
const STEPS: f64 = 200.0;
/// Steps after which a collision is given up.
const MOST_STEPS: u32 = 2000;
/// Duration of an elastic collision, in its time scale.
const ELASTIC_DURATION: f64 = 3.218;

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let mut found = Vec::new();
    for (k, restitution) in RESTITUTIONS.into_iter().enumerate() {
        progress(k as f64 / RESTITUTIONS.len() as f64, &format!("restitution {restitution}"));
        let exact = Course::of(restitution);
        let runs = SPEEDS.map(|speed| collide(options, measurement, restitution, speed));
        let [slow, middle, fast] = runs;
        let runs = [slow?, middle?, fast?];
        report(restitution, &exact, &runs, measurement);
        found.push([restitution, runs[1].restitution]);
    }
    let line = vec![[0.3, 0.3], [1.0, 1.0]];
    measurement.plots.push(Plot {
        name: "impact".into(),
        title: "Restitution of two spheres".into(),
        x_label: "restitution asked for".into(),
        y_label: "restitution found at 0.1 m/s".into(),
        logarithmic: false,
        series: vec![
            Series { name: "exact".into(), points: line, line: true },
            Series { name: "granule".into(), points: found, line: false },
        ],
    });
    Ok(())
}

fn report(restitution: f64, exact: &Course, runs: &[Course; 3], measurement: &mut Measurement) {
    let mut push = |quantity: &str, measured: f64, reference: f64, tolerance: f64, source: &str| {
        let range = [reference - tolerance, reference + tolerance];
        let point = Point::new(quantity, measured, range, source).with("e", restitution);
        measurement.points.push(point.against(reference));
    };
    let worst = |value: fn(&Course) -> f64, reference: f64| {
        runs.iter().map(value).fold(reference, |worst, new| {
            if (new - reference).abs() > (worst - reference).abs() || new.is_nan() { new } else { worst }
        })
    };
    let e = worst(|run| run.restitution, restitution);
    push("restitution, farthest of three speeds", e, restitution, 0.003, "exact, 0.003 at 200 steps");
    let duration = worst(|run| run.duration, exact.duration) / exact.duration;
    push("duration / exact", duration, 1.0, 0.005, "equation of motion, 0.5 % at 200 steps");
    let overlap = worst(|run| run.overlap, exact.overlap) / exact.overlap;
    push("largest overlap / exact", overlap, 1.0, 0.005, "equation of motion, 0.5 % at 200 steps");
    let all = runs.each_ref().map(|run| run.restitution);
    let spread = all.iter().fold(f64::MIN, |a, b| a.max(*b)) - all.iter().fold(f64::MAX, |a, b| a.min(*b));
    let source = "no speed is special; twice the tolerance of head-on oracles in single precision, 2e-4";
    push("spread of restitution over speeds", spread, 0.0, 4e-4, source);
}

/// A collision: duration and largest overlap in the scales of the equation of motion.
struct Course {
    restitution: f64,
    duration: f64,
    overlap: f64,
}

impl Course {
    /// The equation of motion, integrated by the classical method of Runge and Kutta.
    fn of(restitution: f64) -> Self {
        let logarithm = restitution.ln();
        let alpha = -5f64.sqrt() * logarithm / (PI * PI + logarithm * logarithm).sqrt();
        let slope = |x: f64, v: f64| {
            let x = x.max(0.0);
            [v, -x.powf(1.5) - alpha * x.powf(0.25) * v]
        };
        let h = 1e-4;
        let ([mut x, mut v], mut time, mut overlap) = ([0.0, 1.0], 0.0, 0.0f64);
        loop {
            let [x1, v1] = slope(x, v);
            let [x2, v2] = slope(x + 0.5 * h * x1, v + 0.5 * h * v1);
            let [x3, v3] = slope(x + 0.5 * h * x2, v + 0.5 * h * v2);
            let [x4, v4] = slope(x + h * x3, v + h * v3);
            x += h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4);
            v += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
            time += h;
            overlap = overlap.max(x);
            if x <= 0.0 {
                return Self { restitution: -v, duration: time - x / v, overlap };
            }
        }
    }
}

/// Lets two spheres meet at a relative speed [m/s].
fn collide(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    restitution: f64,
    speed: f64,
) -> Result<Course, SimulationError> {
    let reduced = 0.5 * 4.0 / 3.0 * PI * RADIUS.powi(3) * DENSITY;
    let stiffness = 4.0 / 3.0 * YOUNG / (2.0 * (1.0 - POISSON * POISSON)) * (0.5 * RADIUS).sqrt();
    let time = (reduced / stiffness).powf(0.4) * speed.powf(-0.2);
    let length = speed * time;
    let dt = ELASTIC_DURATION * time / STEPS;

    let mut scene = Spheres { restitution, ..Spheres::default() }.scene("impact");
    scene.simulation.solver = SolverKind::Dem;
    scene.simulation.gravity = [0.0; 3];
    scene.simulation.time_step = Some(dt);
    scene.simulation.fps = 1.0 / (100.0 * dt);
    scene.material[0].radius = RADIUS as f32;
    scene.material[0].density = DENSITY as f32;
    scene.material[0].dem.young = YOUNG;
    scene.material[0].dem.poisson = POISSON;
    for side in [-1.0, 1.0] {
        let center = DVec3::X * side * (RADIUS + 0.1 * length);
        scene.grains.push(single(center, RADIUS, -0.5 * side * speed * DVec3::X));
    }
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    // Until the two have met and parted.
    let start = Apart::of(&mut simulation)?;
    let (mut overlap, mut met, mut steps) = (0.0f64, false, 0);
    while steps < MOST_STEPS {
        step(&mut simulation)?;
        steps += 1;
        let touching = simulation.contacts();
        let deepest = touching.iter().map(|contact| f64::from(contact.overlap)).fold(0.0, f64::max);
        overlap = overlap.max(deepest);
        met |= deepest > 0.0;
        if met && touching.is_empty() {
            break;
        }
    }
    let end = Apart::of(&mut simulation)?;
    // Before and after, they move freely.
    let begun = -start.gap / start.speed;
    let ended = simulation.time() - end.gap / end.speed;
    Ok(Course {
        restitution: -end.speed / start.speed,
        duration: (ended - begun) / time,
        overlap: overlap / length,
    })
}

/// How far two spheres are apart.
struct Apart {
    /// Between their surfaces \[m\].
    gap: f64,
    /// At which it grows [m/s].
    speed: f64,
}

impl Apart {
    fn of(simulation: &mut Run) -> Result<Self, SimulationError> {
        let snapshot = read(simulation, &["position", "velocity"])?;
        let across = |field: &str| match rows(&snapshot, field).as_slice() {
            [a, b] => (b - a).x,
            _ => f64::NAN,
        };
        let (distance, speed) = (across("position"), across("velocity"));
        Ok(Self { gap: distance.abs() - 2.0 * RADIUS, speed: speed * distance.signum() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Duration and overlap over those of an elastic collision, as LAMMPS found them with damping, to a step of a 400th.
    #[test]
    fn the_equation_of_motion_gives_the_known_durations() {
        let elastic = Course::of(1.0);
        assert!((elastic.duration - ELASTIC_DURATION).abs() < 1e-3, "{}", elastic.duration);
        assert!((elastic.overlap - 1.25f64.powf(0.4)).abs() < 1e-6, "{}", elastic.overlap);
        for (e, duration, overlap) in
            [(0.9, 1.010, 0.9595), (0.7, 1.040, 0.8758), (0.5, 1.093, 0.7871), (0.3, 1.193, 0.6905)]
        {
            let damped = Course::of(e);
            assert!((damped.restitution - e).abs() < 1e-4, "{} for {e}", damped.restitution);
            assert!((damped.duration / elastic.duration - duration).abs() < 1.0 / 400.0);
            assert!((damped.overlap / elastic.overlap - overlap).abs() < 1e-3);
        }
    }
}
