//! Longmore's experiments 1 and 3 to 6 \[Lon09\]: how forces are distributed in a bed at rest.
//!
//! Forces are taken over the mean of their depth, away from walls, base and surface. Their distribution falls exponentially
//! beyond the mean, P(f) = a (1 - b exp(-f^2)) exp(-beta f) with beta = 1.35 \[SGL02\]. Beds are of spheres and of tetrahedra of four;
//! these are looked at contact by contact and grain by grain.

mod plots;
mod population;
mod report;

use crate::measure::{MeasureOptions, Measurement, Progress};
use crate::simulation::SimulationError;

use super::bed::{Rest, settle};
use super::sand::{Spheres, controlled};
use super::vessel::{Container, Vessel};

use population::Forces;
pub use population::{Belonging, Layers, Level, mobilized};
pub use report::mobilization;

/// Friction of the rough bed.
const FRICTION: f64 = 0.5;

/// How a form of the experiment is run.
struct Form {
    vessels: &'static [Vessel],
    /// When a bed is at rest.
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
    vessels: &[
        Vessel { tetrahedra: false, container: Container::Periodic(9.0), depth: 15.0 },
        Vessel { tetrahedra: true, container: Container::Periodic(8.0), depth: 14.0 },
    ],
    rest: Rest { energy: 1e-6, within: [20.0, 80.0] },
    beta: [1.0, 1.9],
    straight: 0.9,
    errors: 0.0,
    angles: 0.08,
    correlation: 0.1,
};

/// What takes long to rest is the bed as a whole, which swings up and down: its grains share the energy evenly. A bed 15 d deep loses
/// nine tenths of it in 32 sqrt(d/g), a deeper one swings slower and for longer.
const FULL: Form = Form {
    vessels: &[
        Vessel { tetrahedra: false, container: Container::Cylinder(12.0), depth: 32.0 },
        Vessel { tetrahedra: true, container: Container::Cylinder(10.0), depth: 24.0 },
    ],
    rest: Rest { energy: 1e-8, within: [20.0, 500.0] },
    beta: [1.1, 1.7],
    straight: 0.98,
    errors: 1.0,
    angles: 0.05,
    correlation: 0.05,
};

/// Longmore's own bed: 65,536 grains in a cylinder whose radius is 50 diameters of their spheres.
const LARGE: Form = Form {
    vessels: &[Vessel { tetrahedra: true, container: Container::Cylinder(34.2), depth: 20.4 }],
    ..FULL
};

pub(in crate::measure) fn measure(
    options: &MeasureOptions,
    measurement: &mut Measurement,
    progress: &mut Progress,
) -> Result<(), SimulationError> {
    let form = match (options.quick, options.large) {
        (true, _) => &QUICK,
        (false, true) => &LARGE,
        (false, false) => &FULL,
    };
    for (k, vessel) in form.vessels.iter().enumerate() {
        let name = vessel.name();
        let mut bed = |friction: f64, part: f64| {
            let spheres = Spheres { friction: controlled(options, friction), ..Spheres::default() };
            let mut simulation = vessel.pour(options, measurement, spheres, |_| {})?;
            let share = 1.0 / form.vessels.len() as f64;
            let words = format!("{name} of friction {friction} settle");
            let mut tell = |done: f64| progress(share * (k as f64 + part + 0.5 * done), &words);
            settle(&mut simulation, form.rest, &mut tell).map(|energy| (simulation, energy))
        };
        let (mut rough, energy) = bed(FRICTION, 0.0)?;
        let (mut smooth, smooth_energy) = bed(0.0, 0.5)?;
        for &level in Level::of(vessel) {
            let forces = Forces::of(&mut rough, vessel, level)?;
            let without = Forces::of(&mut smooth, vessel, level)?;
            let of = format!("{name}{}", level.name(vessel.tetrahedra));
            report::report(&forces, form, &of, energy, measurement);
            report::report_angles(&[&forces, &without], form, &of, smooth_energy, measurement);
            measurement.plots.extend(plots::plots(&forces, &without, &of));
        }
    }
    Ok(())
}
