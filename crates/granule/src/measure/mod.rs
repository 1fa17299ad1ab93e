//! Experiments that hold sand and water against physics, and the statistics they use.
//!
//! An experiment builds its scenes in code, drives them through the front door, and returns numbers beside their
//! references; nothing is calmed, capped or tuned for it. Every experiment has a full and a quick form, each with its
//! own stated tolerance.

mod about;
mod cells;
mod claims;
mod collapse;
mod control;
mod dam;
mod dem;
mod discharge;
mod drive;
mod droplet;
mod drum;
pub mod fine;
mod fluids;
mod hydrostatic;
mod liquid;
mod oracle;
mod pour;
mod profile;
mod quantity;
mod repose;
mod rest;
mod run;
mod scenes;
mod segregation;
mod slope;
mod stay;
mod surface;
mod upsample;

use serde::Serialize;

use crate::scene::{FrictionMode, SolverKind, YieldLaw};
use crate::simulation::{Options, SimulationError};

pub use crate::statistics::{linear_fit, power_fit};
pub use about::{About, about};
pub use claims::{Claim, claim};
pub use control::{CONTROLS, Control, Fault};
pub use oracle::measure_oracle;
pub use profile::{DepositProfile, slope_angle};
pub use quantity::{QUANTITY_FIELDS, particle_quantity};
pub use repose::{HeapContacts, heap_angle};
pub use run::KeptRuns;
use run::Run;
pub use surface::surface_angle;

/// How to measure.
#[derive(Clone, Debug, Default)]
pub struct MeasureOptions {
    /// Coarser and shorter.
    pub quick: bool,
    /// Hundreds of thousands of grains, for graphics devices; experiments that have no such form take their full one.
    pub large: bool,
    /// Device, threads and deliberate faults.
    pub simulation: Options,
    /// The solver instead of the experiment's own, where it works with several.
    pub solver: Option<SolverKind>,
    /// How friction is solved.
    pub friction: FrictionMode,
    /// Which line the friction angle means.
    pub yield_law: YieldLaw,
    /// Friction angle of the sand instead of the experiment's own \[degrees\], for negative controls.
    pub friction_angle: Option<f64>,
    /// Grains of one size only, the negative control of segregation.
    pub equal_sizes: bool,
    /// Where runs are kept, so that an experiment that was killed goes on where it was; nowhere when absent.
    pub kept: Option<KeptRuns>,
}

/// One measured number beside its reference.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// What was measured, with its unit.
    pub quantity: String,
    /// The inputs by name.
    #[serde(serialize_with = "as_map")]
    pub inputs: Vec<(String, f64)>,
    /// The number.
    pub measured: f64,
    /// The published or analytic value, where there is one.
    pub reference: Option<f64>,
    /// Range in which the number must lie.
    pub range: [f64; 2],
    /// Where reference and range come from.
    pub source: String,
    /// What LAMMPS gives for the same set-up, where that was asked.
    pub peer: Option<Peer>,
    /// Whether the number lies in its range, or in that of the peer.
    pub pass: bool,
    /// Whether it does so in the peer's only: what was published is not what the law gives.
    pub as_peer: bool,
}

/// What LAMMPS gives with the same law, set-up and estimator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Peer {
    /// The mean over its packings.
    pub measured: f64,
    /// Range that their scatter allows.
    pub range: [f64; 2],
}

/// Whether a number lies in a range; one that is not a number does not.
fn lies_in(range: [f64; 2], value: f64) -> bool {
    value >= range[0] && value <= range[1]
}

fn as_map<S: serde::Serializer>(pairs: &[(String, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

impl Point {
    /// A number that must lie in a range.
    pub fn new(
        quantity: impl Into<String>,
        measured: f64,
        range: [f64; 2],
        source: impl Into<String>,
    ) -> Self {
        Self {
            quantity: quantity.into(),
            inputs: Vec::new(),
            measured,
            reference: None,
            range,
            source: source.into(),
            peer: None,
            pass: lies_in(range, measured),
            as_peer: false,
        }
    }

    /// Adds an input.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.inputs.push((name.into(), value));
        self
    }

    /// Adds the reference value.
    pub fn against(mut self, reference: f64) -> Self {
        self.reference = Some(reference);
        self
    }

    /// Adds what LAMMPS gives: a number outside the published range holds as well where it agrees with that, `deviations` around the
    /// mean allowed, and is marked.
    pub fn beside_lammps(mut self, measured: f64, deviations: f64) -> Self {
        let peer = Peer { measured, range: [measured - deviations, measured + deviations] };
        self.source = format!("{}; LAMMPS {measured}, {deviations} allowed", self.source);
        self.as_peer = !self.pass && lies_in(peer.range, self.measured);
        self.pass |= self.as_peer;
        self.peer = Some(peer);
        self
    }
}

/// A curve or a cloud of points in a plot.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y).
    pub points: Vec<[f64; 2]>,
    /// Whether to connect them; markers otherwise.
    pub line: bool,
}

/// A plot of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Plot {
    /// File name without ending.
    pub name: String,
    /// Title.
    pub title: String,
    /// Label of x with its unit.
    pub x_label: String,
    /// Label of y with its unit.
    pub y_label: String,
    /// Whether both axes are logarithmic.
    pub logarithmic: bool,
    /// Curves and points.
    pub series: Vec<Series>,
}

