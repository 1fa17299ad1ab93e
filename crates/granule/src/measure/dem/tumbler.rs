//! Grains in a turning drum, periodic along its axis: the inclination of their surface at two speeds, and whether two sizes part.
//!
//! Speeds are Froude numbers, omega^2 R/g. The inclination grows with speed and lies above that at which the same grains come to
//! rest when the drum is stopped. Of two sizes the small ones slip through the gaps of the flowing layer and gather in a core.

use glam::DVec3;

use crate::boundary::{Keyframe, Motion, Shape};
use crate::measure::drive::{look, next_frame};
use crate::measure::run::Run;
use crate::measure::segregation::beyond_chance;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series, surface_angle};
use crate::scene::{
    BoundarySettings, GrainsSettings, Periodic, RadiusDistribution, RadiusSettings, Scene, ShareOf,
};
use crate::simulation::SimulationError;

use super::sand::{D, GRAVITY, Spheres, controlled, meters, point, random_grains, rows, time_scale};

/// Friction of the drum's wall.
const WALL: f32 = 0.8;

/// Froude number of a drum that counts as slow.
const SLOW: f64 = 0.01;
/// How long the drum takes to come to rest, so that it does not throw its grains [sqrt(d/g)], and how long it stands then.
const STOP: [f64; 2] = [30.0, 30.0];

/// How a form of the experiment is run; lengths in d, times in sqrt(d/g).
struct Form {
    /// Radius of the drum, and its length along the axis, periodic.
    radius: f64,
    length: f64,
    young: f64,
    /// Froude numbers of the drums of one size.
    froude: [f64; 2],
    /// Turns after which the surface is watched, and until when.
    watch: [f64; 2],
    /// Radius and length of the drum of two sizes, its Froude number, and turns.
    mixed: [f64; 2],
    mixed_froude: f64,
    turns: f64,
}

const QUICK: Form = Form {
    radius: 12.0,
    length: 6.0,
    young: 1e4,
    froude: [3e-3, 3e-2],
    watch: [0.25, 0.6],
    mixed: [14.0, 6.0],
    mixed_froude: 3e-2,
    turns: 4.0,
};

const FULL: Form = Form {
    radius: 20.0,
    length: 8.0,
    young: 3e4,
    froude: [1e-3, 1e-2],
    watch: [0.25, 0.6],
    mixed: [20.0, 8.0],
    mixed_froude: 1e-2,
    turns: 10.0,
};

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let form = if options.quick { &QUICK } else { &FULL };
    // The slower drum comes first: the grains that it leaves rest at the material's own angle.
    let (mut angles, mut series, mut rest) = (Vec::new(), Vec::new(), None);
    for (k, froude) in form.froude.into_iter().enumerate() {
        let mut tell = |share: f64| progress(0.3 * (k as f64 + share), "a drum turns and is stopped");
        let run = turn(options, measurement, form, froude, &mut tell)?;
        report_drum(&run, froude, *rest.get_or_insert(run.stopped), measurement);
        angles.push(run.mean);
        series.push(Series { name: format!("Froude number {froude}"), points: run.curve, line: true });
    }
    let source = "faster drums are steeper";
    let rise = Point::new("rise of the inclination [degrees]", angles[1] - angles[0], [0.0, 15.0], source);
    measurement.points.push(rise.with("from", form.froude[0]).with("to", form.froude[1]));
    measurement.plots.push(plot("tumbler", "Inclination in a drum", "inclination [degrees]", series));
    let track = part(options, measurement, form, &mut |share| progress(0.6 + 0.4 * share, "two sizes part"))?;
    let last: Vec<f64> = track.iter().rev().take(track.len() / 5 + 1).map(|point| point[1]).collect();
    let parted = last.iter().sum::<f64>() / last.len() as f64;
    let source = "small grains gather in the core (Gray and Hutter 1997): 0 is mixed, 1 parted wholly";
    let point = Point::new("segregation of two sizes", parted, [0.3, 1.0], source);
    measurement.points.push(point.with("turns", form.turns).with("at the start", track[0][1]));
    let series = vec![Series { name: "d and 2 d".into(), points: track, line: true }];
    measurement.plots.push(plot("tumbler-segregation", "Two sizes in a drum", "segregation", series));
    Ok(())
}

fn plot(name: &str, title: &str, y_label: &str, series: Vec<Series>) -> Plot {
    Plot {
        name: name.into(),
        title: title.into(),
        x_label: "turns".into(),
        y_label: y_label.into(),
        logarithmic: false,
        series,
    }
}

/// What a drum of one size did.
struct Turned {
    /// Turns and inclination \[degrees\].
    curve: Vec<[f64; 2]>,
    /// Its mean and its spread while the drum turned, and after it had stopped.
    mean: f64,
    spread: f64,
    stopped: f64,
    /// Speed of grains at the wall over that of the wall.
    carried: f64,
}

