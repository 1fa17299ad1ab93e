//! Longmore's ninth and tenth experiments at his size \[Lon09\]: 64,000 grains of four spheres leave a cone.
//!
//! What he leaves open is read like this. The cone's aperture of 45 degrees is the angle between opposite walls, so a wall stands
//! 22.5 degrees from the vertical. His d is the diameter of a sphere, d_s here; d is that of the sphere with the volume of a grain,
//! 1.52 d_s. The hole of his figure 7.7 has a radius of 8 d_s, so a diameter of 16 d_s, the middle of his series from 8 d_s to
//! 24 d_s. Walls have the friction of his figure 7.14.
//!
//! ```text
//! W = C rho_b sqrt(g) (D - k d)^(5/2)
//! ```
//! His own fit is (D - 4.1 d_s)^2 for grains per time, which the same numbers are held against.

use crate::measure::{MeasureOptions, Measurement, Plot, Point, Progress, Series};
use crate::scene::GrainShape;
use crate::simulation::SimulationError;
use crate::statistics::{linear_fit, power_fit};

use super::sand::{Spheres, controlled};
use super::silo::{Outflow, Silo};

/// Diameters of holes \[d_s\], and the one at which frictions are compared.
const HOLES: [f64; 5] = [8.0, 12.0, 16.0, 20.0, 24.0];
const HOLE: f64 = 16.0;
/// Coefficients of friction, and the one at which holes are compared. Walls have the other.
const FRICTIONS: [f64; 3] = [0.1, 0.3, 0.5];
const FRICTION: f64 = 0.5;
const WALL_FRICTION: f32 = 0.2;
/// Largest width of the cone, and how far above it a loose fill reaches \[d\]: 64,000 grains.
const WIDTH: f64 = 63.0;
const ABOVE: f64 = 13.0;
/// Between a wall and the vertical \[degrees\].
const HALF_APERTURE: f64 = 22.5;
/// Diameter of a grain's spheres \[d\], as \[Lon09\] has lengths.
pub const SPHERE: f64 = 0.657;
/// Young's modulus [m g/d2]: the rate is not its to change.
const YOUNG: f64 = 3e4;
/// Steps over the Rayleigh time and over the duration of a collision, as in scenes of sand.
const STEP_SHARES: (f64, f64) = (0.2, 0.1);
/// Share of grains that leave, and the longest time [sqrt(d/g)]: two thousand grains leave through the smallest hole in that.
const UNTIL: (f64, f64) = (0.25, 120.0);

pub fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let cases: Vec<(f64, f64)> = HOLES.map(|hole| (hole, FRICTION)).into_iter().chain(others()).collect();
    let mut outflows = Vec::new();
    for (k, &(hole, friction)) in cases.iter().enumerate() {
        let words = format!("hole of {hole} spheres, friction {friction}");
        let mut tell = |part: f64| progress((k as f64 + part) / cases.len() as f64, &words);
        let cone = cone(hole, controlled(options, friction));
        outflows.push(cone.discharge(options, measurement, UNTIL, &mut tell)?);
    }
    for ((hole, friction), outflow) in cases.iter().zip(&outflows) {
        report_linearity(*hole, *friction, outflow, measurement);
    }
    report_holes(&outflows[..HOLES.len()], measurement);
    report_frictions(&cases, &outflows, measurement);
    Ok(())
}

/// The frictions that the series of holes does not have.
fn others() -> impl Iterator<Item = (f64, f64)> {
    FRICTIONS.into_iter().filter(|friction| *friction != FRICTION).map(|friction| (HOLE, friction))
}

fn cone(hole: f64, friction: f64) -> Silo {
    let hole = hole * SPHERE;
    let rise = 0.5 * (WIDTH - hole) / HALF_APERTURE.to_radians().tan();
    Silo {
        spheres: Spheres { young: YOUNG, friction, ..Spheres::default() },
        grain: GrainShape::Tetrahedron,
        wall_friction: Some(WALL_FRICTION),
        step_shares: Some(STEP_SHARES),
        hole,
        width: WIDTH,
        rise,
        // A loose fill stands 0.6/0.36 times as high.
        depth: (rise + ABOVE) * 0.6,
        ..Silo::default()
    }
}

