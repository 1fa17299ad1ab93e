//! Longmore's experiments 1 and 3 to 6 \[Lon09\]: how forces are distributed in a bed at rest.
//!
//! Forces are taken over the mean of their depth, away from walls, base and surface. Their distribution falls exponentially
//! beyond the mean, P(f) = a (1 - b exp(-f^2)) exp(-beta f) with beta = 1.35 \[SGL02\].

use glam::DVec3;

use crate::boundary::Shape;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::{BoundarySettings, Periodic, RegionSettings, Scene};
use crate::simulation::{Simulation, SimulationError};

use super::bed::{Bed, Rest, settle};
use super::distributions::{
    bootstrap, distance, histogram, normalized, share_of_larger_half, tail_rate, tail_straightness,
};
use super::sand::{D, Spheres, controlled, meters, point, random_grains};
use super::silo::FILL;

/// Distance from walls, base and surface from which on contacts count \[d\].
const MARGIN: f64 = 3.0;
/// Where the tail begins and ends.
const TAIL: [f64; 2] = [2.0, 5.0];
/// Share of grains above what counts as the surface.
const LOOSE: f64 = 0.03;
/// Depth of a layer whose mean force is that of its forces \[d\].
const LAYER: f64 = 2.5;

/// What holds the bed.
#[derive(Clone, Copy)]
enum Container {
    /// Periodic across, with this side \[d\].
    Periodic(f64),
    /// A cylinder of this radius \[d\].
    Cylinder(f64),
}

/// How a form of the experiment is run.
struct Form {
    container: Container,
    /// Depth of the bed, about \[d\].
    depth: f64,
    /// When the bed is at rest.
    rest: Rest,
    /// Allowed ranges of beta, and least straightness of the tail.
    beta: [f64; 2],
    straight: f64,
    /// Errors by which the tail of tangential forces must be the slower one.
    errors: f64,
    /// Largest distance of distributions of angles.
    angles: f64,
    /// Largest correlation of forces beyond 3 d.
    correlation: f64,
}

/// Two thousand contacts: a tail of 2 < f < 5 has 300 of them, whose rate is known to 10 %.
const QUICK: Form = Form {
    container: Container::Periodic(9.0),
    depth: 15.0,
    rest: Rest { energy: 1e-6, within: [20.0, 80.0] },
    beta: [1.0, 1.9],
    straight: 0.9,
    errors: 0.0,
    angles: 0.08,
    correlation: 0.1,
};

const FULL: Form = Form {
    container: Container::Cylinder(12.0),
    depth: 32.0,
    rest: Rest { energy: 1e-8, within: [20.0, 200.0] },
    beta: [1.1, 1.7],
    straight: 0.98,
    errors: 1.0,
    angles: 0.05,
    correlation: 0.05,
};

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let form = if options.quick { &QUICK } else { &FULL };
    let mut rough = pour(options, measurement, form, 0.5)?;
    let energy = settle(&mut rough, form.rest, &mut |share| progress(0.5 * share, "rough bed settles"))?;
    let forces = Forces::of(&mut rough, form)?;
    report(&forces, form, energy, measurement);
    let mut smooth = pour(options, measurement, form, 0.0)?;
    let energy =
        settle(&mut smooth, form.rest, &mut |share| progress(0.5 + 0.5 * share, "smooth bed settles"))?;
    let smooth = Forces::of(&mut smooth, form)?;
    report_angles(&forces, &smooth, form, energy, measurement);
    measurement.plots.extend(plots(&forces));
    Ok(())
}

/// Spheres that fall into the container.
fn pour(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    form: &Form,
    friction: f64,
) -> Result<Simulation, SimulationError> {
    let spheres = Spheres { friction: controlled(options, friction), ..Spheres::default() };
    let mut scene = spheres.scene("forces");
    let height = form.depth * 0.6 / FILL;
    let (half, shape) = match form.container {
        Container::Periodic(side) => (
            0.5 * side,
            Shape::cuboid(point([-0.5 * side, 0.6, -0.5 * side]), point([0.5 * side, height, 0.5 * side])),
        ),
        Container::Cylinder(radius) => {
            let (from, to) = (point([0.0, 0.6, 0.0]), point([0.0, height, 0.0]));
            (radius, Shape::Cylinder { from, to, radius: meters(radius), hollow: false })
        }
    };
    enclose(&mut scene, form, half, height);
    scene.grains.push(random_grains(shape));
    let simulation = Simulation::new(scene, &options.simulation)?;
    measurement.describe(&simulation);
    Ok(simulation)
}

