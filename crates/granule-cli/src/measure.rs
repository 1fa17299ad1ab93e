//! `granule measure`: experiments, their numbers beside the references, and plots.

use std::path::Path;

use granule::Options;
use granule::measure::{EXPERIMENTS, Experiment, MeasureOptions, Measurement, Point, measure_oracle};
use granule::scene::SolverKind;
use granule::solver::SOLVERS;
use granule::solver::dem::oracle::Oracle;

use crate::args::{MeasureArgs, MeasureCommand, OracleArgs};
use crate::device::Chosen;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::matrix::{self, Request};
use crate::output::{self, number, number_or_dash};
use crate::plot;
use crate::progress::Progress;

/// Runs experiments and prints what they found.
pub fn measure(args: &MeasureArgs) -> Result<(), Failure> {
    if let Some(MeasureCommand::Oracle(args)) = &args.command {
        return measure_oracles(args);
    }
    if let Some(other) = chosen(args).iter().find(|experiment| args.large && !experiment.has_large_form()) {
        let named = EXPERIMENTS.iter().filter(|experiment| experiment.has_large_form());
        let names: Vec<&str> = named.map(|experiment| experiment.name).collect();
        let name = other.name;
        return Err(Failure::Input(format!("--large: {name} has no such form; {} have", names.join(", "))));
    }
    let device = args.place.open()?;
    let options = MeasureOptions {
        quick: args.quick,
        large: args.large,
        simulation: device.options.clone(),
        solver: args.solver.as_deref().and_then(solver_of),
        friction: args.friction.into(),
        yield_law: args.yield_law.into(),
        friction_angle: None,
        equal_sizes: false,
        kept: None,
    };
    if let Some(folder) = &args.report {
        return report(args, folder, &device, options);
    }
    if let Some(folder) = &args.plot {
        plot::make_folder(folder)?;
    }
    device.announce();
    let mut measurements = Vec::new();
    for experiment in chosen(args) {
        let measurement = perform(experiment, &options)?;
        if let Some(folder) = &args.plot {
            plot::write_all(folder, &measurement.plots)?;
        }
        if !args.json {
            output::text(&in_words(&measurement))?;
        }
        measurements.push(measurement);
    }
    if args.json {
        output::json_one_or_many(&measurements)?;
    }
    verdict(&measurements)
}

/// Measures every claim and leaves a page.
fn report(
    args: &MeasureArgs,
    folder: &Path,
    device: &Chosen,
    options: MeasureOptions,
) -> Result<(), Failure> {
    let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    let request = Request {
        folder,
        experiments: chosen(args),
        solvers: SOLVERS
            .iter()
            .filter_map(|s| s.kind)
            .filter(|s| options.solver.is_none_or(|o| o == *s))
            .collect(),
        options,
        device: device.word,
        adapter: &device.adapter,
        threads: device.threads,
        seeds: u64::from(args.seeds),
        controls: args.controls,
        json: args.json,
        announce: &|| device.announce(),
        words: [word(&args.friction), word(&args.yield_law)],
    };
    matrix::report(&request, &Interrupt::listen()?)
}

/// Holds the solver with distinct elements against files.
fn measure_oracles(args: &OracleArgs) -> Result<(), Failure> {
    let mut oracles = Vec::new();
    for file in &args.files {
        let wrong = |reason: String| Failure::Input(format!("{}: {reason}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
        oracles.push((file, Oracle::from_json(&text).map_err(|error| wrong(error.to_string()))?));
    }
    let options = Options { threads: args.threads.map(usize::from), ..Options::default() };
    let mut measurements = Vec::new();
    for (file, oracle) in &oracles {
        let measurement = measure_oracle(oracle, &options)
            .map_err(|error| Failure::Run(format!("{}: {error}", file.display())))?;
        if !args.json {
            output::text(&in_words(&measurement))?;
        }
        measurements.push(measurement);
    }
    if args.json {
        output::json_one_or_many(&measurements)?;
    }
    verdict(&measurements)
}

/// The solver of a name.
fn solver_of(name: &str) -> Option<SolverKind> {
    SOLVERS.iter().find(|solver| solver.name == name).and_then(|solver| solver.kind)
}

fn chosen(args: &MeasureArgs) -> Vec<&'static Experiment> {
    match args.all {
        true => EXPERIMENTS.iter().collect(),
        false => args.experiments.iter().filter_map(|name| Experiment::find(name)).collect(),
    }
}

fn perform(experiment: &Experiment, options: &MeasureOptions) -> Result<Measurement, Failure> {
    let mut progress = Progress::new(experiment.name);
    let measurement =
        experiment.run(options, &mut |share, words| progress.update(share, || words.to_string()));
    progress.finish();
    Ok(measurement?)
}

fn in_words(measurement: &Measurement) -> String {
    let rows: Vec<Vec<String>> = measurement.points.iter().map(row).collect();
    let header = ["quantity", "inputs", "measured", "reference", "range", "result", "source"];
    let verdict = match (measurement.pass, measurement.points.iter().any(|point| point.as_peer)) {
        (true, true) => "pass, in part as LAMMPS",
        (true, false) => "pass",
        (false, _) => "FAIL",
    };
    let seconds = number(measurement.seconds);
    let table = output::table(&header, &rows);
    format!("{}\n{}: {verdict}, {seconds} s\n", table, measurement.experiment)
}

fn row(point: &Point) -> Vec<String> {
    let inputs = point.inputs.iter().map(|(name, value)| format!("{name} = {}", number(*value)));
    vec![
        point.quantity.clone(),
        inputs.collect::<Vec<_>>().join(", "),
        number_or_dash(Some(point.measured)),
        number_or_dash(point.reference),
        output::range(point.range),
        match (point.pass, point.as_peer) {
            (true, true) => "as LAMMPS".into(),
            (true, false) => "pass".into(),
            (false, _) => "FAIL".into(),
        },
        point.source.clone(),
    ]
}

fn verdict(measurements: &[Measurement]) -> Result<(), Failure> {
    let failed: Vec<&str> = measurements.iter().filter(|m| !m.pass).map(|m| m.experiment.as_str()).collect();
    match failed.as_slice() {
        [] => Ok(()),
        names => Err(Failure::Run(format!("experiments that did not pass: {}", names.join(", ")))),
    }
}
