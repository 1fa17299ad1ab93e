//! Segregation: a sphere three times as large as the others rises to the top of a shaken bed, one like the others does not.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::boundary::{Interpolation, Keyframe, Motion, Shape};
use crate::measure::drive::{look, next_frame};
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::{BoundarySettings, Periodic, Scene};
use crate::simulation::SimulationError;

use super::sand::{D, Spheres, meters, point, random_grains, rows, single, time_scale};
use super::silo::FILL;

/// Frequency [sqrt(g/d)], and largest acceleration \[g\].
const FREQUENCY: f64 = 0.3;
const ACCELERATION: f64 = 3.0;
/// Diameter of the large sphere \[d\].
const LARGE: f64 = 3.0;
/// Keyframes per shake.
const KEYFRAMES: u32 = 24;

/// How large the bed is.
struct Size {
    side: f64,
    depth: f64,
    young: f64,
    shakes: f64,
    seeds: u64,
}

const QUICK: Size = Size { side: 7.0, depth: 9.0, young: 1e4, shakes: 100.0, seeds: 3 };
/// A bed that is a third deeper: a hundred shakes bring the large sphere half of the way up, here and in LAMMPS
/// (docs/validation.md), so it is shaken for longer.
const FULL: Size = Size { side: 12.0, depth: 12.0, young: 1e5, shakes: 300.0, seeds: 3 };

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let size = if options.quick { &QUICK } else { &FULL };
    let mut series = Vec::new();
    let large = if options.equal_sizes { 1.0 } else { LARGE };
    for seed in 1..=size.seeds {
        let start = (seed - 1) as f64 / size.seeds as f64;
        let mut tell = |part: f64| progress(start + part / size.seeds as f64, "shaken bed");
        let track = shake(options, measurement, size, large, seed, &mut tell)?;
        let last: Vec<f64> = track.iter().rev().take(20).map(|point| point[1]).collect();
        let height = last.iter().sum::<f64>() / last.len() as f64;
        let source =
            "large grains rise in shaken beds (Rosato et al. 1987): in the upper fifth after the shakes";
        let point = Point::new("share of the other grains below the large one", height, [0.8, 1.0], source);
        let hundredth = track.iter().find(|point| point[0] >= 100.0).map_or(f64::NAN, |point| point[1]);
        let point = point.with("seed", seed as f64).with("shakes", size.shakes);
        measurement.points.push(point.with("after 100 shakes", hundredth));
        series.push(Series { name: format!("large sphere, seed {seed}"), points: track, line: true });
    }
    measurement.plots.push(Plot {
        name: "segregation".into(),
        title: "A large sphere in a shaken bed".into(),
        x_label: "shakes".into(),
        y_label: "share of grains below it".into(),
        logarithmic: false,
        series,
    });
    Ok(())
}

/// A floor that swings up and down as a sine.
fn swing() -> Motion {
    let (omega, period) = (TAU * FREQUENCY, 1.0 / FREQUENCY);
    let amplitude = ACCELERATION / (omega * omega);
    let key = |k: u32| {
        let share = f64::from(k) / f64::from(KEYFRAMES);
        let height = amplitude * (1.0 - (TAU * share).cos());
        Keyframe {
            time: share * period * time_scale(),
            translation: point([0.0, height, 0.0]),
            ..Keyframe::default()
        }
    };
    Motion {
        keyframe: (0..=KEYFRAMES).map(key).collect(),
        repeat: true,
        interpolation: Interpolation::Smooth,
        ..Motion::default()
    }
}

fn scene(size: &Size, large: f64) -> Scene {
    let spheres = Spheres { young: size.young, ..Spheres::default() };
    let mut scene = spheres.scene("segregation");
    let Size { side, depth, .. } = *size;
    let across = Some([meters(-0.5 * side), meters(0.5 * side)]);
    scene.simulation.periodic = Periodic { x: across, y: None, z: across };
    scene.boundary.push(BoundarySettings {
        motion: Some(swing()),
        ..BoundarySettings::new("floor", Shape::floor(0.0))
    });
    scene.grains.push(single(0.51 * large * D * DVec3::Y, 0.5 * large * D, DVec3::ZERO));
    let half = 0.5 * side;
    let loose = depth * 0.6 / FILL;
    let (low, high) = (point([-half, 1.02 * large, -half]), point([half, loose + 1.02 * large, half]));
    scene.grains.push(random_grains(Shape::cuboid(low, high)));
    scene
}

/// Shakes a bed; gives shakes and the share of grains below the first one.
fn shake(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    size: &Size,
    large: f64,
    seed: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<[f64; 2]>, SimulationError> {
    let mut scene = scene(size, large);
    scene.simulation.seed = seed;
    let mut simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let mut track = Vec::new();
    loop {
        next_frame(&mut simulation)?;
        let shakes = simulation.time() / time_scale() * FREQUENCY;
        progress(shakes / size.shakes);
        let below = look(&mut simulation, &["position"], |snapshot| {
            let position = rows(snapshot, "position");
            let own = position.first().map_or(f64::NAN, |x| x.y);
            let below = position.iter().filter(|x| x.y < own).count() as f64;
            below / position.len().saturating_sub(1).max(1) as f64
        })?;
        track.push([shakes, below]);
        if shakes >= size.shakes {
            return Ok(track);
        }
    }
}
