//! Triaxial compression: a periodic cell of spheres is shortened along one axis while the stress along both others is held.
//!
//! What sand does then is the critical state \[SW68\]: a dense sample bears most while it dilates, a loose one contracts, and both
//! end with the same friction and the same fraction. Samples are packed by pressure alone: dense ones without friction, which is
//! random close packing, loose ones with more than they are tested with.
//!
//! ```text
//! sin phi = (s1 - s3)/(s1 + s3)        friction that is mobilised, s1 along the axis
//! D = de_v/de_1                        dilation, volume over shortening, of logarithmic strains
//! s1/s3 = K (1 + D)                    stress and dilation of Rowe 1962, with K that of the critical state, where D = 0
//! ```
//! Stress is what contacts carry (Love-Weber), volume that of the cell: there are no walls.

use crate::boundary::Shape;
use crate::measure::drive::next_frame;
use crate::measure::run::Run;
use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::{AxisStrain, Periodic, StrainSettings};
use crate::simulation::SimulationError;
use crate::simulator::Command;

use super::bed::{Bed, Rest, settle};
use super::element::{PRESSURE, mean_within, pascal, rate_of, windows};
use super::sand::{SAND, Spheres, controlled, meters, point, random_grains, time_scale};

/// Part of the cell that a random fill of spheres takes.
const FILL: f64 = 0.36;
/// Height of the cell at the start over its width, so that it does not become flat.
const SLENDER: f64 = 1.3;
/// Friction by which loose samples are packed.
const LOOSE_FRICTION: f64 = 3.0;
/// Friction of all samples while they are tested.
const FRICTION: f64 = 0.5;
/// Fastest rate of the cell while samples are packed [1/s sqrt(d/g)].
const PACKING: f64 = 0.02;
/// Fastest rate by which lateral stresses are held, over that of the test.
const HOLDING: f64 = 25.0;
/// Energy per grain at which a sample is at rest [m g d].
const REST: f64 = 1e-4;
/// Frames per sqrt(d/g).
const FRAMES: f64 = 4.0;
/// Strain over which numbers are averaged where a curve is looked at.
const WINDOW: f64 = 0.01;

/// How a form of the test is run.
struct Form {
    /// Spheres of a sample.
    count: f64,
    /// Inertial number of the shortening.
    inertial: f64,
    /// Logarithmic strain at the end.
    strain: f64,
    /// Strains between which a sample counts as being in its critical state.
    critical: [f64; 2],
}

const QUICK: Form = Form { count: 900.0, inertial: 2e-3, strain: 0.4, critical: [0.28, 0.4] };
const FULL: Form = Form { count: 4000.0, inertial: 1e-3, strain: 0.5, critical: [0.35, 0.5] };

/// How a sample is packed and tested.
struct Sample {
    name: &'static str,
    /// Friction while it is packed, and while it is tested.
    friction: [f64; 2],
    seed: u64,
}

/// What a sample did, at every frame.
struct Curve {
    /// Strain along the axis, and what belongs to it.
    rows: Vec<Row>,
}

#[derive(Clone, Copy)]
struct Row {
    /// Shortening, logarithmic.
    strain: f64,
    /// Growth of the volume, logarithmic.
    dilation: f64,
    /// Solid fraction.
    fraction: f64,
    /// Stress along the axis and mean of the lateral ones \[P\].
    stress: [f64; 2],
}

impl Row {
    fn sine(&self) -> f64 {
        let [axial, lateral] = self.stress;
        (axial - lateral) / (axial + lateral)
    }
}

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let form = if options.quick { &QUICK } else { &FULL };
    let rough = controlled(options, FRICTION);
    let samples = [
        Sample { name: "dense", friction: [0.0, rough], seed: 1 },
        Sample { name: "loose", friction: [controlled(options, LOOSE_FRICTION), rough], seed: 2 },
        Sample { name: "frictionless", friction: [0.0, 0.0], seed: 1 },
    ];
    let mut curves = Vec::new();
    for (k, sample) in samples.iter().enumerate() {
        let share = |part: f64| (k as f64 + part) / samples.len() as f64;
        let words = format!("{} sample", sample.name);
        let mut tell = |part: f64| progress(share(part), &words);
        let mut element = pack(options, measurement, form, sample, &mut tell)?;
        curves.push(compress(&mut element, form, &mut tell)?);
    }
    let [dense, loose, smooth] = [&curves[0], &curves[1], &curves[2]];
    report(form, dense, loose, smooth, measurement);
    measurement.plots.extend(plots(&samples, &curves));
    Ok(())
}