/// Rate over the middle of what left [1/sqrt(d/g)], and its R2.
fn rate(outflow: &Outflow) -> (f64, f64) {
    outflow.rate([0.2, 1.0])
}

fn report_linearity(hole: f64, friction: f64, outflow: &Outflow, measurement: &mut Measurement) {
    let (rate, linearity) = rate(outflow);
    let source = "a constant mean rate, Longmore 2009 figure 7.14";
    let point = Point::new("R2 of grains over time", linearity, [0.999, 1.0], source);
    let point = point.with("hole [d_s]", hole).with("friction", friction).with("grains", outflow.count);
    measurement.points.push(point.with("rate [1/sqrt(d/g)]", rate));
}

/// Beverloo's law, and Longmore's.
fn report_holes(outflows: &[Outflow], measurement: &mut Measurement) {
    let scaled: Vec<[f64; 2]> =
        HOLES.into_iter().zip(outflows).map(|(hole, o)| [hole * SPHERE, rate(o).0 * o.bulk]).collect();
    let line: Vec<[f64; 2]> = scaled.iter().map(|[hole, w]| [*hole, w.powf(0.4)]).collect();
    let (slope, intercept, straight) = linear_fit(&line);
    let (factor, margin) = (slope.powf(2.5), -intercept / slope);
    let mut push = |point: Point| measurement.points.push(point);
    push(Point::new("margin k", margin, [1.0, 2.0], "[BLV61]").against(1.4).with("C", factor));
    push(Point::new("R2 of W^(2/5) over D", straight, [0.99, 1.0], "[BLV61]"));
    let above = |k: f64| -> Vec<[f64; 2]> { scaled.iter().map(|[hole, w]| [hole - k, *w]).collect() };
    let source = "[BLV61], with k = 1.4";
    let exponent = power_fit(&above(1.4)).0;
    push(Point::new("exponent of D - 1.4 d", exponent, [2.35, 2.65], source).against(2.5));
    let source = "his fit, (D - 4.107)^2, Longmore 2009 figure 7.15; five points";
    let exponent = power_fit(&above(4.107 * SPHERE)).0;
    push(Point::new("exponent of D - 4.107 d_s", exponent, [1.7, 2.3], source).against(2.0));
    let curve = |name: &str, f: &dyn Fn(f64) -> f64| Series {
        name: name.into(),
        points: (0..=40).map(|k| 5.0 + 0.3 * f64::from(k)).map(|hole| [hole, f(hole)]).collect(),
        line: true,
    };
    measurement.plots.push(Plot {
        name: "cone".into(),
        title: "Discharge of a cone by the diameter of its hole".into(),
        x_label: "diameter [d]".into(),
        y_label: "W / (rho_b sqrt(g) d^2.5)".into(),
        logarithmic: true,
        series: vec![
            curve("fit of Beverloo's law", &|hole| factor * (hole - margin).max(0.0).powf(2.5)),
            Series { name: "granule".into(), points: scaled, line: false },
        ],
    });
}

fn report_frictions(cases: &[(f64, f64)], outflows: &[Outflow], measurement: &mut Measurement) {
    let of = |friction: f64| {
        let case = cases.iter().position(|case| *case == (HOLE, friction));
        case.map_or(f64::NAN, |k| rate(&outflows[k]).0)
    };
    for pair in FRICTIONS.windows(2) {
        let source = "rougher grains run slower [Lon09]";
        let ratio = of(pair[1]) / of(pair[0]);
        let point = Point::new("rate / that of the smoother grains", ratio, [0.5, 0.995], source);
        measurement.points.push(point.with("friction", pair[1]));
    }
    let series = cases.iter().zip(outflows).filter(|(case, _)| case.0 == HOLE).map(|(case, outflow)| {
        Series { name: format!("friction {}", case.1), points: outflow.curve.clone(), line: true }
    });
    measurement.plots.push(Plot {
        name: "cone_friction".into(),
        title: "Grains that have left a cone".into(),
        x_label: "time [sqrt(d/g)]".into(),
        y_label: "grains".into(),
        logarithmic: false,
        series: series.collect(),
    });
}
