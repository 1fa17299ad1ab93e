//! Collapse of columns between two panes, against Lube et al. 2005.
//!
//! ```text
//! runout (L - L0)/L0 = 1.2 a  (a < 2.3),  1.9 a^(2/3)  (a > 2.3);    height H/L0 = a  (a < 1.15),  a^(2/5)  (a > 1.15)
//! ```

use glam::Vec3;

use crate::boundary::Shape;
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series, power_fit};
use crate::scene::{BoundarySettings, Periodic, RegionSettings, Scene};
use crate::simulation::SimulationError;

use super::bed::{Bed, Rest, settle, take_away};
use super::planar_profile::PlanarProfile;
use super::sand::{Spheres, controlled, floor, meters, point, random_grains};
use super::silo::FILL;

/// Part of the volume that grains of a deposit fill.
const FRACTION: f64 = 0.6;
/// Aspect ratio at which the law of the runout changes.
const TALL: f64 = 2.3;
/// Rolling friction.
const ROLLING: f64 = 0.05;

/// How large columns are.
struct Size {
    /// Length, and depth along z, periodic \[d\].
    length: f64,
    depth: f64,
    young: f64,
    /// Aspect ratios.
    aspects: &'static [f64],
    /// Allowed error of exponents.
    tolerance: f64,
}

const QUICK: Size =
    Size { length: 12.0, depth: 5.0, young: 3e4, aspects: &[0.5, 1.0, 2.0, 3.0, 6.0], tolerance: 0.3 };
const FULL: Size =
    Size { length: 25.0, depth: 8.0, young: 1e5, aspects: &[0.5, 1.0, 2.0, 3.0, 4.0, 6.0], tolerance: 0.15 };

/// What became of a column; lengths over its own length.
struct Deposit {
    aspect: f64,
    runout: f64,
    height: f64,
}

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let size = if options.quick { &QUICK } else { &FULL };
    // Tall columns take longest.
    let all: f64 = size.aspects.iter().sum();
    let (mut done, mut deposits) = (0.0, Vec::new());
    for &aspect in size.aspects {
        progress(done / all, &format!("column of aspect ratio {aspect}"));
        deposits.push(collapse(options, measurement, size, aspect)?);
        done += aspect;
    }
    report(&deposits, size, measurement);
    measurement.plots.extend(plots(&deposits));
    Ok(())
}

fn published_runout(aspect: f64) -> f64 {
    if aspect < TALL { 1.2 * aspect } else { 1.9 * aspect.powf(2.0 / 3.0) }
}

fn report(deposits: &[Deposit], size: &Size, measurement: &mut Measurement) {
    for deposit in deposits {
        let published = published_runout(deposit.aspect);
        let source = "Lube et al. 2005, factor 0.7 to 1.5 (Lajeunesse et al. 2005 lie above)";
        let range = [0.7 * published, 1.5 * published];
        let point = Point::new("runout / L0", deposit.runout, range, source).against(published);
        measurement.points.push(point.with("aspect", deposit.aspect).with("height / L0", deposit.height));
    }
    let at_two = deposits.iter().find(|deposit| (deposit.aspect / 2.0 - 1.0).abs() < 0.1);
    if let Some(deposit) = at_two {
        let source = "between Lube et al. 2005 and Lajeunesse et al. 2005 at a = 2";
        measurement.points.push(Point::new("runout / L0 at a = 2", deposit.runout, [2.4, 3.6], source));
        measurement.points.push(Point::new("height / L0 at a = 2", deposit.height, [0.8, 1.7], source));
    }
    let fit = |tall: bool| {
        let group = deposits.iter().filter(|deposit| (deposit.aspect > TALL) == tall);
        power_fit(&group.map(|deposit| [deposit.aspect, deposit.runout]).collect::<Vec<_>>()).0
    };
    for (name, tall, reference) in
        [("runout exponent, a < 2.3", false, 1.0), ("runout exponent, a > 2.3", true, 2.0 / 3.0)]
    {
        let range = [reference - size.tolerance, reference + size.tolerance];
        measurement.points.push(Point::new(name, fit(tall), range, "Lube et al. 2005").against(reference));
    }
}

