//! What LAMMPS gives where a published range is not what the law gives: the same law, set-up and estimator, grains of its own.
//!
//! The numbers are those of `bench/peers/lammps_experiments.py`; docs/validation.md has them packing by packing, and says where what is
//! allowed around them comes from. A number that LAMMPS and granule do not share has no place here.

use crate::measure::Measurement;

/// A number of LAMMPS.
struct Given {
    experiment: &'static str,
    /// Of the quick form, or of the full one.
    quick: bool,
    quantity: &'static str,
    /// An input that tells it from others of its name.
    input: Option<(&'static str, f64)>,
    measured: f64,
    /// What is allowed around it.
    deviations: f64,
}

/// A single drum of the full form was turned; three of the quick form scatter by 1.9 degrees, of which half is allowed.
///
/// The exponent is that of the heaps of the quick form, also for the full one; a scatter of heaps by a degree is one of 0.05.
const GIVEN: &[Given] = &[
    Given {
        experiment: "zhou",
        quick: true,
        quantity: "exponent of friction",
        input: None,
        measured: 0.075,
        deviations: 0.05,
    },
    Given {
        experiment: "zhou",
        quick: false,
        quantity: "exponent of friction",
        input: None,
        measured: 0.075,
        deviations: 0.05,
    },
    Given {
        experiment: "tumbler",
        quick: false,
        quantity: "its excess over that at rest [degrees]",
        input: Some(("Froude number", 0.01)),
        measured: 5.6,
        deviations: 1.0,
    },
];

/// Puts the numbers of LAMMPS beside those of an experiment with distinct elements.
pub fn hold_beside(measurement: &mut Measurement, quick: bool) {
    let experiment = measurement.experiment.clone();
    for given in GIVEN.iter().filter(|given| given.experiment == experiment && given.quick == quick) {
        let is_meant = |inputs: &[(String, f64)]| {
            given.input.is_none_or(|(name, value)| {
                inputs.iter().any(|(input, own)| input == name && (own - value).abs() <= 1e-9)
            })
        };
        let points = measurement.points.iter_mut();
        for point in points.filter(|point| point.quantity == given.quantity && is_meant(&point.inputs)) {
            *point = point.clone().beside_lammps(given.measured, given.deviations);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{EXPERIMENTS, Point};

    #[test]
    fn numbers_of_lammps_belong_to_experiments_and_allow_something() {
        for given in GIVEN {
            assert!(EXPERIMENTS.iter().any(|experiment| experiment.name == given.experiment));
            assert!(given.deviations > 0.0 && given.measured.is_finite(), "{}", given.quantity);
        }
    }

    #[test]
    fn only_the_number_that_is_meant_is_held_beside_lammps() {
        let excess = |froude: f64| {
            Point::new("its excess over that at rest [degrees]", 6.1, [0.0, 5.0], "5 degrees")
                .with("Froude number", froude)
        };
        let mut measurement = Measurement {
            experiment: "tumbler".into(),
            points: vec![excess(0.001), excess(0.01)],
            ..Measurement::default()
        };
        hold_beside(&mut measurement, true);
        assert!(measurement.points.iter().all(|point| !point.pass));
        hold_beside(&mut measurement, false);
        assert_eq!([0, 1].map(|k| measurement.points[k].as_peer), [false, true]);
    }
}
