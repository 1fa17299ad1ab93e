//! Slopes that beds of spheres and of tetrahedra hold, with friction that remembers and with Longmore's, which does not.
//!
//! A bed on a rough floor, periodic across, is tilted in steps until it gives way. Longmore 2009 found that with viscous friction
//! grains of four spheres pile up where single spheres flow apart: viscous friction holds nothing at rest, so what is left is the
//! shape of the grains. The large form, in [`super::sump`], is a heap poured as he poured his.

use glam::DVec3;

use crate::boundary::Shape;
use crate::measure::drive::{look, next_frame};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series, power_fit};
use crate::scene::{Fill, GrainShape, GrainsSettings, Periodic, RegionSettings, Scene, TangentialLaw};
use crate::simulation::SimulationError;
use crate::simulator::Command;

use super::bed::{Rest, settle};
use super::sand::{D, GRAVITY, SAND, Spheres, controlled, floor, meters, point, rows, time_scale};
use super::silo::FILL;
use super::sump;

/// Slopes that are tried, from the first to the last in steps \[degrees\].
const SLOPES: [f64; 3] = [4.0, 46.0, 2.0];
/// Time at a slope before grains are watched, and until when [sqrt(d/g)].
const WATCH: [f64; 2] = [8.0, 28.0];
/// Way of the upper half in that time with which a bed has given way \[d\].
const GIVES_WAY: f64 = 0.5;

/// How large the bed is, and which friction it is measured with.
struct Size {
    /// Periodic length and width, and depth of the bed \[d\].
    bed: [f64; 3],
    young: f64,
    /// Seeds that are averaged.
    seeds: u64,
    /// Coefficients of friction at which slopes are measured for both shapes.
    frictions: &'static [f64],
}

const QUICK: Size = Size { bed: [7.0, 6.0, 7.0], young: 1e4, seeds: 1, frictions: &[] };
const FULL: Size = Size { bed: [8.0, 7.0, 8.0], young: 1e4, seeds: 3, frictions: &[0.0, 0.1, 0.2, 0.4, 0.8] };

/// Friction of the comparison of laws.
const FRICTION: f64 = 0.5;

/// What a bed is made of.
#[derive(Clone, Copy)]
struct Grains {
    tetrahedra: bool,
    law: TangentialLaw,
    friction: f64,
}

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    if options.large {
        return sump::measure(options, measurement, progress);
    }
    let size = if options.quick { &QUICK } else { &FULL };
    let runs = (4.0 + 2.0 * size.frictions.len() as f64) * size.seeds as f64;
    let mut done = 0.0;
    let mut slope = |grains: Grains| {
        let mut sum = 0.0;
        for seed in 1..=size.seeds {
            let mut tell = |share: f64| progress((done + share) / runs, "a bed is tilted");
            sum += steepest(options, measurement, size, grains, seed, &mut tell)?;
            done += 1.0;
        }
        Ok::<f64, SimulationError>(sum / size.seeds as f64)
    };
    let mut by_law = Vec::new();
    for law in [TangentialLaw::MindlinRescale, TangentialLaw::Viscous] {
        for tetrahedra in [false, true] {
            by_law.push(slope(Grains { tetrahedra, law, friction: FRICTION })?);
        }
    }
    let mut curves = Vec::new();
    for tetrahedra in [false, true] {
        let mut curve = Vec::new();
        for &friction in size.frictions {
            let grains = Grains { tetrahedra, law: TangentialLaw::MindlinRescale, friction };
            curve.push([friction, slope(grains)?]);
        }
        curves.push((tetrahedra, curve));
    }
    report_laws(&by_law, measurement);
    for (tetrahedra, curve) in curves.iter().filter(|(_, curve)| !curve.is_empty()) {
        report_frictions(*tetrahedra, curve, measurement);
    }
    if !size.frictions.is_empty() {
        measurement.plots.push(plot(&curves));
    }
    Ok(())
}

fn shape_name(tetrahedra: bool) -> &'static str {
    if tetrahedra { "tetrahedra" } else { "spheres" }
}

/// The steepest slopes of spheres and tetrahedra with memory, then of both without.
fn report_laws(slopes: &[f64], measurement: &mut Measurement) {
    let mut push = |quantity: &str, measured: f64, range: [f64; 2], source: &str| {
        measurement.points.push(Point::new(quantity, measured, range, source).with("friction", FRICTION));
    };
    let [spheres, tetrahedra, flowing, piled] = [slopes[0], slopes[1], slopes[2], slopes[3]];
    push("slope of spheres with memory [degrees]", spheres, [19.0, 31.0], "glass beads: 22 to 26");
    push(
        "slope of tetrahedra with memory [degrees]",
        tetrahedra,
        [spheres + 3.0, 60.0],
        "rougher shapes pile up steeper (Longmore 2009)",
    );
    push(
        "slope of spheres with viscous friction [degrees]",
        flowing,
        [0.0, spheres - 5.0],
        "they flow apart (Longmore 2009)",
    );
    push(
        "slope of tetrahedra with viscous friction [degrees]",
        piled,
        [flowing + 3.0, 60.0],
        "they pile up (Longmore 2009)",
    );
}