fn plots(deposits: &[Deposit]) -> [Plot; 1] {
    let law = (1..=40).map(|k| 0.4 * (20f64).powf(f64::from(k) / 40.0)).map(|a| [a, published_runout(a)]);
    let found = deposits.iter().map(|deposit| [deposit.aspect, deposit.runout]);
    [Plot {
        name: "planar".into(),
        title: "Runout of columns between panes".into(),
        x_label: "aspect ratio a".into(),
        y_label: "(L - L0) / L0".into(),
        logarithmic: true,
        series: vec![
            Series { name: "Lube et al. 2005".into(), points: law.collect(), line: true },
            Series { name: "granule".into(), points: found.collect(), line: false },
        ],
    }]
}

fn scene(options: &MeasureOptions, size: &Size, aspect: f64) -> Scene {
    let spheres = Spheres {
        young: size.young,
        friction: controlled(options, 0.5),
        rolling_friction: if options.friction_angle.is_some() { 0.0 } else { ROLLING },
        ..Spheres::default()
    };
    let mut scene = spheres.scene("planar");
    let Size { length, depth, .. } = *size;
    scene.simulation.periodic = Periodic { x: None, y: None, z: Some([0.0, meters(depth)]) };
    let reach = length * (1.0 + 1.7 * published_runout(aspect)) + 10.0;
    let mut base = floor();
    base.rough = Some(meters(1.0));
    base.rough_region =
        Some(RegionSettings { min: point([0.0, -0.1, 0.0]), max: point([reach, 0.1, depth]) });
    scene.boundary.push(base);
    let wall = Shape::Plane { point: [0.0; 3], normal: [1.0, 0.0, 0.0] };
    scene.boundary.push(BoundarySettings::new("wall", wall));
    let top = 0.6 + aspect * length * FRACTION / FILL;
    let gate = Shape::cuboid(point([length, -2.0, -1.0]), point([length + 2.0, top + 2.0, depth + 1.0]));
    scene.boundary.push(BoundarySettings { friction: Some(0.0), ..BoundarySettings::new("gate", gate) });
    let fill = Shape::cuboid(point([0.0, 0.6, 0.0]), point([length, top, depth]));
    scene.grains.push(random_grains(fill));
    scene
}

/// Lets a column of an aspect ratio collapse.
fn collapse(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    size: &Size,
    aspect: f64,
) -> Result<Deposit, SimulationError> {
    let mut simulation = Run::new(scene(options, size, aspect), options)?;
    measurement.describe(&simulation);
    let fall = (2.0 * aspect * size.length).sqrt();
    settle(&mut simulation, Rest { energy: 1e-2, within: [2.0 * fall, 8.0 * fall + 20.0] }, &mut |_| {})?;
    // Spheres of the floor have their centres in it.
    let profile = |simulation: &mut Run| {
        simulation.observe("profile", |simulation| {
            Ok(PlanarProfile::of(&Bed::of_grains(simulation)?, size.depth, FRACTION, 0.25))
        })
    };
    let before = profile(&mut simulation)?;
    let inside = before.surface.iter().filter(|bin| bin[0] < size.length);
    let area: f64 = inside.map(|bin| bin[1]).sum();
    take_away(&mut simulation, "gate", Vec3::NEG_Y);
    settle(&mut simulation, Rest { energy: 1e-4, within: [3.0 * fall, 20.0 * fall + 40.0] }, &mut |_| {})?;
    let after = profile(&mut simulation)?;
    Ok(Deposit {
        aspect: area / (size.length * size.length),
        runout: (after.front() - size.length) / size.length,
        height: after.height() / size.length,
    })
}
