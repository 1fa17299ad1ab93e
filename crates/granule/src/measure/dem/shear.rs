//! Simple shear: spheres between two ribbed plates, periodic along and across, without gravity. The lower plate stands, the upper
//! one is led along and holds a pressure.
//!
//! Nothing but the plates acts on the grains, so both stresses are the same at every height, and so is what the flow is like:
//! friction, fraction and rate of shear, by the inertial number alone \[dC05\], \[JFP06\].
//!
//! ```text
//! mu = t/P        shear over normal stress        I = g d sqrt(rho/P)        g the slope of the velocity over height
//! mu(I) = mu_s + (mu_2 - mu_s)/(1 + I_0/I)
//! ```
//! Stresses are weighed at both plates and once more from the contacts in between; rate and fraction are those of the middle.

mod cell;
mod outcome;

use crate::measure::{MeasureOptions, Measurement, Progress};
use crate::simulation::SimulationError;

use super::sand::controlled;
use cell::{Cell, Filling};
use outcome::{Flow, plots, report};

/// Friction of the grains.
const FRICTION: f64 = 0.5;
/// Friction by which loose samples are packed.
const LOOSE_FRICTION: f64 = 3.0;

/// A part of a test: an inertial number, and a strain for which it is sheared with it.
#[derive(Clone, Copy)]
pub struct Stage {
    inertial: f64,
    strain: f64,
}

/// How a form of the test is run.
pub struct Form {
    /// Ribs along the cell.
    ribs: usize,
    /// Width of the cell and about its height \[d\].
    width: f64,
    height: f64,
    /// Slow shear, by which samples are compared.
    slow: Stage,
    /// Faster shear of the dense sample afterwards.
    faster: &'static [Stage],
    /// Whether frictionless grains are sheared, too.
    smooth: bool,
}

const QUICK: Form = Form {
    ribs: 5,
    width: 7.0,
    height: 10.0,
    slow: Stage { inertial: 0.02, strain: 5.0 },
    faster: &[Stage { inertial: 0.1, strain: 8.0 }],
    smooth: false,
};

const FULL: Form = Form {
    ribs: 7,
    width: 10.0,
    height: 15.0,
    slow: Stage { inertial: 3e-3, strain: 3.0 },
    faster: &[
        Stage { inertial: 0.01, strain: 2.0 },
        Stage { inertial: 0.03, strain: 3.0 },
        Stage { inertial: 0.1, strain: 8.0 },
    ],
    smooth: true,
};

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let form = if options.quick { &QUICK } else { &FULL };
    let rough = controlled(options, FRICTION);
    let all: Vec<Stage> = std::iter::once(form.slow).chain(form.faster.iter().copied()).collect();
    let slow = &all[..1];
    let dense = Filling { name: "dense", friction: [0.0, rough], seed: 1 };
    let loose = Filling { name: "loose", friction: [controlled(options, LOOSE_FRICTION), rough], seed: 2 };
    let smooth = Filling { name: "frictionless", friction: [0.0, 0.0], seed: 1 };
    let mut tests = vec![(dense, all.as_slice()), (loose, slow)];
    if form.smooth {
        tests.push((smooth, slow));
    }
    let mut flows: Vec<Flow> = Vec::new();
    let count = tests.len() as f64;
    for (k, (filling, stages)) in tests.into_iter().enumerate() {
        let words = format!("{} sample", filling.name);
        let mut tell = |share: f64| progress((k as f64 + share) / count, &words);
        let mut cell = Cell::fill(options, measurement, form, &filling, stages)?;
        flows.push(Flow { name: filling.name, stages: cell.shear(&mut tell)? });
    }
    report(&flows, measurement);
    measurement.plots.extend(plots(&flows));
    Ok(())
}
