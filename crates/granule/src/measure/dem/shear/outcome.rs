//! What shear did, held against what was published, and plots of it.

use crate::measure::{Measurement, Plot, Point, Series};

use super::super::element::{mean_within, windows};
use super::cell::{Row, StageFlow};

/// Published numbers: friction and fraction of slow shear of spheres of friction 0.5 (Chialvo, Sun and Sundaresan 2012); of
/// frictionless ones (Peyneau and Roux 2008); how friction grows with the inertial number (Jop, Forterre and Pouliquen 2006).
const SLOW_FRICTION: f64 = 0.382;
const SLOW_FRACTION: f64 = 0.587;
const SMOOTH_FRICTION: f64 = 0.10;
const GROWTH: f64 = 0.26;
const SCALE: f64 = 0.279;
/// Strain over which numbers are averaged where a curve is looked at.
const WINDOW: f64 = 0.1;

/// What a sample did, stage by stage.
pub struct Flow {
    pub name: &'static str,
    pub stages: Vec<StageFlow>,
}

/// Friction by the inertial number.
fn law(inertial: f64) -> f64 {
    SLOW_FRICTION + GROWTH / (1.0 + SCALE / inertial)
}

impl StageFlow {
    fn of(&self, value: impl Fn(&Row) -> f64) -> Vec<[f64; 2]> {
        self.rows.iter().map(|row| [row.strain, value(row)]).collect()
    }

    /// Mean of a value while the flow is steady.
    fn steady(&self, value: impl Fn(&Row) -> f64) -> f64 {
        let from = self.rows.get(self.steady).map_or(f64::NAN, |row| row.strain);
        mean_within(&self.of(value), [from, f64::INFINITY])
    }

    /// Shear over normal stress of the plates while it is steady.
    fn friction(&self) -> f64 {
        self.steady(|row| row.upper[0] + row.lower[0]) / self.steady(|row| row.upper[1] + row.lower[1])
    }

    /// The same from the contacts of the middle.
    fn friction_inside(&self) -> f64 {
        self.steady(|row| row.middle[0]) / self.steady(|row| row.middle[1])
    }

    fn fraction(&self) -> f64 {
        self.steady(|row| row.fraction)
    }

    fn largest_friction(&self) -> f64 {
        let curve = windows(&self.of(|row| row.upper[0] / row.upper[1]), WINDOW);
        curve.iter().map(|row| row[1]).fold(f64::NAN, f64::max)
    }

    /// Growth of the height until it is steady, logarithmic.
    fn dilation(&self) -> f64 {
        self.steady(|row| row.height.ln())
    }
}

pub fn report(flows: &[Flow], measurement: &mut Measurement) {
    let mut push = |point: Point| measurement.points.push(point);
    for flow in flows {
        for stage in &flow.stages {
            for point in balance(flow.name, stage) {
                push(point.with("I", stage.inertial));
            }
        }
    }
    for flow in flows.iter().filter(|flow| flow.name != "frictionless") {
        let slow = &flow.stages[0];
        let source = "0.587 in slow shear (Chialvo et al. 2012)";
        let range = [SLOW_FRACTION - 0.02, SLOW_FRACTION + 0.02];
        let point =
            Point::new(format!("{}: fraction of slow shear", flow.name), slow.fraction(), range, source);
        push(point.against(SLOW_FRACTION).with("I", slow.inertial));
        for stage in &flow.stages {
            let source = "0.382 in slow shear (Chialvo et al. 2012), and 0.26/(1 + 0.279/I) more (Jop et al. 2006); 0.06 allowed";
            let wanted = law(stage.inertial);
            let quantity = format!("{}: friction at I", flow.name);
            let point = Point::new(quantity, stage.friction(), [wanted - 0.06, wanted + 0.06], source);
            push(point.against(wanted).with("I", stage.inertial));
        }
    }
    let [dense, loose] = [&flows[0].stages[0], &flows[1].stages[0]];
    let source = "dense and loose end in one critical state (Schofield and Wroth 1968)";
    let apart = dense.friction() - loose.friction();
    push(Point::new("friction of slow shear, dense less loose", apart, [-0.03, 0.03], source).against(0.0));
    let apart = dense.fraction() - loose.fraction();
    push(Point::new("fraction of slow shear, dense less loose", apart, [-0.015, 0.015], source).against(0.0));
    let source = "dense sand bears more before it has dilated";
    let peak = dense.largest_friction() / dense.friction();
    push(Point::new("dense: largest friction / that of slow shear", peak, [1.1, 2.5], source));
    let source = "dense sand dilates: from random close packing to the fraction of slow shear, ln(0.639/0.587) = 0.085";
    push(Point::new("dense: growth of the height", dense.dilation(), [0.04, 0.13], source));
    push(Point::new(
        "loose: growth of the height",
        loose.dilation(),
        [-0.15, -0.003],
        "loose sand contracts",
    ));
    let source = "faster flows are looser, about linearly in I (da Cruz et al. 2005)";
    for pair in flows[0].stages.windows(2).filter(|pair| pair[1].inertial > 0.05) {
        let slope = (pair[0].fraction() - pair[1].fraction()) / (pair[1].inertial - pair[0].inertial);
        push(
            Point::new("dense: loss of fraction / growth of I", slope, [0.03, 0.7], source)
                .with("I", pair[1].inertial),
        );
    }
    if let Some(smooth) = flows.iter().find(|flow| flow.name == "frictionless").map(|flow| &flow.stages[0]) {
        let source = "0.10 in the limit of slow shear (Peyneau and Roux 2008), more at finite speed";
        let point = Point::new("frictionless: friction at I", smooth.friction(), [0.07, 0.17], source);
        push(point.against(SMOOTH_FRICTION).with("I", smooth.inertial));
        let source = "frictionless spheres do not dilate (Peyneau and Roux 2008)";
        push(
            Point::new("frictionless: growth of the height", smooth.dilation(), [-0.015, 0.015], source)
                .against(0.0),
        );
    }
}