/// The outcome of an experiment.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measurement {
    /// Name of the experiment.
    pub experiment: String,
    /// The solver.
    pub solver: String,
    /// The device.
    pub device: String,
    /// Wall time \[s\].
    pub seconds: f64,
    /// The numbers.
    pub points: Vec<Point>,
    /// Whether all of them pass.
    pub pass: bool,
    /// Plots for `--plot`.
    #[serde(skip)]
    pub plots: Vec<Plot>,
}

impl Measurement {
    /// Notes solver and device.
    fn describe(&mut self, simulation: &Run) {
        self.solver = simulation.solver().into();
        self.device = simulation.device().into();
    }
}

/// Hears how far an experiment has come: a share from 0 to 1 and a few words.
pub type Progress<'a> = dyn FnMut(f64, &str) + 'a;

type Work = fn(&MeasureOptions, &mut Measurement, &mut Progress) -> Result<(), SimulationError>;

/// An experiment.
pub struct Experiment {
    /// Name on the command line.
    pub name: &'static str,
    /// One line that says what it measures.
    pub summary: &'static str,
    work: Work,
}

/// All experiments.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "slope",
        summary: "a slab on a rough incline holds below its friction angle and flows above",
        work: slope::measure,
    },
    Experiment {
        name: "rest",
        summary: "a settled pile stays: crest, speed, volume and friction power over 30 s",
        work: rest::measure,
    },
    Experiment { name: "stay", summary: "a heap of grains comes to rest and stays", work: stay::measure },
    Experiment {
        name: "repose",
        summary: "angle of a slowly poured heap against the friction angle",
        work: repose::measure,
    },
    Experiment {
        name: "collapse",
        summary: "runout and height of collapsing columns against Lube et al. 2004",
        work: collapse::measure,
    },
    Experiment {
        name: "hydrostatic",
        summary: "vertical stress in a settled bed and in fluids of both solvers, first layer, density",
        work: hydrostatic::measure,
    },
    Experiment {
        name: "dam",
        summary: "front of a collapsing column of water against Martin and Moyce 1952",
        work: dam::measure,
    },
    Experiment {
        name: "droplet",
        summary: "pressure inside drops of three radii, and the period of a swinging one",
        work: droplet::measure,
    },
    Experiment {
        name: "liquid",
        summary: "decay of a shear wave by viscosity, and the distance at which a pair that attracts itself rests",
        work: liquid::measure,
    },
    Experiment {
        name: "discharge",
        summary: "rate of an hourglass: constant over time, the same for two fill heights, Beverloo's size",
        work: discharge::measure,
    },
    Experiment {
        name: "drum",
        summary: "inclination of the sand in a rotating drum: steady, and steeper for rougher sand",
        work: drum::measure,
    },
    Experiment {
        name: "upsample",
        summary: "fine grains keep volume, stay out of walls, spread evenly, let go of tools, rest and fly",
        work: upsample::measure,
    },
    Experiment {
        name: "impact",
        summary: "two spheres meet head-on: restitution, duration, overlap (dem)",
        work: dem::impact::measure,
    },
    Experiment {
        name: "oblique",
        summary: "spheres hit a plane at an angle: the tangential rebound (dem)",
        work: dem::oblique::measure,
    },
    Experiment {
        name: "rolling",
        summary: "a sphere slides and rolls along a plane (dem)",
        work: dem::rolling::measure,
    },
    Experiment {
        name: "hold",
        summary: "a sphere on a slope below its limit does not creep (dem)",
        work: dem::hold::measure,
    },
    Experiment {
        name: "packing",
        summary: "fraction and contacts of poured beds by friction (dem)",
        work: dem::packing::measure,
    },
    Experiment {
        name: "orifice",
        summary: "rate through round holes against Beverloo et al. 1961 (dem)",
        work: dem::orifice::measure,
    },
    Experiment {
        name: "funnel",
        summary: "rate out of a cone: constant, and slower for rougher grains (dem)",
        work: dem::funnel::measure,
    },
    Experiment {
        name: "forces",
        summary: "how contact forces are distributed in a bed, Longmore's experiments 1 and 3 to 6 (dem)",
        work: dem::forces::measure,
    },
    Experiment {
        name: "load",
        summary: "forces on grains under a plate that presses, Longmore's experiment 2 (dem)",
        work: dem::load::measure,
    },
    Experiment {
        name: "oedometer",
        summary: "a bed pressed together and let go, Longmore's experiment 7 (dem)",
        work: dem::oedometer::measure,
    },
    Experiment {
        name: "zhou",
        summary: "heaps left on a plate by sliding and rolling friction, against Zhou et al. 2002 (dem)",
        work: dem::zhou::measure,
    },
    Experiment {
        name: "planar",
        summary: "runout of columns between panes against Lube et al. 2005 (dem)",
        work: dem::planar::measure,
    },
    Experiment {
        name: "tumbler",
        summary: "inclination in a drum by speed, and two sizes that part in it (dem)",
        work: dem::tumbler::measure,
    },
    Experiment {
        name: "janssen",
        summary: "stress in a silo whose wall carries the grains, against Janssen 1895 (dem)",
        work: dem::janssen::measure,
    },
    Experiment {
        name: "piles",
        summary: "slopes of spheres and of tetrahedra, with friction that remembers and with Longmore's (dem)",
        work: dem::piles::measure,
    },
    Experiment {
        name: "incline",
        summary: "grains flow down a rough slope with Bagnold's profile, and stop on a gentle one (dem)",
        work: dem::incline::measure,
    },
    Experiment {
        name: "segregation",
        summary: "a large sphere rises to the top of a shaken bed (dem)",
        work: dem::segregation::measure,
    },
    Experiment {
        name: "shear",
        summary: "sand between plates that hold a pressure: friction by the rate of shear, fraction, dilation (dem)",
        work: dem::shear::measure,
    },
    Experiment {
        name: "triaxial",
        summary: "dense and loose sand shortened at constant lateral stress: friction, dilation, critical state (dem)",
        work: dem::triaxial::measure,
    },
];

