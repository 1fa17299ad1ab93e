//! What a report keeps: `report.json`, and one file for every finished cell of the matrix.
//!
//! Numbers that are not finite are `null`: an open end of a range, or something that could not be measured.

use serde::{Deserialize, Serialize};

/// The mark of a folder with a report.
pub const FORMAT: &str = "granule report 1";

/// What decides about the numbers of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// The coarser, shorter forms.
    pub quick: bool,
    /// The forms for graphics devices.
    #[serde(default)]
    pub large: bool,
    /// Runs of every experiment, each with random numbers of its own.
    pub seeds: u64,
    /// The device, as it was asked for.
    pub device: String,
    /// How friction is solved.
    pub friction: String,
    /// Which line the friction angle means.
    #[serde(rename = "yield")]
    pub yield_law: String,
    /// The deliberate fault that all of it was made with: never a report that passes.
    pub fault: Option<String>,
}

impl Parameters {
    /// The form of the experiments.
    pub fn form(&self) -> &'static str {
        match (self.quick, self.large) {
            (true, _) => "quick",
            (false, true) => "large",
            (false, false) => "full",
        }
    }
}

/// What made a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Version of the program.
    pub version: String,
    /// The commit that it was built from, where that is known.
    pub git: Option<String>,
}

/// Where a result was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor.
    pub processor: String,
    /// Threads that were used.
    pub threads: usize,
    /// Memory in GiB, where that is known.
    pub memory_gib: Option<u64>,
    /// Operating system and architecture.
    pub system: String,
}

/// A report: all that the page shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// [`FORMAT`].
    pub format: String,
    /// What made it.
    #[serde(flatten)]
    pub program: Program,
    /// Where it was made.
    pub machine: Machine,
    /// When it was written, UTC.
    pub written: String,
    /// What decides about its numbers.
    pub parameters: Parameters,
    /// Whether all that was asked for is there.
    pub complete: bool,
    /// Whether it is complete, every claim has passed and every control was caught.
    pub pass: bool,
    /// What the experiments of the program are about.
    #[serde(default)]
    pub about: Vec<AboutRecord>,
    /// The measured cells.
    pub experiments: Vec<Cell>,
    /// What no run is asked for, and why.
    pub not_claimed: Vec<NotClaimed>,
    /// Deliberate faults and whether they were noticed.
    pub controls: Vec<ControlCell>,
}

/// An experiment in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AboutRecord {
    /// The experiment.
    pub experiment: String,
    /// How it is set up.
    pub set_up: String,
    /// Where its references come from.
    pub source: String,
}

/// An experiment that a solver does not claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotClaimed {
    /// The experiment.
    pub experiment: String,
    /// The solver.
    pub solver: String,
    /// Why.
    pub reason: String,
}

/// An experiment with a solver.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// The experiment.
    pub experiment: String,
    /// The solver.
    pub solver: String,
    /// What simulated.
    pub device: String,
    /// Wall time of all seeds \[s\].
    pub seconds: f64,
    /// Added to the experiment's own seeds, run by run.
    pub seeds: Vec<u64>,
    /// Whether the solver promises to pass.
    pub claimed: bool,
    /// Why it does not.
    pub open: Option<String>,
    /// The numbers.
    pub points: Vec<PointRecord>,
    /// The plots.
    pub plots: Vec<PlotRecord>,
    /// Why there are no numbers.
    pub error: Option<String>,
    /// Whether all numbers lie in their ranges.
    pub pass: bool,
    /// Hash over the bits of all numbers, to compare machines.
    pub hash: String,
    /// What made it.
    #[serde(flatten)]
    pub program: Program,
    /// What decides about its numbers.
    pub parameters: Parameters,
}

impl Cell {
    /// Whether a promise was broken.
    pub fn is_failure(&self) -> bool {
        self.claimed && !self.pass
    }

    /// Whether all numbers hold, some of them only by agreement with LAMMPS.
    pub fn is_as_peer(&self) -> bool {
        self.pass && self.points.iter().any(|point| point.as_peer)
    }
}

/// A measured number: the mean over seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointRecord {
    /// What was measured, with its unit.
    pub quantity: String,
    /// The inputs by name.
    pub inputs: Vec<(String, Option<f64>)>,
    /// The mean.
    pub measured: Option<f64>,
    /// Half of its interval of 95 %, where there are several seeds.
    pub interval: Option<f64>,
    /// The number of every seed.
    pub values: Vec<Option<f64>>,
    /// The published or analytic value.
    pub reference: Option<f64>,
    /// Range in which the mean must lie.
    pub range: [Option<f64>; 2],
    /// Where reference and range come from.
    pub source: String,
    /// Whether it does, or lies in the range of the peer.
    pub pass: bool,
    /// Mean and range of LAMMPS with the same law and set-up, where that was asked.
    #[serde(default)]
    pub peer: Option<[f64; 3]>,
    /// Whether the mean lies in the peer's range only.
    #[serde(default)]
    pub as_peer: bool,
    /// Whether an end of the range is nearer than the interval.
    pub close: bool,
}

/// A plot, drawn from one or several seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlotRecord {
    /// Title.
    pub title: String,
    /// Label of x with its unit.
    pub x_label: String,
    /// Label of y with its unit.
    pub y_label: String,
    /// Whether both axes are logarithmic.
    pub logarithmic: bool,
    /// Curves and points.
    pub series: Vec<SeriesRecord>,
}

/// A curve, or a cloud of points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesRecord {
    /// Name in the legend; empty for further seeds of the same.
    pub name: String,
    /// Points (x, y).
    pub points: Vec<[Option<f64>; 2]>,
    /// Half of the interval of 95 % of y, where seeds share x.
    pub interval: Vec<Option<f64>>,
    /// Whether to connect the points.
    pub line: bool,
    /// Which of the plot's series it is.
    pub number: usize,
}

/// A deliberate fault and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ControlCell {
    /// The experiment.
    pub experiment: String,
    /// The solver.
    pub solver: String,
    /// The fault in words.
    pub fault: String,
    /// A part of the name of what must fail.
    pub gate: String,
    /// Whether it failed.
    pub caught: bool,
    /// The quantities that left their ranges.
    pub failed: Vec<String>,
    /// Why there are no numbers.
    pub error: Option<String>,
    /// Wall time \[s\].
    pub seconds: f64,
    /// What made it.
    #[serde(flatten)]
    pub program: Program,
    /// What decides about its numbers.
    pub parameters: Parameters,
}

/// A number where it is finite.
pub fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}
