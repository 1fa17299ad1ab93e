//! Arguments of comparisons and of pages of runs.

use std::path::PathBuf;

use clap::Args;

use super::{PlaceArgs, assignment, seconds, solver_names};

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A built-in scene or a scene file.
    #[arg(value_name = "SCENE|FILE")]
    pub scene: String,
    /// The solvers.
    #[arg(long, value_name = "SOLVER,SOLVER", value_delimiter = ',', required = true, value_parser = solver_names())]
    pub solvers: Vec<String>,
    /// The folder for the runs and their page; a new one, or empty.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// The scene's coarser, shorter form.
    #[arg(long)]
    pub quick: bool,
    /// Where to simulate.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Simulated seconds, instead of the scene's own.
    #[arg(long, value_name = "T", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Change a value of the scene; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The folder of a run.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The file to write; report.html in the folder of the run when absent. One that is there is not overwritten.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