/// A rough base and walls.
fn enclose(scene: &mut Scene, form: &Form, half: f64, height: f64) {
    match form.container {
        Container::Periodic(_) => {
            let across = Some([meters(-half), meters(half)]);
            scene.simulation.periodic = Periodic { x: across, y: None, z: across };
        }
        Container::Cylinder(radius) => {
            scene.boundary.push(BoundarySettings::new(
                "wall",
                Shape::Funnel {
                    from: point([0.0, -1.0, 0.0]),
                    to: point([0.0, height + 6.0, 0.0]),
                    from_radius: meters(radius),
                    to_radius: meters(radius),
                    thickness: meters(1.0),
                },
            ));
        }
    }
    let reach = half - 0.05;
    scene.boundary.push(BoundarySettings {
        rough: Some(meters(1.0)),
        rough_region: Some(RegionSettings {
            min: point([-reach, -0.5, -reach]),
            max: point([reach, 0.5, reach]),
        }),
        ..BoundarySettings::new("base", Shape::floor(0.0))
    });
}

/// Forces in the middle of a bed, over the means of their depths.
struct Forces {
    /// Where they act \[d\].
    place: Vec<DVec3>,
    normal: Vec<f64>,
    /// Over the mean tangential force.
    tangential: Vec<f64>,
    /// Angle of the normal to the vertical \[degrees\], 0 to 90.
    angle: Vec<f64>,
    /// Side of the periodic cell \[d\].
    period: Option<f64>,
}

impl Forces {
    fn of(simulation: &mut Simulation, form: &Form) -> Result<Self, SimulationError> {
        let bed = Bed::of(simulation)?;
        let (low, high) = (MARGIN, bed.height(LOOSE) / D - MARGIN);
        let within = |x: DVec3| match form.container {
            Container::Periodic(_) => true,
            Container::Cylinder(radius) => x.x.hypot(x.z) < radius - MARGIN,
        };
        let layers = ((high - low) / LAYER).floor().max(1.0);
        let mut by_layer = vec![Vec::new(); layers as usize];
        for contact in bed.contacts.iter().filter(|contact| contact.partner.as_particle().is_some()) {
            let x = contact.point.as_dvec3() / D;
            if contact.normal_force > 0.0 && within(x) && x.y > low && x.y < high {
                let layer = ((x.y - low) / (high - low) * layers) as usize;
                by_layer[layer].push((x, contact));
            }
        }
        let mut forces = Self {
            place: Vec::new(),
            normal: Vec::new(),
            tangential: Vec::new(),
            angle: Vec::new(),
            period: match form.container {
                Container::Periodic(side) => Some(side),
                Container::Cylinder(_) => None,
            },
        };
        for layer in by_layer {
            let normal: Vec<f64> = layer.iter().map(|(_, c)| f64::from(c.normal_force)).collect();
            let tangential: Vec<f64> =
                layer.iter().map(|(_, c)| f64::from(c.tangential_force.length())).collect();
            forces.normal.extend(normalized(&normal));
            forces.tangential.extend(normalized(&tangential));
            forces.place.extend(layer.iter().map(|(x, _)| *x));
            forces
                .angle
                .extend(layer.iter().map(|(_, c)| f64::from(c.normal.y.abs().min(1.0)).acos().to_degrees()));
        }
        Ok(forces)
    }

    /// Mean product of forces by distance, over the square of their mean (r \[d\], F).
    ///
    /// ```text
    /// F(r) = <f_i f_j>/<f>^2      over pairs of contacts r apart
    /// ```
    fn correlation(&self) -> Vec<[f64; 2]> {
        const WIDTH: f64 = 0.5;
        let reach = self.period.map_or(8.0, |side| 0.5 * side);
        let mut sums = vec![[0.0; 3]; (reach / WIDTH) as usize];
        for (i, a) in self.place.iter().enumerate() {
            for (j, b) in self.place.iter().enumerate().skip(i + 1) {
                let mut apart = *b - *a;
                if let Some(side) = self.period {
                    apart.x -= side * (apart.x / side).round();
                    apart.z -= side * (apart.z / side).round();
                }
                if let Some(sum) = sums.get_mut((apart.length() / WIDTH) as usize) {
                    let [f, g] = [self.normal[i], self.normal[j]];
                    *sum = [sum[0] + f * g, sum[1] + 0.5 * (f + g), sum[2] + 1.0];
                }
            }
        }
        // Over the mean of the same pairs: what is near the edge of a bed is in fewer of them.
        let bins = sums.iter().enumerate().filter(|(_, sum)| sum[2] > 0.0);
        bins.map(|(k, [product, force, count])| {
            [(k as f64 + 0.5) * WIDTH, product / count / (force / count).powi(2)]
        })
        .collect()
    }
}