impl Experiment {
    /// The experiment of that name.
    pub fn find(name: &str) -> Option<&'static Experiment> {
        EXPERIMENTS.iter().find(|experiment| experiment.name == name)
    }

    /// Whether there is a form with so many grains that only graphics devices are fast enough ([`MeasureOptions::large`]).
    pub fn has_large_form(&self) -> bool {
        ["collapse", "orifice", "funnel", "forces", "zhou", "piles"].contains(&self.name)
    }

    /// Runs the experiment.
    pub fn run(
        &self,
        options: &MeasureOptions,
        progress: &mut Progress,
    ) -> Result<Measurement, SimulationError> {
        let start = std::time::Instant::now();
        let mut measurement = Measurement { experiment: self.name.into(), ..Measurement::default() };
        (self.work)(options, &mut measurement, progress)?;
        let earlier = options.kept.as_ref().map_or(0.0, KeptRuns::take_seconds);
        measurement.seconds = start.elapsed().as_secs_f64() + earlier;
        if measurement.solver == SolverKind::Dem.name() && !options.large {
            dem::lammps::hold_beside(&mut measurement, options.quick);
        }
        measurement.pass =
            !measurement.points.is_empty() && measurement.points.iter().all(|point| point.pass);
        Ok(measurement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_holds_by_its_range_or_by_lammps_and_says_by_which() {
        let point =
            |measured: f64| Point::new("angle", measured, [0.0, 5.0], "somebody").beside_lammps(5.6, 1.0);
        let verdict = |measured: f64| (point(measured).pass, point(measured).as_peer);
        assert_eq!(
            [4.9, 6.1, 6.7, -1.0, f64::NAN].map(verdict),
            [(true, false), (true, true), (false, false), (false, false), (false, false)]
        );
        assert_eq!(point(6.1).source, "somebody; LAMMPS 5.6, 1 allowed");
    }
}
