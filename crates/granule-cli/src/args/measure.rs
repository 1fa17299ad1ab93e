//! Arguments of experiments.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Subcommand, ValueEnum};
use granule::measure::EXPERIMENTS;
use granule::scene::{FrictionMode, YieldLaw};

use super::{PlaceArgs, solver_names};

/// What `measure` does beside experiments.
#[derive(Debug, Subcommand)]
pub enum MeasureCommand {
    /// Hold distinct elements against recorded trajectories of a few grains.
    Oracle(OracleArgs),
}

/// Arguments of `measure oracle`.
#[derive(Debug, Args)]
pub struct OracleArgs {
    /// Files with trajectories, as in crates/granule/tests/oracles.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Number of CPU threads; all cores when absent. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print a JSON object, or an array of several.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `measure`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct MeasureArgs {
    /// Recorded trajectories instead of an experiment.
    #[command(subcommand)]
    pub command: Option<MeasureCommand>,
    /// What to measure.
    #[arg(value_name = "EXPERIMENT", required_unless_present = "all", conflicts_with = "all")]
    #[arg(value_parser = experiment_names())]
    pub experiments: Vec<String>,
    /// All experiments.
    #[arg(long)]
    pub all: bool,
    /// The coarser, shorter forms.
    #[arg(long)]
    pub quick: bool,
    /// Forms with up to a million grains, for graphics devices, of collapse, orifice, funnel, forces, zhou and piles.
    #[arg(long, conflicts_with = "quick")]
    pub large: bool,
    /// The solver, where the experiment works with several; its own when absent.
    #[arg(long, value_parser = solver_names())]
    pub solver: Option<String>,
    /// Where to simulate.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// How friction is solved.
    #[arg(long, value_enum, default_value_t)]
    pub friction: FrictionName,
    /// Which line the friction angle means.
    #[arg(long = "yield", value_enum, default_value_t)]
    pub yield_law: YieldName,
    /// Print a JSON object, or an array of several.
    #[arg(long)]
    pub json: bool,
    /// Measure every claim of every solver, or of the one given, and leave a page and report.json in this folder. What is
    /// finished there is kept, and of the rest a checkpoint every minute: what was killed goes on where it was.
    #[arg(long, value_name = "DIR", conflicts_with = "plot")]
    pub report: Option<PathBuf>,
    /// Run every experiment this often, with random numbers of its own each, for means and intervals.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "report")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=100))]
    pub seeds: u16,
    /// Run deliberate faults, too: each must make its experiment fail.
    #[arg(long, requires = "report")]
    pub controls: bool,
    /// Write an SVG per plot into this folder.
    #[arg(long, value_name = "DIR")]
    pub plot: Option<PathBuf>,
}

/// The words of `--friction`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum FrictionName {
    /// Together with pressure, iterated.
    #[default]
    Coupled,
    /// A single clamp, for comparison.
    Explicit,
}

/// The words of `--yield`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum YieldName {
    /// A slope of exactly the friction angle is the limit.
    #[default]
    Tan,
    /// The line as printed by Neder: the limiting slope is atan(sin(angle)).
    Neder,
}

impl From<FrictionName> for FrictionMode {
    fn from(name: FrictionName) -> Self {
        match name {
            FrictionName::Coupled => Self::Coupled,
            FrictionName::Explicit => Self::Explicit,
        }
    }
}

impl From<YieldName> for YieldLaw {
    fn from(name: YieldName) -> Self {
        match name {
            YieldName::Tan => Self::Tan,
            YieldName::Neder => Self::Neder,
        }
    }
}

fn experiment_names() -> PossibleValuesParser {
    EXPERIMENTS.iter().map(|experiment| PossibleValue::new(experiment.name).help(experiment.summary)).into()
}