/// `rest` is the angle at which the grains rest \[degrees\].
fn report_drum(run: &Turned, froude: f64, rest: f64, measurement: &mut Measurement) {
    let mut push = |quantity: &str, measured: f64, range: [f64; 2], source: &str| {
        measurement.points.push(Point::new(quantity, measured, range, source).with("Froude number", froude));
    };
    push(
        "inclination [degrees]",
        run.mean,
        [20.0, 42.0],
        "22 to 30 for glass beads, more with rolling friction",
    );
    push("its spread over time [degrees]", run.spread, [0.0, 2.0], "steady");
    let most = if froude <= SLOW { 5.0 } else { 15.0 };
    let source = "the dynamic angle lies above that of rest, by up to 5 degrees in slow drums";
    push("its excess over that at rest [degrees]", run.mean - rest, [0.0, most], source);
    push("speed of grains at the wall / of the wall", run.carried, [0.9, 1.1], "they do not slip");
}

/// A drum about the z axis that turns at an angular velocity [sqrt(g/d)] until a time [sqrt(d/g)], slower and slower then, and
/// stands at last.
fn drum(radius: f64, omega: f64, until: f64) -> BoundarySettings {
    let key = |(time, angle): (f64, f64)| Keyframe {
        time: time * time_scale(),
        axis: [0.0, 0.0, 1.0],
        angle: angle.to_degrees() as f32,
        ..Keyframe::default()
    };
    let slowing = (0..=10).map(|k| {
        let share = f64::from(k) / 10.0;
        (until + share * STOP[0], omega * until + omega * STOP[0] * (share - 0.5 * share * share))
    });
    let keyframe = std::iter::once((0.0, 0.0)).chain(slowing).map(key).collect();
    let (from, to) = (point([0.0, 0.0, -50.0]), point([0.0, 0.0, 100.0]));
    let shape = Shape::Cylinder { from, to, radius: meters(radius), hollow: true };
    BoundarySettings {
        friction: Some(WALL),
        motion: Some(Motion { keyframe, ..Motion::default() }),
        ..BoundarySettings::new("drum", shape)
    }
}

/// A half-full drum of loose grains.
fn scene(options: &MeasureOptions, form: &Form, [radius, length]: [f64; 2], omega: f64, until: f64) -> Scene {
    let spheres = Spheres {
        young: form.young,
        friction: controlled(options, 0.5),
        rolling_friction: if options.friction_angle.is_some() { 0.0 } else { 0.02 },
        ..Spheres::default()
    };
    let mut scene = spheres.scene("tumbler");
    scene.simulation.periodic = Periodic { x: None, y: None, z: Some([0.0, meters(length)]) };
    scene.boundary.push(drum(radius, omega, until));
    scene
}

/// The part of a drum up to a height over its axis.
fn filled([radius, length]: [f64; 2], height: f64) -> Shape {
    let (from, to) = ([0.0; 3], point([0.0, 0.0, length]));
    let inside = Shape::Cylinder { from, to, radius: meters(radius), hollow: false };
    Shape::Intersection(vec![
        inside,
        Shape::Plane { point: point([0.0, height, 0.0]), normal: [0.0, 1.0, 0.0] },
    ])
}

/// Height over the axis that a loose fill must have so that half of the drum is full at rest: found by bisection.
fn loose_height(radius: f64) -> f64 {
    let area = |h: f64| {
        let half = (h / radius).clamp(-1.0, 1.0);
        radius * radius * (std::f64::consts::FRAC_PI_2 + half.asin() + half * (1.0 - half * half).sqrt())
    };
    let wanted = 0.5 * std::f64::consts::PI * radius * radius * 0.6 / super::silo::FILL;
    let (mut low, mut high) = (-radius, radius);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if area(middle) < wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Turns a drum, stops it and watches its surface.
fn turn(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    form: &Form,
    froude: f64,
    progress: &mut dyn FnMut(f64),
) -> Result<Turned, SimulationError> {
    let size = [form.radius, form.length];
    let omega = (froude / form.radius).sqrt();
    let period = std::f64::consts::TAU / omega;
    let until = form.watch[1] * period;
    let end = until + STOP[0] + STOP[1];
    let mut scene = scene(options, form, size, omega, until);
    scene.grains.push(random_grains(filled(size, loose_height(form.radius))));
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let (mut curve, mut stopped, mut carried) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        next_frame(&mut simulation)?;
        let time = simulation.time() / time_scale();
        progress(time / end);
        let [angle, at_wall] = look(&mut simulation, &["position", "velocity"], |snapshot| {
            let (position, velocity) = (rows(snapshot, "position"), rows(snapshot, "velocity"));
            let angle = surface_angle(snapshot.vec3("position").unwrap_or_default(), D);
            [angle, wall_speed(&position, &velocity, form)]
        })?;
        if time <= until {
            curve.push([time / period, angle]);
            carried.push(at_wall / (omega * form.radius));
        } else if time > end - 0.5 * STOP[1] {
            stopped.push(angle);
        }
        if time >= end {
            break;
        }
    }
    let late = |values: &[f64]| {
        let first = values.len() * (form.watch[0] / form.watch[1] * 1e3) as usize / 1000;
        values[first..].to_vec()
    };
    let angles = late(&curve.iter().map(|point| point[1]).collect::<Vec<_>>());
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let average = mean(&angles);
    let spread = mean(&angles.iter().map(|angle| (angle - average).powi(2)).collect::<Vec<_>>()).sqrt();
    Ok(Turned { curve, mean: average, spread, stopped: mean(&stopped), carried: mean(&late(&carried)) })
}

