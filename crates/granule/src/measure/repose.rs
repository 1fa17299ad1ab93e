//! Angle of repose: a heap poured slowly onto a rough floor.

use crate::simulation::SimulationError;

use super::drive::{read, run_until};
use super::pour::Pour;
use super::profile::DepositProfile;
use super::run::Run;
use super::scenes::{SPACING, begin, grains_solver, rough_floor, sand};
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};

/// Simulated seconds after the last grain.
const SETTLE: f64 = 2.0;

/// Friction angles for solvers with grains \[degrees\]: up to those that grains of spheres have.
const GRAINS: [f64; 4] = [20.0, 25.0, 30.0, 35.0];

/// Grains per emission.
const STREAM: usize = 12;

/// Heaps, each from a stream of its own, whose mean angle is taken where the friction angle is 40 degrees or more.
///
/// Steep heaps grow by avalanches: the angles of single ones scatter by 2.7 degrees (standard deviation of 8), with momentum
/// in the solve and without (docs/validation.md).
const STEEP_HEAPS: u64 = 4;

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let angles: &[f64] = match (options.quick, grains_solver(options)) {
        (true, _) => &[20.0, 35.0],
        (false, None) => &[0.0, 20.0, 25.0, 30.0, 35.0, 40.0],
        (false, Some(_)) => &GRAINS,
    };
    let count = if options.quick { 1200 } else { 8200 };
    let heaps_of = |theta: f64| if theta >= 40.0 { STEEP_HEAPS } else { 1 };
    let all_heaps: u64 = angles.iter().map(|&theta| heaps_of(theta)).sum();
    let mut poured = 0u32;
    let mut measured = Vec::new();
    let mut plot = Vec::new();
    for &theta in angles {
        let mut heaps = Vec::new();
        for seed in 1..=heaps_of(theta) {
            let share = |n: usize| (f64::from(poured) + n as f64 / count as f64) / all_heaps as f64;
            let mut report = |n: usize| progress(share(n), &format!("pouring {n} grains of {theta} degrees"));
            heaps.push(heap(
                options,
                measurement,
                &Poured { theta, count, seed, contact: None },
                &mut report,
            )?);
            poured += 1;
        }
        let angle = heaps.iter().map(|heap| heap.angle).sum::<f64>() / heaps.len() as f64;
        measured.push(angle);
        let point = angle_point(theta, angle, options.quick);
        measurement.points.push(point.with("grains", count as f64).with("heaps", heaps.len() as f64));
        plot.push(Series {
            name: format!("{theta} degrees"),
            points: in_spacings(&heaps[0].surface),
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

/// What is poured.
pub struct Poured {
    /// Friction angle \[degrees\].
    pub theta: f64,
    /// Grains.
    pub count: usize,
    /// Of the stream.
    pub seed: u64,
    /// What grains are like in contacts; as the friction angle says when absent.
    pub contact: Option<HeapContacts>,
}

/// What the grains of a heap are like in contacts.
#[derive(Clone, Copy, Debug)]
pub struct HeapContacts {
    /// Friction.
    pub friction: f64,
    /// Rolling friction.
    pub rolling: f64,
    /// Whether position-based grains turn.
    pub rotation: bool,
}

/// Pours a heap, lets it settle and measures its shape.
fn heap(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    poured: &Poured,
    progress: &mut dyn FnMut(usize),
) -> Result<DepositProfile, SimulationError> {
    let mut simulation = poured_heap(options, poured, progress)?;
    measurement.describe(&simulation);
    shape(&mut simulation)
}

/// Angle of a heap \[degrees\] that is poured from so many grains: what tables of docs/grains.md are made of.
///
/// # Errors
/// The device has failed.
pub fn heap_angle(
    options: &MeasureOptions,
    contact: HeapContacts,
    count: usize,
    seed: u64,
) -> Result<f64, SimulationError> {
    let poured = Poured { theta: GRAINS[0], count, seed, contact: Some(contact) };
    shape(&mut poured_heap(options, &poured, &mut |_| {})?).map(|profile| profile.angle)
}

/// Shape of a heap on a rough floor.
fn shape(simulation: &mut Run) -> Result<DepositProfile, SimulationError> {
    let snapshot = read(simulation, &["position"])?;
    // Spheres of a rough floor have their centres in it.
    let above = |x: &&[f32; 3]| x[1] > 0.25 * SPACING;
    let sand: Vec<[f32; 3]> =
        snapshot.vec3("position").unwrap_or_default().iter().filter(above).copied().collect();
    let mut profile = DepositProfile::of(&sand, (0.0, 0.0), SPACING as f64);
    if !profile.angle.is_finite() || profile.height < 3.0 * SPACING as f64 {
        // Too flat for a flank between 20 and 80 % of its height.
        profile.angle = (profile.height / profile.front).atan().to_degrees();
    }
    Ok(profile)
}

/// A heap poured onto a rough floor around the origin, settled.
pub fn poured_heap(
    options: &MeasureOptions,
    poured: &Poured,
    progress: &mut dyn FnMut(usize),
) -> Result<Run, SimulationError> {
    let mut scene = sand("repose", poured.theta, options);
    scene.boundary.push(rough_floor());
    if let Some(HeapContacts { friction, rolling, rotation }) = poured.contact {
        scene.pbd.rotation = rotation;
        let material = &mut scene.material[0];
        (material.dem.friction, material.dem.rolling_friction) = (Some(friction), rolling);
        (material.pbd.friction, material.pbd.rolling_friction) = (Some(friction), rolling);
    }
    let mut simulation = begin(scene, options)?;
    let seed = poured.seed.wrapping_add(options.simulation.seed_shift);
    Pour::new(seed, STREAM).pour(&mut simulation, poured.count, progress)?;
    let end = simulation.time() + SETTLE;
    run_until(&mut simulation, end)?;
    Ok(simulation)
}
