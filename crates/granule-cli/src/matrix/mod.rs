//! Experiments against solvers: every claim is measured, finished cells are kept, and a page shows them all.

mod combine;
mod folder;
mod machine;
mod page;
mod record;

use std::path::Path;
use std::time::Duration;

use granule::measure::{
    About, CONTROLS, Claim, Control, EXPERIMENTS, Experiment, KeptRuns, MeasureOptions, Measurement, Point,
    about, claim,
};
use granule::scene::SolverKind;
use granule::{Options, SimulationError};

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{self, number};
use crate::progress::Progress;

use folder::ReportFolder;
use record::{AboutRecord, Cell, ControlCell, FORMAT, NotClaimed, Parameters, Report};

/// Between the seeds of two runs: experiments count up from their own.
const SEED_STEP: u64 = 1000;

/// Wall time between two checkpoints of a run that is under way.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// What to measure.
pub struct Request<'a> {
    /// The folder of the report.
    pub folder: &'a Path,
    /// The experiments.
    pub experiments: Vec<&'static Experiment>,
    /// The solvers.
    pub solvers: Vec<SolverKind>,
    /// Form, device, friction.
    pub options: MeasureOptions,
    /// The word of the device.
    pub device: &'static str,
    /// The adapter.
    pub adapter: &'a str,
    /// Threads.
    pub threads: usize,
    /// Runs of every experiment.
    pub seeds: u64,
    /// Whether deliberate faults are run, too.
    pub controls: bool,
    /// Print the report as JSON.
    pub json: bool,
    /// Says where it is simulated, once the input is known to be right.
    pub announce: &'a dyn Fn(),
    /// Names of friction and yield.
    pub words: [String; 2],
}

/// Measures all that is claimed and not there yet, and leaves `report.json` and `report.html`.
///
/// # Errors
/// The folder holds something else, a claim did not pass, or a fault was not noticed.
pub fn report(request: &Request, interrupt: &Interrupt) -> Result<(), Failure> {
    let [friction, yield_law] = request.words.clone();
    let parameters = Parameters {
        quick: request.options.quick,
        large: request.options.large,
        seeds: request.seeds,
        device: request.device.into(),
        friction,
        yield_law,
        fault: request.options.simulation.defect.map(|defect| format!("{defect:?}")),
    };
    let folder = ReportFolder::open(request.folder, &parameters)?;
    (request.announce)();
    let program = format!("{}, {} {}", machine::identity(), request.device, request.adapter);
    let report = empty(request, parameters);
    let mut matrix = Matrix { request, interrupt, folder, report, program };
    matrix.write(false)?;
    matrix.measure()?;
    if request.controls {
        matrix.spoil()?;
    }
    matrix.write(true)?;
    matrix.tell()?;
    matrix.verdict()
}

/// A report without any cells.
fn empty(request: &Request, parameters: Parameters) -> Report {
    let not_claimed =
        request.pairs().filter_map(|(experiment, solver)| match claim(experiment.name, solver) {
            Claim::NotClaimed(reason) => Some(NotClaimed {
                experiment: experiment.name.into(),
                solver: solver.name().into(),
                reason: reason.into(),
            }),
            Claim::Claimed | Claim::Open(_) => None,
        });
    Report {
        format: FORMAT.into(),
        program: machine::program(),
        machine: machine::machine(request.threads),
        written: machine::now(),
        parameters,
        complete: false,
        pass: false,
        about: EXPERIMENTS.iter().filter_map(|experiment| about(experiment.name)).map(in_words).collect(),
        experiments: Vec::new(),
        not_claimed: not_claimed.collect(),
        controls: Vec::new(),
    }
}

fn in_words(about: &About) -> AboutRecord {
    AboutRecord {
        experiment: about.experiment.into(),
        set_up: about.set_up.into(),
        source: about.source.into(),
    }
}

impl Request<'_> {
    /// All experiments with all solvers.
    fn pairs(&self) -> impl Iterator<Item = (&'static Experiment, SolverKind)> + '_ {
        let of =
            |experiment: &'static Experiment| self.solvers.iter().map(move |solver| (experiment, *solver));
        self.experiments.iter().flat_map(move |experiment| of(experiment))
    }

    /// The negative controls of what is measured.
    fn controls(&self) -> impl Iterator<Item = &'static Control> + '_ {
        let is_asked = |control: &&Control| {
            self.pairs()
                .any(|(experiment, solver)| experiment.name == control.experiment && solver == control.solver)
        };
        CONTROLS.iter().filter(move |control| is_asked(control))
    }
}

/// A report in the making.
struct Matrix<'a> {
    request: &'a Request<'a>,
    interrupt: &'a Interrupt,
    folder: ReportFolder,
    report: Report,
    /// Program and device, for runs that are kept.
    program: String,
}