/// A cell of spheres and what they fill of it.
struct Element {
    simulation: Run,
    /// Volume of the spheres \[m3\].
    solid: f64,
}

impl Element {
    fn set(&mut self, path: &str, value: f64) -> Result<(), SimulationError> {
        let command = Command::Set { path: path.into(), value };
        self.simulation.apply(&command).map_err(|error| SimulationError::Failed(error.to_string()))?;
        Ok(())
    }

    /// The cell: its axes \[m\], and stresses along them \[P\].
    fn cell(&mut self) -> Result<([f64; 3], [f64; 3]), SimulationError> {
        self.simulation.observe("cell", |simulation| {
            let Some(cell) = simulation.simulator().cell() else { return Ok(([f64::NAN; 3], [f64::NAN; 3])) };
            Ok(((cell.to - cell.from).to_array(), (cell.stress / pascal(PRESSURE)).to_array()))
        })
    }
}

/// Packs a sample by pressure from a loose fill, and gives it the friction of the test.
fn pack(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    form: &Form,
    sample: &Sample,
    progress: &mut dyn FnMut(f64),
) -> Result<Element, SimulationError> {
    let spheres = Spheres { friction: sample.friction[0], ..Spheres::default() };
    let mut scene = spheres.scene("triaxial");
    let width = (form.count * std::f64::consts::PI / 6.0 / FILL / SLENDER).cbrt();
    let size = [width, SLENDER * width, width];
    let [x, y, z] = size.map(|length| Some([0.0, meters(length)]));
    scene.simulation.periodic = Periodic { x, y, z };
    scene.simulation.gravity = [0.0; 3];
    scene.simulation.seed = sample.seed;
    scene.simulation.fps = FRAMES / time_scale();
    let axis = || {
        let max_rate = PACKING / time_scale();
        Some(AxisStrain { rate: None, pressure: Some(pascal(PRESSURE)), max_rate })
    };
    scene.simulation.strain = Some(StrainSettings { x: axis(), y: axis(), z: axis(), start: 0.0 });
    scene.grains.push(random_grains(Shape::cuboid([0.0; 3], point(size))));
    let simulation = Run::new(scene, options)?;
    measurement.describe(&simulation);
    let mut element = Element { simulation, solid: 0.0 };
    let sphere = |radius: &f64| 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    element.solid = Bed::of(&mut element.simulation)?.radius.iter().map(sphere).sum();
    let rest = Rest { energy: REST, within: [15.0, 60.0] };
    settle(&mut element.simulation, rest, &mut |share| progress(0.25 * share))?;
    element.set(&format!("material.{SAND}.dem.friction"), sample.friction[1])?;
    let rest = Rest { energy: REST, within: [3.0, 20.0] };
    settle(&mut element.simulation, rest, &mut |share| progress(0.25 + 0.05 * share))?;
    Ok(element)
}

/// Shortens a sample along y and holds the stress along x and z.
fn compress(
    element: &mut Element,
    form: &Form,
    progress: &mut dyn FnMut(f64),
) -> Result<Curve, SimulationError> {
    let rate = rate_of(form.inertial);
    element.set("simulation.strain.y.rate", -rate)?;
    element.set("simulation.strain.y.max_rate", 0.0)?;
    for axis in ["x", "z"] {
        element.set(&format!("simulation.strain.{axis}.rate"), 0.5 * rate)?;
        element.set(&format!("simulation.strain.{axis}.max_rate"), HOLDING * rate)?;
    }
    let (first, _) = element.cell()?;
    let volume = |size: [f64; 3]| size.iter().product::<f64>();
    let mut rows = Vec::new();
    loop {
        let (size, [x, axial, z]) = element.cell()?;
        let row = Row {
            strain: (first[1] / size[1]).ln(),
            dilation: (volume(size) / volume(first)).ln(),
            fraction: element.solid / volume(size),
            stress: [axial, 0.5 * (x + z)],
        };
        rows.push(row);
        progress(0.3 + 0.7 * row.strain / form.strain);
        if row.strain.is_nan() || row.strain >= form.strain {
            return Ok(Curve { rows });
        }
        next_frame(&mut element.simulation)?;
    }
}