fn report_frictions(tetrahedra: bool, curve: &[[f64; 2]], measurement: &mut Measurement) {
    let name = shape_name(tetrahedra);
    let mut push = |quantity: String, measured: f64, range: [f64; 2], source: &str| {
        measurement.points.push(Point::new(quantity, measured, range, source));
    };
    let smooth = curve.iter().filter(|[friction, _]| *friction == 0.0).map(|[_, angle]| *angle);
    smooth.for_each(|angle| {
        push(format!("slope of {name} without friction [degrees]"), angle, [0.0, 8.0], "nothing holds them");
    });
    let rough: Vec<[f64; 2]> = curve.iter().filter(|[friction, _]| *friction > 0.0).copied().collect();
    let least = rough.windows(2).map(|pair| pair[1][1] - pair[0][1]).fold(f64::INFINITY, f64::min);
    let range = if tetrahedra { [0.2, 0.6] } else { [0.05, 0.6] };
    push(
        format!("exponent of the slope of {name} over friction"),
        power_fit(&rough).0,
        range,
        "Longmore 2009, experiment 8",
    );
    // Slopes are tried in steps of two degrees.
    push(
        format!("least rise of the slope of {name} [degrees]"),
        least,
        [-1.5, 30.0],
        "steeper for more friction",
    );
}

fn plot(curves: &[(bool, Vec<[f64; 2]>)]) -> Plot {
    let series = curves.iter().map(|(tetrahedra, points)| Series {
        name: shape_name(*tetrahedra).into(),
        points: points.clone(),
        line: false,
    });
    Plot {
        name: "piles".into(),
        title: "Steepest slopes by friction".into(),
        x_label: "coefficient of friction".into(),
        y_label: "slope [degrees]".into(),
        logarithmic: false,
        series: series.collect(),
    }
}

/// A loose bed above a floor with a random layer of spheres.
fn scene(options: &MeasureOptions, size: &Size, grains: Grains, seed: u64) -> Scene {
    let friction = controlled(options, grains.friction);
    let mut scene = Spheres { young: size.young, friction, ..Spheres::default() }.scene("piles");
    scene.dem.tangential = grains.law;
    scene.simulation.seed = seed;
    let [length, width, depth] = size.bed;
    scene.simulation.periodic =
        Periodic { x: Some([0.0, meters(length)]), y: None, z: Some([0.0, meters(width)]) };
    let mut base = floor();
    base.rough = Some(meters(1.0));
    base.rough_region =
        Some(RegionSettings { min: point([0.0, -0.1, 0.0]), max: point([length, 0.1, width]) });
    scene.boundary.push(base);
    let top = 1.0 + depth * 0.6 / FILL;
    scene.grains.push(GrainsSettings {
        fill: Fill::Random,
        grain: if grains.tetrahedra { GrainShape::Tetrahedron } else { GrainShape::Sphere },
        ..GrainsSettings::new(SAND, Shape::cuboid(point([0.0, 1.0, 0.0]), point([length, top, width])))
    });
    scene
}

/// Tilts a bed until it gives way; the slope before that \[degrees\].
fn steepest(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    size: &Size,
    grains: Grains,
    seed: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<f64, SimulationError> {
    let mut simulation = Run::new(scene(options, size, grains, seed), options)?;
    measurement.describe(&simulation);
    settle(&mut simulation, Rest { energy: 1e-4, within: [10.0, 60.0] }, &mut |_| {})?;
    let [first, last, step] = SLOPES;
    let mut slope = first;
    while slope <= last {
        progress((slope - first) / (last - first));
        let tilt = slope.to_radians();
        let gravity = (GRAVITY * DVec3::new(tilt.sin(), -tilt.cos(), 0.0)).as_vec3();
        // Gravity may always be changed.
        let _ = simulation.apply(&Command::Gravity(gravity));
        advance(&mut simulation, WATCH[0])?;
        if way(&mut simulation, size, WATCH[1] - WATCH[0])? > GIVES_WAY {
            break;
        }
        slope += step;
    }
    Ok(slope - step)
}

/// Advances by a time [sqrt(d/g)].
fn advance(simulation: &mut Run, time: f64) -> Result<(), SimulationError> {
    let end = simulation.time() + time * time_scale();
    while simulation.time() < end {
        next_frame(simulation)?;
    }
    Ok(())
}

/// Mean way downhill of the upper half of a bed in a time [sqrt(d/g)], in diameters.
fn way(simulation: &mut Run, size: &Size, time: f64) -> Result<f64, SimulationError> {
    let (mut sum, mut frames) = (0.0, 0.0);
    let end = simulation.time() + time * time_scale();
    while simulation.time() < end {
        next_frame(simulation)?;
        sum += look(simulation, &["position", "velocity"], |snapshot| {
            let spheres = rows(snapshot, "position").into_iter().zip(rows(snapshot, "velocity"));
            let upper: Vec<f64> =
                spheres.filter(|(x, _)| x.y > 0.5 * size.bed[2] * D).map(|(_, v)| v.x).collect();
            upper.iter().sum::<f64>() / upper.len().max(1) as f64
        })?;
        frames += 1.0;
    }
    Ok(sum / f64::max(frames, 1.0) * time * time_scale() / D)
}