/// Mean speed along the wall of the grains that touch it, deep in the bed [sqrt(g d)].
fn wall_speed(position: &[DVec3], velocity: &[DVec3], form: &Form) -> f64 {
    let scale = (GRAVITY * D).sqrt();
    let near = position.iter().zip(velocity).filter_map(|(x, v)| {
        let (x, v) = (*x / D, *v / scale);
        let distance = x.x.hypot(x.y);
        let deep = x.y < -0.5 * form.radius && distance > form.radius - 0.7;
        // The speed of a wall that turns anticlockwise is along (-y, x).
        deep.then(|| (x.x * v.y - x.y * v.x) / distance * form.radius / distance)
    });
    let (sum, count) = near.fold((0.0, 0.0), |(sum, count), speed| (sum + speed, count + 1.0));
    sum / count
}

/// Turns a drum of two sizes; turns, and how far they have parted.
fn part(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    form: &Form,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<[f64; 2]>, SimulationError> {
    let [radius, length] = form.mixed;
    let omega = (form.mixed_froude / radius).sqrt();
    let period = std::f64::consts::TAU / omega;
    let mut scene = scene(options, form, form.mixed, omega, 1.01 * form.turns * period);
    let rows = [(1.0, 0.5), (if options.equal_sizes { 1.0 } else { 2.0 }, 0.5)];
    let rows = rows.map(|(diameter, share)| [meters(0.5 * diameter), share]).to_vec();
    let sizes = RadiusSettings::Distribution(RadiusDistribution::Table { rows, by: ShareOf::Volume });
    let grains = random_grains(filled(form.mixed, loose_height(radius)));
    scene.grains.push(GrainsSettings { radius: Some(sizes), ..grains });
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let mut track = Vec::new();
    let mut frame = 0u64;
    loop {
        next_frame(&mut simulation)?;
        frame += 1;
        let turns = simulation.time() / time_scale() / period;
        progress(turns / form.turns);
        if frame.is_multiple_of(5) {
            let parted = look(&mut simulation, &["id", "position", "radius"], |snapshot| {
                let radius = snapshot.scalar("radius").unwrap_or_default();
                // Grains of one size are told apart by chance.
                let kinds: Vec<u32> = match snapshot.integer("id") {
                    Some(id) if options.equal_sizes => id.iter().map(|id| id % 2).collect(),
                    _ => radius.iter().map(|radius| u32::from(*radius > meters(0.75))).collect(),
                };
                let cell = [4.0 * D, 4.0 * D, length * D];
                beyond_chance(snapshot.vec3("position").unwrap_or_default(), radius, &kinds, cell)
            })?;
            track.push([turns, parted]);
        }
        if turns >= form.turns {
            return Ok(track);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grains that turn with the drum have its speed, anticlockwise; those near the axis do not count.
    #[test]
    fn grains_that_turn_with_the_wall_have_its_speed() {
        let (omega, radius) = (0.05, QUICK.radius);
        let angles = (0..40).map(|k| (-150.0 + 3.0 * f64::from(k)).to_radians());
        let position: Vec<DVec3> = angles
            .flat_map(|angle| [radius - 0.5, 0.3 * radius].map(|r| (angle, r)))
            .map(|(angle, r)| r * D * DVec3::new(angle.cos(), angle.sin(), 0.0))
            .collect();
        let omega_si = omega * (GRAVITY / D).sqrt();
        let velocity: Vec<DVec3> = position.iter().map(|x| omega_si * DVec3::Z.cross(*x)).collect();
        let speed = wall_speed(&position, &velocity, &QUICK) / (omega * radius);
        assert!((speed - 1.0).abs() < 1e-9, "{speed}");
    }

    #[test]
    fn a_loose_fill_leaves_half_a_drum() {
        let (radius, h) = (12.0, loose_height(12.0));
        // By counting points of a grid.
        let side = 400;
        let inside = (0..side * side).filter(|k| {
            let at = |k: i32| radius * (2.0 * (f64::from(k) + 0.5) / f64::from(side) - 1.0);
            let (x, y) = (at(k % side), at(k / side));
            x.hypot(y) < radius && y < h
        });
        let share = inside.count() as f64 / f64::from(side * side) * 4.0 / std::f64::consts::PI;
        let wanted = 0.5 * 0.6 / super::super::silo::FILL;
        assert!((share - wanted).abs() < 0.003, "{share} of {wanted}");
    }
}