fn report(forces: &Forces, form: &Form, energy: f64, measurement: &mut Measurement) {
    let count = forces.normal.len() as f64;
    let mut push = |point: Point| measurement.points.push(point.with("contacts", count));
    push(Point::new("energy per grain at rest [m g d]", energy, [0.0, form.rest.energy], "at rest"));
    let beta = tail_rate(&forces.normal, TAIL);
    let point = Point::new("1: rate of the tail of normal forces", beta, form.beta, "1.35 [SGL02]");
    push(point.against(1.35));
    let straight = tail_straightness(&forces.normal, TAIL, 0.5);
    push(Point::new("1: R2 of its logarithm", straight, [form.straight, 1.0], "an exponential tail"));
    let strong = forces.normal.iter().filter(|f| **f > 1.0).count() as f64 / count;
    push(
        Point::new("1: share of forces above the mean", strong, [0.38, 0.44], "0.41 from [SGL02]")
            .against(0.41),
    );
    let [slower, margin] = slower_tail(forces);
    let source = "tangential forces have the longer tail [Lon09], by more than its error (bootstrap, 95 %)";
    let point = Point::new(
        "3: rate of the normal tail less the tangential",
        slower - form.errors * margin,
        [0.0, 2.0],
        source,
    );
    push(point.with("difference", slower).with("error", margin));
    let far = forces.correlation().into_iter().filter(|[r, _]| *r > 3.0).map(|[_, f]| (f - 1.0).abs());
    let far = far.fold(0.0, f64::max);
    let source = "forces farther apart than 3 d know nothing of each other";
    push(Point::new("4: largest correlation beyond 3 d", far, [0.0, form.correlation], source).against(0.0));
    let share = share_of_larger_half(&forces.normal);
    push(
        Point::new("6: force in the stronger half of contacts", share, [0.78, 0.84], "0.80 to 0.81 [Lon09]")
            .against(0.81),
    );
}

/// By how much the tail of tangential forces falls slower than that of normal ones, and the error of that.
fn slower_tail(forces: &Forces) -> [f64; 2] {
    let rate = |f: &[f64]| tail_rate(f, TAIL);
    let (normal, tangential) = (rate(&forces.normal), rate(&forces.tangential));
    if !(normal - tangential).is_finite() {
        return [f64::NAN; 2];
    }
    let least = bootstrap(&forces.normal, 0.025, 1, rate)[0];
    let most = bootstrap(&forces.tangential, 0.025, 2, rate)[1];
    [normal - tangential, (normal - least).hypot(most - tangential)]
}

fn report_angles(rough: &Forces, smooth: &Forces, form: &Form, energy: f64, measurement: &mut Measurement) {
    let apart = distance(&rough.angle, &smooth.angle);
    let source = "friction hardly turns contacts [Lon09]";
    let point =
        Point::new("5: distance of contact angles, friction 0 and 0.5", apart, [0.0, form.angles], source);
    measurement.points.push(point.with("energy of the smooth bed [m g d]", energy).against(0.0));
}

fn plots(forces: &Forces) -> Vec<Plot> {
    let dots = |name: &str, points: Vec<[f64; 2]>| Series { name: name.into(), points, line: false };
    let line = |name: &str, points: Vec<[f64; 2]>| Series { name: name.into(), points, line: true };
    let plot = |name: &str, title: &str, x: &str, y: &str, series| Plot {
        name: name.into(),
        title: title.into(),
        x_label: x.into(),
        y_label: y.into(),
        logarithmic: false,
        series,
    };
    let axis = || (1..=60).map(|k| 0.1 * k as f64);
    // Silbert's constants, renormalised to an integral of 1.
    let silbert = |f: f64| 2.55 / 1.10 * (1.0 - 0.65 * (-f * f).exp()) * (-1.35 * f).exp();
    let logarithms = |values: Vec<[f64; 2]>| values.into_iter().map(|[f, p]| [f, p.log10()]).collect();
    let sorted = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        sorted
    };
    let network = |forces: &Forces| {
        let (sorted, n) = (sorted(&forces.normal), forces.normal.len() as f64);
        let mut sum = 0.0;
        let carried = sorted.iter().enumerate().map(|(k, f)| {
            sum += f;
            [(k as f64 + 1.0) / n, sum / n]
        });
        carried.collect::<Vec<_>>()
    };
    let reference = line("Silbert 2002", logarithms(axis().map(|f| [f, silbert(f)]).collect()));
    let distribution = |forces: &[f64]| logarithms(histogram(forces, 0.25, 6.0));
    vec![
        plot(
            "forces",
            "Forces in a bed",
            "force / mean",
            "log10 of density",
            vec![
                reference,
                dots("normal", distribution(&forces.normal)),
                dots("tangential", distribution(&forces.tangential)),
            ],
        ),
        plot(
            "forces-correlation",
            "Correlation of forces",
            "distance [d]",
            "F(r)",
            vec![dots("granule", forces.correlation())],
        ),
        plot(
            "forces-network",
            "Force carried by the strongest contacts",
            "share of contacts",
            "share of force",
            vec![line("granule", network(forces))],
        ),
        plot(
            "forces-angles",
            "Angles of contacts to the vertical",
            "angle [degrees]",
            "density",
            vec![
                dots("all", histogram(&forces.angle, 5.0, 90.0)),
                dots("above twice the mean force", histogram(&strong_angles(forces), 5.0, 90.0)),
            ],
        ),
    ]
}

/// Angles of contacts with more than twice the mean force.
fn strong_angles(forces: &Forces) -> Vec<f64> {
    forces.angle.iter().zip(&forces.normal).filter(|(_, f)| **f > 2.0).map(|(angle, _)| *angle).collect()
}
