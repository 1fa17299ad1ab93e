//! The numbers of forces beside their references.

use crate::measure::{Measurement, Point};

use super::super::distributions::{
    bootstrap, distance, share_of_larger_half, stretched_exponent, tail_rate, tail_straightness,
};
use super::{FRICTION, Forces, Form};

/// Where the tail begins and ends.
const TAIL: [f64; 2] = [2.0, 5.0];

/// Experiments 1, 3, 4 and 6 for the grains `of` a bed.
pub fn report(forces: &Forces, form: &Form, of: &str, energy: f64, measurement: &mut Measurement) {
    let count = forces.normal.len() as f64;
    let mut push = |mut point: Point| {
        point.quantity = format!("{of}: {}", point.quantity);
        measurement.points.push(point.with("contacts", count));
    };
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
    let source =
        "between exponential (1) and faster than Gaussian: 1.5 and 1.7 elsewhere, 1.51 and 2.45 in [Lon09]";
    push(Point::new(
        "1: exponent a of a tail exp(-c f^a)",
        stretched_exponent(&forces.normal),
        [0.8, 2.5],
        source,
    ));
    let [slower, margin] = slower_tail(forces);
    let source = "tangential forces have the longer tail [Lon09], by more than its error (bootstrap, 95 %)";
    let point = Point::new(
        "3: rate of the normal tail less the tangential",
        slower - form.errors * margin,
        [0.0, 2.0],
        source,
    );
    push(point.with("difference", slower).with("error", margin));
    if let Some(mobilized) = forces.mobilized {
        push(mobilization("3: tangential force / normal force", mobilized, FRICTION));
    }
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

/// The mean tangential force over the mean normal one, of single contacts with a friction.
pub fn mobilization(quantity: impl Into<String>, measured: f64, friction: f64) -> Point {
    let source = "at most the friction (Coulomb), and no less than a tenth of it: with fewer than six contacts, \
                  normal forces alone cannot balance a sphere";
    Point::new(quantity, measured, [0.1 * friction, friction], source).with("friction", friction)
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

/// Experiment 5: angles of contacts in a rough and in a smooth bed.
pub fn report_angles(
    [rough, smooth]: &[&Forces; 2],
    form: &Form,
    of: &str,
    energy: f64,
    measurement: &mut Measurement,
) {
    let apart = distance(&rough.angle, &smooth.angle);
    let source = "friction hardly turns contacts [Lon09]";
    let quantity = format!("{of}: 5: distance of contact angles, friction 0 and 0.5");
    let point = Point::new(quantity, apart, [0.0, form.angles], source);
    measurement.points.push(point.with("energy of the smooth bed [m g d]", energy).against(0.0));
}