/// What must hold in any flow: the pressure, the balance of forces, an even shear.
fn balance(name: &str, stage: &StageFlow) -> [Point; 4] {
    let held = stage.steady(|row| row.upper[1]);
    let even = stage.steady(|row| row.lower[0]) / stage.steady(|row| row.upper[0]);
    let inside = stage.friction_inside() / stage.friction();
    let of = |what: &str| format!("{name}: {what}");
    [
        Point::new(
            of("normal stress of the upper plate / pressure"),
            held,
            [0.95, 1.05],
            "the pressure that is held",
        )
        .against(1.0),
        Point::new(of("shear stress of the lower plate / upper"), even, [0.9, 1.1], "balance of forces")
            .against(1.0),
        Point::new(of("friction of the middle / of the plates"), inside, [0.9, 1.1], "balance of forces")
            .against(1.0),
        Point::new(
            of("R2 of the velocity over height"),
            stage.linearity,
            [0.95, 1.0],
            "even stress shears evenly (da Cruz et al. 2005)",
        ),
    ]
}

pub fn plots(flows: &[Flow]) -> Vec<Plot> {
    let plot = |name: &str, title: &str, labels: [&str; 2], series: Vec<Series>| Plot {
        name: name.into(),
        title: title.into(),
        x_label: labels[0].into(),
        y_label: labels[1].into(),
        logarithmic: false,
        series,
    };
    let slow = |value: &dyn Fn(&Row) -> f64| -> Vec<Series> {
        let of = |flow: &Flow| Series {
            name: flow.name.into(),
            points: windows(&flow.stages[0].of(value), WINDOW),
            line: true,
        };
        flows.iter().map(of).collect()
    };
    let laws = (0..=50).map(|k| 10f64.powf(-3.0 + 2.5 * f64::from(k) / 50.0));
    let measured = |name: &str, value: &dyn Fn(&StageFlow) -> f64| Series {
        name: name.into(),
        points: flows[0].stages.iter().map(|stage| [stage.inertial, value(stage)]).collect(),
        line: false,
    };
    let profiles = flows.iter().flat_map(|flow| flow.stages.iter().map(move |stage| (flow.name, stage)));
    let profiles = profiles.map(|(name, stage)| {
        let fastest = stage.profile.last().map_or(1.0, |row| row[1]);
        Series {
            name: format!("{name}, I = {:.3}", stage.inertial),
            points: stage.profile.iter().map(|row| [row[1] / fastest, row[0]]).collect(),
            line: true,
        }
    });
    vec![
        plot(
            "shear-friction",
            "Friction over strain in slow shear",
            ["strain", "shear stress / normal stress"],
            slow(&|row| row.upper[0] / row.upper[1]),
        ),
        plot(
            "shear-fraction",
            "Fraction over strain in slow shear",
            ["strain", "fraction of the middle"],
            slow(&|row| row.fraction),
        ),
        Plot {
            logarithmic: true,
            ..plot(
                "shear-law",
                "Friction over the inertial number",
                ["inertial number I", "shear stress / normal stress"],
                vec![
                    measured("plates", &StageFlow::friction),
                    measured("middle", &StageFlow::friction_inside),
                    Series {
                        name: "Chialvo et al. 2012, Jop et al. 2006".into(),
                        points: laws.map(|inertial| [inertial, law(inertial)]).collect(),
                        line: true,
                    },
                ],
            )
        },
        plot(
            "shear-profile",
            "Velocity between the plates",
            ["velocity / that of the highest layer", "height [d]"],
            profiles.collect(),
        ),
    ]
}