impl Curve {
    /// A value over strain.
    fn of(&self, value: impl Fn(&Row) -> f64) -> Vec<[f64; 2]> {
        self.rows.iter().map(|row| [row.strain, value(row)]).collect()
    }

    /// The same as means over windows.
    fn smooth(&self, value: impl Fn(&Row) -> f64) -> Vec<[f64; 2]> {
        windows(&self.of(value), WINDOW)
    }

    /// Friction angle of mean stresses in the critical state \[degrees\].
    fn critical_angle(&self, form: &Form) -> f64 {
        angle(mean_within(&self.of(Row::sine), form.critical))
    }

    /// Where the mobilised friction is largest: strain and friction angle \[degrees\].
    fn peak(&self) -> [f64; 2] {
        let sines = self.smooth(Row::sine);
        let largest = sines.iter().copied().max_by(|a, b| a[1].total_cmp(&b[1]));
        largest.map_or([f64::NAN; 2], |[strain, sine]| [strain, angle(sine)])
    }

    /// Slope of the dilation over three windows around a strain.
    fn rate_of_dilation(&self, strain: f64) -> f64 {
        let near = self.of(|row| row.dilation);
        let near: Vec<[f64; 2]> =
            near.into_iter().filter(|row| (row[0] - strain).abs() <= 1.5 * WINDOW).collect();
        crate::statistics::linear_fit(&near).0
    }

    fn end(&self, value: impl Fn(&Row) -> f64, form: &Form) -> f64 {
        mean_within(&self.of(value), form.critical)
    }
}

/// Friction angle of the critical state in triaxial compression, published \[degrees\].
fn critical_angle() -> f64 {
    angle(CRITICAL_SINE) / PLANE_STRAIN
}

fn angle(sine: f64) -> f64 {
    sine.asin().to_degrees()
}

/// Published numbers. Friction and fraction of spheres of friction 0.5 in slow shear are those of Chialvo, Sun and Sundaresan
/// 2012; in the critical state, where nothing dilates, their ratio of stresses is the sine of the friction angle.
const CRITICAL_SINE: f64 = 0.382;
const CRITICAL_FRACTION: f64 = 0.587;
/// Friction angle of plane strain over that of triaxial compression, of many sands: Kulhawy and Mayne 1990.
const PLANE_STRAIN: f64 = 1.12;
/// Friction angle of frictionless spheres \[degrees\], Peyneau and Roux 2008.
const SMOOTH_ANGLE: f64 = 5.76;

