//! Heaps that are left on a plate when grains run off both sides of it, against Zhou et al. 2002.
//!
//! ```text
//! angle = 68.61 mu_s,pp^0.27 mu_s,pw^0.22 mu_r,pp^0.06 mu_r,pw^0.12 d^-0.2       degrees; mu_r and d in millimetres
//! ```
//! Zhou's coefficients of rolling friction are lengths: the torque over the normal force. Ours is that over the reduced radius, a
//! quarter of d between two grains and half of d at a wall, so that one coefficient is two of his lengths.
//!
//! The published exponent of sliding friction, 0.27, belongs to his law of contact: LAMMPS with ours finds 0.075 in the quick form, since
//! rough grains roll before they slide. What agrees with that holds as LAMMPS (`lammps.rs`, docs/validation.md).

use glam::Vec3;

use crate::boundary::Shape;
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series, power_fit};
use crate::scene::{BoundarySettings, OutletSettings, Periodic, Scene};
use crate::simulation::SimulationError;

use super::bed::{Bed, Rest, settle, take_away};
use super::planar_profile::PlanarProfile;
use super::sand::{D, Spheres, controlled, meters, point, random_grains};
use super::silo::FILL;

/// Friction of grains, of walls, and rolling friction of both over the reduced radius, in the middle of the series.
const FRICTION: f64 = 0.4;
const WALL_FRICTION: f64 = 0.5;
const ROLLING: f64 = 0.2;
/// Stiffness over rho g d.
const YOUNG: f64 = 1e5;
/// Part of the volume that grains of a heap fill.
const FRACTION: f64 = 0.58;
/// Share of the height between which flanks are looked at.
const FLANK: [f64; 2] = [0.2, 0.8];

/// How large the box is \[d\].
struct Size {
    /// Half of its width, and of that of the plate.
    half: f64,
    plate: f64,
    /// Depth of the bed before.
    bed: f64,
    /// Depth of the box, periodic.
    across: f64,
    seeds: u64,
    /// Stiffness over rho g d.
    young: f64,
    /// Coefficients of friction.
    frictions: &'static [f64],
    /// Rolling friction beside the one that heaps of all frictions have.
    rolling: &'static [f64],
}

const QUICK: Size = Size {
    half: 28.0,
    plate: 16.0,
    bed: 10.0,
    across: 4.0,
    seeds: 1,
    young: YOUNG,
    frictions: &[0.2, FRICTION, 0.8],
    rolling: &[0.05, 0.4],
};
const FULL: Size = Size { half: 50.0, plate: 22.0, bed: 13.0, seeds: 3, ..QUICK };
/// A million grains, as soft as those of the large form of `orifice`: two heaps that differ by their friction.
const LARGE: Size = Size {
    half: 200.0,
    plate: 88.0,
    bed: 52.0,
    across: 40.0,
    young: 3e4,
    frictions: &[0.2, FRICTION],
    rolling: &[],
    ..QUICK
};

/// Friction between grains, and rolling friction, of one heap.
#[derive(Clone, Copy)]
struct Case {
    friction: f64,
    rolling: f64,
}

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let size = match (options.quick, options.large) {
        (true, _) => &QUICK,
        (false, true) => &LARGE,
        (false, false) => &FULL,
    };
    let sliding = size.frictions.iter().map(|&friction| Case { friction, rolling: ROLLING });
    let rolling = size.rolling.iter().map(|&rolling| Case { friction: FRICTION, rolling });
    let cases: Vec<Case> = sliding.chain(rolling).collect();
    let (mut angles, mut series) = (Vec::new(), Vec::new());
    for (k, case) in cases.iter().enumerate() {
        let mut sum = 0.0;
        for seed in 1..=size.seeds {
            let start = (k as f64 + (seed - 1) as f64 / size.seeds as f64) / cases.len() as f64;
            progress(start, &format!("grains of friction {} run off a plate", case.friction));
            let profile = heap(options, measurement, size, *case, seed)?;
            sum += profile.slope(FLANK);
            if seed == 1 {
                let name = format!("friction {}, rolling {}", case.friction, case.rolling);
                series.push(Series { name, points: profile.surface, line: true });
            }
        }
        angles.push(sum / size.seeds as f64);
    }
    report(size, &cases, &angles, measurement);
    measurement.plots.push(Plot {
        name: "zhou".into(),
        title: "Heaps on a plate".into(),
        x_label: "x [d]".into(),
        y_label: "height [d]".into(),
        logarithmic: false,
        series,
    });
    Ok(())
}

/// The published angle \[degrees\].
fn published(case: Case) -> f64 {
    let millimeters = 1e3 * D;
    let (between, at_wall) = (case.rolling * 0.25 * millimeters, case.rolling * 0.5 * millimeters);
    68.61
        * case.friction.powf(0.27)
        * WALL_FRICTION.powf(0.22)
        * between.powf(0.06)
        * at_wall.powf(0.12)
        * millimeters.powf(-0.2)
}

