//! The program `granule`: runs, checks, benchmarks and measures granular scenes.
//!
//! Results go to stdout, progress and errors to stderr. Exit codes: 0 done, 1 the run failed, 2 the input is wrong,
//! 130 interrupted.

mod args;
mod bench;
mod check;
mod divergence;
mod expectations;
mod failure;
mod interrupt;
mod list;
mod measure;
mod output;
mod plot;
mod progress;
mod recording;
mod resume;
mod run;
mod scenes;
mod schema;
mod statistics;
mod summary;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, RunArgs, Verb};
use failure::Failure;

fn main() -> ExitCode {
    // Usage errors end here with exit code 2.
    let cli = Cli::parse();
    match dispatch(cli.verb.unwrap_or_else(default_verb)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("granule: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn dispatch(verb: Verb) -> Result<(), Failure> {
    match verb {
        Verb::List(args) => list::list(&args),
        Verb::Check(args) => check::check(&args),
        Verb::Run(args) => run::run(&args),
        Verb::Schema(args) => schema::schema(&args),
        Verb::Bench(args) => bench::bench(&args),
        Verb::Measure(args) => measure::measure(&args),
    }
}

/// What the bare program does: it runs the first built-in scene.
fn default_verb() -> Verb {
    Verb::Run(Box::new(RunArgs::of(granule::scene::builtin_scenes()[0].name)))
}
