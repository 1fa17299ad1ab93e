//! Collapse of axisymmetric columns against Lube et al. 2004.
//!
//! ```text
//! runout (r - r0)/r0 = 1.24 a  (a < 1.7),  1.6 a^(1/2)  (a > 1.7);   height h/r0 = 0.88 a^(1/6)  (a > 1.7)
//! ```
//! Tall columns of glass beads end at h/r0 = 0.74 however tall they are (Lajeunesse et al. 2004), and so may those of spheres.
//!
//! The floor is a smooth plate. The published runout does not depend on the plate's roughness; ours does while the
//! thin front is only a grain or two thick, see docs/validation.md.

use crate::scene::SolverKind;
use crate::simulation::SimulationError;

use super::drive::{next_frame, step};
use super::profile::DepositProfile;
use super::scenes::{
    GRAVITY, SPACING, begin, bulk_volume, cylinder, grains_solver, sand, smooth_floor, speed_scale,
};
use super::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::statistics::power_fit;

/// Friction angle of the columns \[degrees\].
const THETA: f64 = 30.0;

/// Aspect ratio at which the published law changes.
const TALL: f64 = 1.7;

/// Height over r0 that deposits of tall columns of glass beads have \[Lajeunesse et al. 2004\].
const BEADS: f64 = 0.74;

struct Deposit {
    aspect: f64,
    runout: f64,
    height: f64,
}

pub(super) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let theta = options.friction_angle.unwrap_or(THETA);
    let cases = cases(options);
    let mut deposits = Vec::new();
    for (k, &(aspect, radius)) in cases.iter().enumerate() {
        progress(k as f64 / cases.len() as f64, &format!("column of aspect ratio {aspect}"));
        let deposit = collapse(options, measurement, theta, aspect, radius)?;
        let published = published_runout(deposit.aspect);
        let range = [0.6 * published, 1.7 * published];
        let point = Point::new("runout / r0", deposit.runout, range, "Lube et al. 2004, factor 0.6 to 1.7");
        let point = point.with("aspect", aspect).with("r0 [d]", radius).with("height / r0", deposit.height);
        measurement.points.push(point.against(published));
        deposits.push(deposit);
    }
    measurement.points.extend(exponents(&deposits, options));
    measurement.plots.extend(plots(&deposits));
    Ok(())
}

/// Aspect ratios, and radii \[d\]. Fronts one grain thick shorten the runout of low and narrow columns more than that of tall and wide
/// ones. Stiff grains of tall columns take short steps, so with `dem` the tallest are lower; with `pbd`, whose steps are long, all are wider.
fn cases(options: &MeasureOptions) -> &'static [(f64, f64)] {
    if options.large {
        // 390,000 to 1.6 million grains.
        return &[(0.5, 60.0), (1.0, 60.0), (1.5, 60.0), (2.0, 60.0), (4.0, 40.0)];
    }
    match (options.quick, grains_solver(options)) {
        (false, None) => {
            &[(0.5, 15.0), (0.75, 15.0), (1.0, 15.0), (1.5, 15.0), (2.0, 12.0), (4.0, 12.0), (8.0, 12.0)]
        }
        (false, Some(SolverKind::Pbd)) => {
            &[(0.5, 20.0), (1.0, 20.0), (1.5, 20.0), (2.0, 20.0), (4.0, 20.0), (6.0, 16.0)]
        }
        (false, Some(_)) => &[(0.5, 15.0), (1.0, 15.0), (1.5, 15.0), (2.0, 12.0), (4.0, 12.0), (6.0, 9.0)],
        (true, None) => &[(0.5, 10.0), (1.0, 10.0), (1.5, 10.0), (2.0, 9.0), (8.0, 9.0)],
        (true, Some(_)) => &[(0.5, 10.0), (1.0, 10.0), (1.5, 10.0), (2.0, 8.0), (4.0, 7.0)],
    }
}

fn published_runout(aspect: f64) -> f64 {
    if aspect < TALL { 1.24 * aspect } else { 1.6 * aspect.sqrt() }
}

