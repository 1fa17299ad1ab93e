//! Discharge through round holes in a flat bottom, by diameter \[BLV61\].
//!
//! ```text
//! W = C rho_b sqrt(g) (D - k d)^(5/2),    C = 0.5 to 0.7, k = 1 to 2
//! ```
//! (W/(rho_b sqrt(g)))^(2/5) is a straight line over D: its slope is C^(2/5), and it meets the axis at k d. A fit to few holes lets C
//! and k make up for each other, so rates are held against those of C = 0.58 and k = 1.4, too: smooth grains leave faster by a
//! third.

use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::simulation::SimulationError;
use crate::statistics::{linear_fit, power_fit};

use super::sand::Spheres;
use super::silo::{Outflow, Silo};

/// How many silos there are, and of what.
struct Form {
    /// Diameters of holes \[d\].
    holes: &'static [f64],
    /// Silos of one hole: as many as this over its diameter, but one at least, since fewer grains leave through small ones.
    silos: f64,
    /// Young's modulus [m g/d2]: softer grains take longer steps, and the rate is not theirs to change.
    young: f64,
}

const QUICK: Form = Form { holes: &[6.0, 8.0, 10.0], silos: 12.0, young: 1e4 };
const FULL: Form = Form { holes: &[8.0, 10.0, 12.0, 16.0, 20.0], silos: 24.0, young: 1e5 };
/// The widest silo has 800,000 grains.
const LARGE: Form = Form { holes: &[16.0, 20.0, 30.0, 40.0], silos: 1.0, young: 3e4 };

/// Width of the silo over the hole's: walls do not matter from 2.5 on.
const WIDTH: f64 = 2.5;

/// Depth of the fill over the hole's diameter: silos are alike, so that what rates owe to their depth they owe alike.
const DEPTH: f64 = 2.2;

/// A rate through a hole, the mean over silos.
struct Rate {
    hole: f64,
    /// W/(rho_b sqrt(g) d^(5/2)).
    scaled: f64,
    linearity: f64,
    /// Rate of the second half over that of the first.
    halves: f64,
}

impl Rate {
    /// Counts an outflow with a weight.
    fn add(&mut self, outflow: &Outflow, weight: f64) {
        let (rate, linearity) = outflow.rate([0.2, 1.0]);
        self.scaled += weight * rate * outflow.bulk;
        self.linearity += weight * linearity;
        self.halves += weight * outflow.rate([0.6, 1.0]).0 / outflow.rate([0.2, 0.6]).0;
    }
}

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let form = match (options.quick, options.large) {
        (true, _) => QUICK,
        (false, true) => LARGE,
        (false, false) => FULL,
    };
    let spheres = Spheres { young: form.young, ..Spheres::default() }.with_control(options);
    let mut rates = Vec::new();
    for (k, &hole) in form.holes.iter().enumerate() {
        let depth = if options.quick { 0.8 * hole + 9.0 } else { DEPTH * hole };
        let seeds = (form.silos / hole).max(1.0) as u64;
        let mut sum = Rate { hole, scaled: 0.0, linearity: 0.0, halves: 0.0 };
        for seed in 1..=seeds {
            let silo = Silo { spheres, hole, width: WIDTH * hole, depth, seed, ..Silo::default() };
            let share =
                |part: f64| (k as f64 + ((seed - 1) as f64 + part) / seeds as f64) / form.holes.len() as f64;
            let words = format!("hole of {hole} d");
            let outflow =
                silo.discharge(options, measurement, (0.3, 40.0), &mut |p| progress(share(p), &words))?;
            sum.add(&outflow, 1.0 / seeds as f64);
        }
        rates.push(sum);
    }
    report(&rates, options.quick, measurement);
    Ok(())
}

/// The published rate through a hole \[d\], W/(rho_b sqrt(g) d^(5/2)).
fn published(hole: f64) -> f64 {
    0.58 * (hole - 1.4).powf(2.5)
}

fn report(rates: &[Rate], quick: bool, measurement: &mut Measurement) {
    let line: Vec<[f64; 2]> = rates.iter().map(|rate| [rate.hole, rate.scaled.powf(0.4)]).collect();
    let (slope, intercept, _) = linear_fit(&line);
    let (factor, margin) = (slope.powf(2.5), -intercept / slope);
    let fitted = |hole: f64| factor * (hole - margin).powf(2.5);
    let exponent = power_fit(&rates.iter().map(|rate| [rate.hole - 1.4, rate.scaled]).collect::<Vec<_>>()).0;
    let mut push = |point: Point| measurement.points.push(point);
    push(Point::new("factor C", factor, [0.5, 0.7], "[BLV61]").against(0.58));
    push(Point::new("margin k", margin, [1.0, 2.0], "[BLV61]").against(1.4));
    let source = "[BLV61], with k = 1.4";
    push(Point::new("exponent of D - 1.4 d", exponent, [2.35, 2.65], source).against(2.5));
    let beverloo = |rate: &Rate| rate.scaled / published(rate.hole);
    let mean = rates.iter().map(beverloo).sum::<f64>() / rates.len() as f64;
    let source = "[BLV61]; C = 0.55 to 0.65 with k = 1.6 to 1.4 give 0.85 to 1.12 [Ned92]";
    push(Point::new("rate / that of C = 0.58, k = 1.4", mean, [0.85, 1.15], source).against(1.0));
    // Shorter runs count fewer grains.
    let (steady, even) = if quick { (0.995, 0.1) } else { (0.999, 0.05) };
    for rate in rates {
        let with = |point: Point| point.with("hole [d]", rate.hole);
        let ratio = Point::new("rate / fit", rate.scaled / fitted(rate.hole), [0.9, 1.1], "10 % per point");
        push(with(ratio.against(1.0)).with("W/(rho_b sqrt(g) d^2.5)", rate.scaled));
        push(with(Point::new("R2 of grains over time", rate.linearity, [steady, 1.0], "a constant rate")));
        let source = "the rate does not depend on the height above [BLV61]";
        push(with(Point::new(
            "rate of the second half / first",
            rate.halves,
            [1.0 - even, 1.0 + even],
            source,
        )));
    }
    let dots = rates.iter().map(|rate| [rate.hole, rate.scaled]).collect();
    let holes = || (0..=40).map(|k| 5.0 + 0.4 * k as f64);
    let curve = |name: &str, f: &dyn Fn(f64) -> f64| Series {
        name: name.into(),
        points: holes().map(|hole| [hole, f(hole)]).collect(),
        line: true,
    };
    measurement.plots.push(Plot {
        name: "orifice".into(),
        title: "Discharge by the diameter of the hole".into(),
        x_label: "diameter [d]".into(),
        y_label: "W / (rho_b sqrt(g) d^2.5)".into(),
        logarithmic: true,
        series: vec![
            curve("0.58 (D - 1.4 d)^2.5 (Beverloo 1961)", &published),
            curve("fit", &fitted),
            Series { name: "granule".into(), points: dots, line: false },
        ],
    });
}