fn report(size: &Size, cases: &[Case], angles: &[f64], measurement: &mut Measurement) {
    for (case, &angle) in cases.iter().zip(angles) {
        let reference = published(*case);
        let range = [reference - 5.0, reference + 5.0];
        let point = Point::new("angle [degrees]", angle, range, "Zhou et al. 2002, 5 degrees");
        let point = point.with("friction", case.friction).with("rolling friction", case.rolling);
        measurement.points.push(point.against(reference));
    }
    let sliding = &cases[..size.frictions.len()];
    let by_sliding: Vec<[f64; 2]> = sliding.iter().zip(angles).map(|(c, a)| [c.friction, *a]).collect();
    let source = "Zhou et al. 2002: 0.27, 0.12 allowed";
    let exponent = power_fit(&by_sliding).0;
    measurement.points.push(Point::new("exponent of friction", exponent, [0.15, 0.39], source).against(0.27));
    if size.rolling.is_empty() {
        return;
    }
    // The middle of the series lies between its other two.
    let by_rolling = [angles[3], angles[1], angles[4]];
    let least = by_rolling.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let source = "steeper for more rolling friction (Zhou et al. 2002)";
    measurement.points.push(Point::new(
        "least rise with rolling friction [degrees]",
        least,
        [0.0, 45.0],
        source,
    ));
}

fn scene(options: &MeasureOptions, size: &Size, case: Case, seed: u64) -> Scene {
    let spheres = Spheres {
        friction: controlled(options, case.friction),
        rolling_friction: if options.friction_angle.is_some() { 0.0 } else { case.rolling },
        young: size.young,
        ..Spheres::default()
    };
    let mut scene = spheres.scene("zhou");
    scene.simulation.seed = seed;
    scene.simulation.periodic = Periodic { x: None, y: None, z: Some([0.0, meters(size.across)]) };
    let Size { half, plate, .. } = *size;
    let bar = |from: [f64; 2], to: [f64; 2]| {
        Shape::cuboid(point([from[0], from[1], -1.0]), point([to[0], to[1], size.across + 1.0]))
    };
    let wall = |name: &str, shape: Shape| BoundarySettings {
        friction: Some(WALL_FRICTION as f32),
        ..BoundarySettings::new(name, shape)
    };
    let side = |sign: f32| Shape::Plane { point: [sign * meters(half), 0.0, 0.0], normal: [-sign, 0.0, 0.0] };
    scene.boundary.push(wall("plate", bar([-plate, -2.0], [plate, 0.0])));
    scene.boundary.push(wall("gate left", bar([-half - 1.0, -2.0], [-plate, 0.0])));
    scene.boundary.push(wall("gate right", bar([plate, -2.0], [half + 1.0, 0.0])));
    scene.boundary.push(wall("side left", side(-1.0)));
    scene.boundary.push(wall("side right", side(1.0)));
    let top = size.bed * 0.6 / FILL;
    let fill = Shape::cuboid(point([-half, 0.0, 0.0]), point([half, top, size.across]));
    scene.grains.push(random_grains(fill));
    let below = Shape::Plane { point: point([0.0, -4.0, 0.0]), normal: [0.0, 1.0, 0.0] };
    scene.outlet.push(OutletSettings { name: "out".into(), shape: below, time: None });
    scene
}

/// Opens the gates beside the plate; the heap that is left.
fn heap(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    size: &Size,
    case: Case,
    seed: u64,
) -> Result<PlanarProfile, SimulationError> {
    let mut simulation = Run::new(scene(options, size, case, seed), options)?;
    measurement.describe(&simulation);
    settle(&mut simulation, Rest { energy: 1e-3, within: [8.0, 40.0] }, &mut |_| {})?;
    // What runs off takes longer the farther it is.
    let longest = 150.0 * (size.half / FULL.half).sqrt().max(1.0);
    take_away(&mut simulation, "gate left", Vec3::NEG_Y);
    take_away(&mut simulation, "gate right", Vec3::NEG_Y);
    settle(&mut simulation, Rest { energy: 1e-5, within: [20.0, longest] }, &mut |_| {})?;
    simulation.observe("heap", |simulation| {
        Ok(PlanarProfile::of(&Bed::of_grains(simulation)?, size.across, FRACTION, 0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Friction 0.4 and 0.5, rolling friction 0.5 mm between grains and 1 mm at walls, grains of 10 mm:
    /// 68.61 x 0.781 x 0.859 x 0.959 x 1 x 0.631.
    #[test]
    fn the_law_has_lengths_in_millimetres() {
        let angle = published(Case { friction: 0.4, rolling: 0.2 });
        assert!((angle - 27.84).abs() < 0.05, "{angle}");
    }
}