fn report(form: &Form, dense: &Curve, loose: &Curve, smooth: &Curve, measurement: &mut Measurement) {
    let mut push = |point: Point| measurement.points.push(point);
    let named = [("dense", dense), ("loose", loose), ("frictionless", smooth)];
    for (name, curve) in named {
        let held = mean_within(&curve.of(|row| row.stress[1]), [0.0, form.strain]);
        let source = "the pressure that is held";
        push(
            Point::new(format!("{name}: lateral stress / pressure"), held, [0.97, 1.03], source).against(1.0),
        );
    }
    for (name, curve) in &named[..2] {
        let source = "slow simple shear of spheres of friction 0.5: 0.382 = sin 22.5 (Chialvo et al. 2012); 1.12 times less in \
                      triaxial compression (Kulhawy and Mayne 1990)";
        let quantity = format!("{name}: friction angle of the critical state [degrees]");
        let range = [critical_angle() - 3.0, critical_angle() + 3.0];
        push(Point::new(quantity, curve.critical_angle(form), range, source).against(critical_angle()));
        let source = "0.587 in slow shear (Chialvo et al. 2012)";
        let fraction = curve.end(|row| row.fraction, form);
        let range = [CRITICAL_FRACTION - 0.02, CRITICAL_FRACTION + 0.02];
        push(
            Point::new(format!("{name}: fraction of the critical state"), fraction, range, source)
                .against(CRITICAL_FRACTION),
        );
    }
    let source = "dense and loose end in one critical state (Schofield and Wroth 1968, Thornton 2000)";
    let apart = dense.critical_angle(form) - loose.critical_angle(form);
    push(
        Point::new(
            "friction angle of the critical state, dense less loose [degrees]",
            apart,
            [-2.0, 2.0],
            source,
        )
        .against(0.0),
    );
    let apart = dense.end(|row| row.fraction, form) - loose.end(|row| row.fraction, form);
    push(
        Point::new("fraction of the critical state, dense less loose", apart, [-0.015, 0.015], source)
            .against(0.0),
    );

    let [at, peak] = dense.peak();
    let source =
        "Bolton 1986: 12 degrees above the critical state for the densest sand in triaxial compression";
    let above = peak - dense.critical_angle(form);
    let quantity = "dense: peak friction angle above the critical state [degrees]";
    push(Point::new(quantity, above, [8.0, 15.0], source).against(12.0).with("strain", at));
    let source =
        "dense sand dilates: from random close packing to the critical state, ln(0.639/0.587) = 0.085";
    let dilation = dense.end(|row| row.dilation, form);
    push(
        Point::new("dense: dilation", dilation, [0.04, 0.12], source)
            .against((0.639_f64 / CRITICAL_FRACTION).ln()),
    );
    let source = "loose sand contracts";
    let dilation = loose.end(|row| row.dilation, form);
    push(Point::new("loose: dilation", dilation, [-0.15, -0.003], source));
    let source =
        "Rowe 1962: stress over 1 + dilation is that of the critical state; 15 % for what grains turn";
    let ratio = |sine: f64| (1.0 + sine) / (1.0 - sine);
    let rowe = ratio(peak.to_radians().sin()) / (1.0 + dense.rate_of_dilation(at));
    let critical = ratio(dense.critical_angle(form).to_radians().sin());
    push(
        Point::new(
            "dense: s1/s3 over 1 + D at the peak, over that of the critical state",
            rowe / critical,
            [0.85, 1.15],
            source,
        )
        .against(1.0),
    );

    let source = "5.76 degrees in slow simple shear (Peyneau and Roux 2008), more at finite speed";
    let angle_of = smooth.critical_angle(form);
    push(
        Point::new("frictionless: friction angle [degrees]", angle_of, [4.0, 9.0], source)
            .against(SMOOTH_ANGLE),
    );
    let source = "frictionless spheres do not dilate (Peyneau and Roux 2008)";
    let dilation = smooth.end(|row| row.dilation, form);
    push(Point::new("frictionless: dilation", dilation, [-0.01, 0.01], source).against(0.0));
}

fn plots(samples: &[Sample], curves: &[Curve]) -> [Plot; 3] {
    let plot =
        |name: &str, title: &str, y_label: &str, value: &dyn Fn(&Row) -> f64, lines: &[(&str, f64)]| {
            let of = |(sample, curve): (&Sample, &Curve)| Series {
                name: sample.name.into(),
                points: curve.smooth(value),
                line: true,
            };
            let end =
                curves.iter().filter_map(|curve| curve.rows.last()).map(|row| row.strain).fold(0.0, f64::max);
            let level = |(name, at): &(&str, f64)| Series {
                name: (*name).into(),
                points: vec![[0.0, *at], [end, *at]],
                line: true,
            };
            Plot {
                name: name.into(),
                title: title.into(),
                x_label: "strain along the axis".into(),
                y_label: y_label.into(),
                logarithmic: false,
                series: samples.iter().zip(curves).map(of).chain(lines.iter().map(level)).collect(),
            }
        };
    let critical = ("critical state (Chialvo et al. 2012)", critical_angle());
    let smooth = ("frictionless (Peyneau and Roux 2008)", SMOOTH_ANGLE);
    [
        plot(
            "triaxial-friction",
            "Friction mobilised in triaxial compression",
            "friction angle [degrees]",
            &|row| angle(row.sine()),
            &[critical, smooth],
        ),
        plot(
            "triaxial-dilation",
            "Dilation in triaxial compression",
            "growth of the volume",
            &|row| row.dilation,
            &[],
        ),
        plot(
            "triaxial-fraction",
            "Fraction in triaxial compression",
            "fraction",
            &|row| row.fraction,
            &[("critical state (Chialvo et al. 2012)", CRITICAL_FRACTION)],
        ),
    ]
}
