//! Arguments of fields on grids.

use std::path::PathBuf;

use clap::Args;

use super::seconds;
use super::values::parse_step;

/// Arguments of `fields`.
#[derive(Debug, Args)]
pub struct FieldsArgs {
    /// The folder of a run.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The file to write, ending in .vti. One that is there is not overwritten.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Time of the frame [s]; the last frame when absent.
    #[arg(long, value_name = "T", value_parser = seconds)]
    pub time: Option<f64>,
    /// Distance at which grains stop to count at a node [m]; three mean diameters when absent.
    #[arg(long, value_name = "M", value_parser = parse_step)]
    pub cutoff: Option<f32>,
    /// Distance of nodes [m]; a third of the cut-off when absent.
    #[arg(long, value_name = "M", value_parser = parse_step)]
    pub spacing: Option<f32>,
}