fn exponents(deposits: &[Deposit], options: &MeasureOptions) -> Vec<Point> {
    // Narrow columns have fronts one grain thick, which shortens the runout of the low ones most.
    let tolerance = if options.quick { 0.3 } else { 0.15 };
    let fit = |tall: bool, value: fn(&Deposit) -> f64| {
        let group = deposits.iter().filter(|d| (d.aspect > TALL) == tall);
        power_fit(&group.map(|d| [d.aspect, value(d)]).collect::<Vec<_>>()).0
    };
    let runout = |d: &Deposit| d.runout;
    let point = |name: &str, measured: f64, reference: f64, range: [f64; 2], source: &str| {
        Point::new(name, measured, range, source).against(reference)
    };
    let around = |reference: f64| [reference - tolerance, reference + tolerance];
    let mut points = vec![
        point("runout exponent, a < 1.7", fit(false, runout), 1.0, around(1.0), "Lube et al. 2004"),
        point("runout exponent, a > 1.7", fit(true, runout), 0.5, around(0.5), "Lube et al. 2004"),
    ];
    let height = fit(true, |d| d.height);
    let (name, sixth) = ("height exponent, a > 1.7", 1.0 / 6.0);
    if grains_solver(options).is_none() {
        points.push(point(name, height, sixth, [sixth - 0.1, sixth + 0.1], "Lube et al. 2004"));
        return points;
    }
    let source = "sand: 1/6 (Lube et al. 2004); glass beads: 0 (Lajeunesse et al. 2004); 0.1 beyond";
    points.push(point(name, height, sixth, [-0.1, sixth + 0.1], source));
    let tall: Vec<f64> = deposits.iter().filter(|d| d.aspect > TALL).map(|d| d.height).collect();
    let mean = tall.iter().sum::<f64>() / tall.len() as f64;
    let source = "glass beads: 0.74 (Lajeunesse et al. 2004); sand: 0.99 to 1.19 for a of 2 to 6 \
                  (Lube et al. 2004); a fifth beyond";
    points.push(point("height / r0, a > 1.7, mean", mean, BEADS, [0.8 * BEADS, 1.2 * 1.19], source));
    points
}

fn plots(deposits: &[Deposit]) -> Vec<Plot> {
    let curve = |from: f64, to: f64, f: &dyn Fn(f64) -> f64| -> Vec<[f64; 2]> {
        (0..=20).map(|k| from * (to / from).powf(k as f64 / 20.0)).map(|a| [a, f(a)]).collect()
    };
    let line = |name: &str, points| Series { name: name.into(), points, line: true };
    let dots = |f: fn(&Deposit) -> f64| Series {
        name: "granule".into(),
        points: deposits.iter().map(|d| [d.aspect, f(d)]).collect(),
        line: false,
    };
    let plot = |name: &str, title: &str, y_label: &str, series| Plot {
        name: name.into(),
        title: title.into(),
        x_label: "aspect ratio a".into(),
        y_label: y_label.into(),
        logarithmic: true,
        series,
    };
    let short = line("1.24 a (Lube 2004)", curve(0.4, TALL, &|a| 1.24 * a));
    let tall = line("1.6 a^(1/2) (Lube 2004)", curve(TALL, 10.0, &|a| 1.6 * a.sqrt()));
    let height = line("0.88 a^(1/6) (Lube 2004)", curve(TALL, 10.0, &|a| 0.88 * a.powf(1.0 / 6.0)));
    vec![
        plot("collapse-runout", "Runout of columns", "(r - r0) / r0", vec![short, tall, dots(|d| d.runout)]),
        plot("collapse-height", "Height of deposits", "h / r0", vec![height, dots(|d| d.height)]),
    ]
}

/// Lets a column of the given aspect ratio and radius \[d\] collapse.
fn collapse(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    theta: f64,
    aspect: f64,
    radius: f64,
) -> Result<Deposit, SimulationError> {
    let spacing = SPACING as f64;
    let layers = (aspect * radius).round();
    let mut scene = sand("collapse", theta, options);
    scene.boundary.push(smooth_floor());
    // Half a grain wider, since only whole grains are filled in: the volume is then that of the radius asked for.
    scene.grains.push(cylinder(radius as f32 + 0.5, layers as f32));
    let mut simulation = begin(scene, options)?;
    measurement.describe(&simulation);
    let volume = simulation.particle_count() as f64 * bulk_volume(options);
    let r0 = (volume / (std::f64::consts::PI * layers * spacing)).sqrt();
    let fall = (2.0 * layers * spacing / GRAVITY).sqrt();
    let mut energy = f64::INFINITY;
    // At rest when a grain has lost the energy of a hundredth of the speed scale on average.
    let mass = super::scenes::DENSITY * volume;
    while simulation.time() < 12.0 * fall
        && (simulation.time() < 2.0 * fall || energy > 0.5 * mass * (0.01 * speed_scale()).powi(2))
    {
        // A device is asked less often.
        let report = if options.large { next_frame(&mut simulation)? } else { step(&mut simulation)? };
        energy = report.kinetic_energy;
    }
    let [front, height] = simulation.observe("deposit", |simulation| {
        let snapshot =
            simulation.read(&["position"]).map_err(|error| SimulationError::Failed(error.to_string()))?;
        let profile = DepositProfile::of(snapshot.vec3("position").unwrap_or_default(), (0.0, 0.0), spacing);
        Ok([profile.front, profile.height])
    })?;
    Ok(Deposit { aspect: layers * spacing / r0, runout: (front - r0) / r0, height: height / r0 })
}