impl Matrix<'_> {
    /// Measures every cell that is not there yet.
    fn measure(&mut self) -> Result<(), Failure> {
        let pairs: Vec<_> = self.request.pairs().collect();
        for (experiment, solver) in pairs.iter().filter(|(e, s)| claim(e.name, *s).is_measured()) {
            let name = format!("{}-{}", experiment.name, solver.name());
            let version = &self.report.program.version;
            let kept = self.folder.cell(&name, version, &self.report.parameters);
            let kept =
                kept.filter(|cell| cell.claimed == (claim(experiment.name, *solver) == Claim::Claimed));
            let cell = match kept {
                Some(cell) => cell,
                None => {
                    let kept = self.kept(&name);
                    let cell = self.cell(experiment, *solver, &kept)?;
                    self.folder.keep(&name, &cell)?;
                    self.forget(&kept);
                    cell
                }
            };
            self.report.experiments.push(cell);
            self.write(false)?;
        }
        Ok(())
    }

    /// Runs an experiment with all seeds.
    fn cell(&self, experiment: &Experiment, solver: SolverKind, kept: &KeptRuns) -> Result<Cell, Failure> {
        let seeds: Vec<u64> = (0..self.request.seeds).map(|k| k * SEED_STEP).collect();
        let label = format!("{} {}", experiment.name, solver.name());
        let (mut runs, mut error) = (Vec::new(), None);
        for (k, shift) in seeds.iter().enumerate() {
            let options = MeasureOptions {
                solver: Some(solver),
                simulation: Options { seed_shift: *shift, ..self.request.options.simulation.clone() },
                kept: Some(kept.clone()),
                ..self.request.options.clone()
            };
            let label = if seeds.len() > 1 { format!("{label}, seed {}", k + 1) } else { label.clone() };
            let run = |tell: &mut granule::measure::Progress| experiment.run(&options, tell);
            match self.watched(&label, kept, run)? {
                Ok(run) if run.solver != solver.name() => {
                    error = Some(format!("it was run by {} instead", run.solver));
                }
                Ok(run) => runs.push(run),
                Err(reason) => error = Some(reason.to_string()),
            }
        }
        let points = combine::points(&runs).unwrap_or_else(|reason| {
            error = Some(reason);
            Vec::new()
        });
        let claim = claim(experiment.name, solver);
        Ok(Cell {
            experiment: experiment.name.into(),
            solver: solver.name().into(),
            device: runs.first().map_or_else(|| self.request.device.into(), |run| run.device.clone()),
            seconds: runs.iter().map(|run| run.seconds).sum(),
            seeds,
            claimed: claim == Claim::Claimed,
            open: claim.reason().map(String::from),
            pass: error.is_none() && !points.is_empty() && points.iter().all(|point| point.pass),
            plots: combine::plots(&runs),
            hash: combine::hash(&points),
            points,
            error,
            program: self.report.program.clone(),
            parameters: self.report.parameters.clone(),
        })
    }

    /// Runs every deliberate fault that is not there yet.
    fn spoil(&mut self) -> Result<(), Failure> {
        let controls: Vec<_> = self.request.controls().collect();
        for control in controls {
            let name = control_name(control);
            let version = &self.report.program.version;
            let kept = self.folder.control(&name, version, &self.report.parameters);
            let cell = match kept.filter(|cell| cell.gate == control.gate) {
                Some(cell) => cell,
                None => {
                    let kept = self.kept(&name);
                    let cell = self.control(control, &kept)?;
                    self.folder.keep(&name, &cell)?;
                    self.forget(&kept);
                    cell
                }
            };
            self.report.controls.push(cell);
            self.write(false)?;
        }
        Ok(())
    }

    fn control(&self, control: &Control, kept: &KeptRuns) -> Result<ControlCell, Failure> {
        let label = format!("{} {}, {}", control.experiment, control.solver.name(), control.fault.words());
        let options = MeasureOptions { kept: Some(kept.clone()), ..self.request.options.clone() };
        let run = |tell: &mut granule::measure::Progress| control.run(&options, tell);
        let measured = self.watched(&label, kept, run)?;
        let failed = |measured: &Measurement| failed_in_words(&measured.points);
        Ok(ControlCell {
            experiment: control.experiment.into(),
            solver: control.solver.name().into(),
            fault: control.fault.words(),
            gate: control.gate.into(),
            caught: measured.as_ref().is_ok_and(|measured| control.is_caught(measured)),
            failed: measured.as_ref().map(failed).unwrap_or_default(),
            seconds: measured.as_ref().map_or(0.0, |measured| measured.seconds),
            error: measured.err().map(|error| error.to_string()),
            program: self.report.program.clone(),
            parameters: self.report.parameters.clone(),
        })
    }

    /// Where the runs of a cell are kept until it is finished.
    fn kept(&self, name: &str) -> KeptRuns {
        let folder = self.folder.runs(name);
        KeptRuns::new(&folder, self.program.clone(), CHECKPOINT_EVERY, self.interrupt.flag())
    }

    /// Removes what was kept for a cell that is finished.
    fn forget(&self, kept: &KeptRuns) {
        if let Err(error) = kept.remove() {
            eprintln!("granule: runs of a finished experiment stay: {error}");
        }
        self.folder.tidy();
    }

    /// Runs something long and shows how far it is. After Ctrl-C nothing new begins, and what is under way ends with a
    /// checkpoint.
    fn watched(
        &self,
        label: &str,
        kept: &KeptRuns,
        run: impl FnOnce(&mut granule::measure::Progress) -> Result<Measurement, SimulationError>,
    ) -> Result<Result<Measurement, SimulationError>, Failure> {
        if self.interrupt.wanted() {
            return Err(Failure::Interrupted);
        }
        let mut progress = Progress::new(label);
        let ending = || "ends after this frame; Ctrl-C again ends at once".to_string();
        let outcome = run(&mut |share, words| {
            progress.update(share, || if self.interrupt.wanted() { ending() } else { words.to_string() });
        });
        progress.finish();
        kept.take_remarks().iter().for_each(|remark| eprintln!("granule: {remark}"));
        if outcome.is_err() && self.interrupt.wanted() {
            return Err(Failure::Interrupted);
        }
        Ok(outcome)
    }

    /// Writes what there is so far.
    fn write(&mut self, complete: bool) -> Result<(), Failure> {
        self.report.complete = complete;
        self.report.pass = complete && self.failures().is_empty();
        self.report.written = machine::now();
        self.folder.write_report(&self.report, &page::page(&self.report))
    }

    /// Claims that did not pass and faults that nobody noticed; and a solver that was broken on purpose, whatever it passes.
    fn failures(&self) -> Vec<String> {
        let broken =
            self.report.parameters.fault.iter().map(|fault| format!("all was run with the fault {fault}"));
        let cells = self.report.experiments.iter().filter(|cell| cell.is_failure());
        let cells = cells.map(|cell| format!("{} with {}", cell.experiment, cell.solver));
        let missed = self.report.controls.iter().filter(|control| !control.caught);
        let missed = missed.map(|control| {
            format!("{} with {} does not notice: {}", control.experiment, control.solver, control.fault)
        });
        broken.chain(cells).chain(missed).collect()
    }

    /// Prints the report.
    fn tell(&self) -> Result<(), Failure> {
        if self.request.json {
            return output::json(&self.report);
        }
        let rows = self.report.experiments.iter().map(|cell| {
            vec![
                cell.experiment.clone(),
                cell.solver.clone(),
                page::result(cell).into(),
                number(cell.seconds),
            ]
        });
        output::text(&output::table(
            &["experiment", "solver", "result", "seconds"],
            &rows.collect::<Vec<_>>(),
        ))?;
        if !self.report.controls.is_empty() {
            let rows = self.report.controls.iter().map(|control| {
                let caught = if control.caught { "caught" } else { "NOT CAUGHT" };
                vec![control.experiment.clone(), control.solver.clone(), control.fault.clone(), caught.into()]
            });
            let header = ["experiment", "solver", "fault", "result"];
            output::text(&format!("\n{}", output::table(&header, &rows.collect::<Vec<_>>())))?;
        }
        output::text(&format!("\n{}", self.folder.page().display()))
    }

    fn verdict(&self) -> Result<(), Failure> {
        match self.failures().as_slice() {
            [] => Ok(()),
            failures => Err(Failure::Run(format!("claims that do not hold: {}", failures.join("; ")))),
        }
    }
}

/// What left its range, each quantity once, with the first of its numbers.
fn failed_in_words(points: &[Point]) -> Vec<String> {
    let mut named: Vec<&str> = Vec::new();
    let mut words = Vec::new();
    for point in points.iter().filter(|point| !point.pass) {
        if !named.contains(&point.quantity.as_str()) {
            named.push(&point.quantity);
            words.push(format!("{} = {}", point.quantity, output::number_or_dash(Some(point.measured))));
        }
    }
    words
}

/// The name of a control's file.
fn control_name(control: &Control) -> String {
    let words: String =
        control.fault.words().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("control-{}-{}-{}", control.experiment, control.solver.name(), words.to_lowercase())
}

#[cfg(test)]
mod tests;
