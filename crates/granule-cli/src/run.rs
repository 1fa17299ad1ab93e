//! `granule run`: a scene from its first to its last frame.

use std::time::Instant;

use granule::blow_up::{self, BlowUp, BlowUpDetector};
use granule::io::RunFolder;
use granule::live;
use granule::scene::ExportFormat;
use granule::simulation::FRAME_ROUNDING;
use granule::simulator::{Snapshot, StepReport};
use granule::{Options, Scene, Simulation};

use crate::args::RunArgs;
use crate::device::Chosen;
use crate::expectations;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::recording::Recording;
use crate::resume::{self, ResumedFrom};
use crate::scenes::{self, Opened};
use crate::statistics::Statistics;
use crate::summary::{Ending, Summary};

/// How a run came to its end.
enum End {
    Complete,
    Interrupted,
    Diverged(BlowUp),
    /// A file could not be written, or nothing has ended yet.
    Incomplete(Option<String>),
}

/// A run that has ended, with all its files but the picture.
pub struct Finished {
    /// The run folder.
    pub folder: RunFolder,
    /// The scene's name.
    pub scene: String,
    /// Whether there are frames to draw: not after a run that diverged or failed.
    pub drawable: bool,
    /// Whether the run did what it should.
    pub verdict: Result<(), Failure>,
}

/// Runs a scene and prints its summary. Everything is checked before the folder is made.
pub fn run(args: &RunArgs, interrupt: &Interrupt) -> Result<Finished, Failure> {
    run_with(args, interrupt, |summary| summary.print(args.json))
}

/// Runs a scene without a word on stdout.
pub fn run_quietly(args: &RunArgs, interrupt: &Interrupt) -> Result<Finished, Failure> {
    run_with(args, interrupt, |_| Ok(()))
}

fn run_with(
    args: &RunArgs,
    interrupt: &Interrupt,
    tell: impl FnOnce(&Summary) -> Result<(), Failure>,
) -> Result<Finished, Failure> {
    let chosen = args.place.open()?;
    let Start { simulation, initial, resumed_from, done } = start(args, &chosen.options)?;
    let chosen = chosen.that_took(&simulation);
    if args.render && !simulation.scene().output.has(ExportFormat::Ply) {
        return Err(Failure::Input(
            "--render draws PLY frames, but they are not among the formats of --export".into(),
        ));
    }
    let recording = Recording::begin(args, &simulation, &initial)?;
    chosen.announce();
    let mut run = Run::new(args, &chosen, simulation, recording, resumed_from);
    run.follow(done);
    let ended = run.drive(&initial, interrupt).and_then(|end| Ok((run.conclude(&end)?, end)));
    let (summary, end) = ended.map_err(|failure| run.give_up(&failure))?;
    tell(&summary)?;
    let drawable = matches!(end, End::Complete | End::Interrupted);
    let verdict = verdict(end, &summary);
    Ok(Finished { folder: run.recording.into_folder(), scene: summary.scene, drawable, verdict })
}

/// A simulation that is ready to step, with the fields of its first frame.
struct Start {
    simulation: Simulation,
    initial: Snapshot,
    resumed_from: Option<ResumedFrom>,
    /// What is to be done on the way.
    done: Option<live::Recording>,
}

/// From the scene's beginning or from a checkpoint.
fn start(args: &RunArgs, options: &Options) -> Result<Start, Failure> {
    match (&args.resume, &args.scene) {
        (Some(path), _) => {
            let (mut simulation, from, done) = resume::resume(args, path, options)?;
            let initial = scenes::first_snapshot(&mut simulation)?;
            Ok(Start { simulation, initial, resumed_from: Some(from), done })
        }
        (None, Some(scene)) => {
            let mut opened = Opened::for_run(scene, args)?;
            let done = opened.recording.take();
            let (mut simulation, mut initial) = opened.build(options)?;
            if done.as_ref().is_some_and(|done| !done.at(0).is_empty()) {
                give_commands(&mut simulation, done.as_ref())?;
                initial = scenes::first_snapshot(&mut simulation)?;
            }
            Ok(Start { simulation, initial, resumed_from: None, done })
        }
        (None, None) => Err(Failure::Input("name a scene, or a checkpoint with --resume".into())),
    }
}

/// A run in progress.
struct Run<'a> {
    args: &'a RunArgs,
    device: &'static str,
    threads: usize,
    started: Instant,
    /// Frame at which the run ends.
    last_frame: u64,
    simulation: Simulation,
    recording: Recording,
    statistics: Statistics,
    resumed_from: Option<ResumedFrom>,
    /// What is done on the way, where a recording is replayed.
    done: Option<live::Recording>,
}

impl<'a> Run<'a> {
    fn new(
        args: &'a RunArgs,
        chosen: &Chosen,
        simulation: Simulation,
        recording: Recording,
        resumed_from: Option<ResumedFrom>,
    ) -> Self {
        let last_frame = args.frames.unwrap_or_else(|| {
            frame_at(simulation.scene(), args.seconds.unwrap_or(simulation.scene().simulation.seconds))
        });
        let (started, statistics) = (Instant::now(), Statistics::default());
        let (device, threads) = (chosen.word, chosen.threads);
        let done = None;
        Self {
            args,
            device,
            threads,
            started,
            last_frame,
            simulation,
            recording,
            statistics,
            resumed_from,
            done,
        }
    }

    /// Replays what was done: to its last frame unless another end is asked for.
    fn follow(&mut self, done: Option<live::Recording>) {
        if let Some(done) = &done
            && self.args.frames.is_none()
            && self.args.seconds.is_none()
            && done.last_frame() > 0
        {
            self.last_frame = done.last_frame();
        }
        self.done = done;
    }

    /// Steps and writes frames until the end.
    fn drive(&mut self, initial: &Snapshot, interrupt: &Interrupt) -> Result<End, Failure> {
        let scene = self.simulation.scene().clone();
        let mut detector = BlowUpDetector::new(&scene, initial.vec3("position").unwrap_or_default());
        detector.lost_before(self.simulation.lost());
        let mut progress = Progress::new(&scene.name);
        self.recording.frame(&mut self.simulation, initial, &mut self.statistics)?;
        // Whatever happens from here on, there is a summary, and it says that the run is incomplete.
        let summary = self.summary(&End::Incomplete(None))?;
        self.recording.folder().write_summary(&summary)?;
        let end = loop {
            if self.simulation.frame() >= self.last_frame {
                break End::Complete;
            }
            if let Some(end) = self.drive_frame(&mut detector, &mut progress, interrupt) {
                break end;
            }
            give_commands(&mut self.simulation, self.done.as_ref())?;
            let snapshot = self.read(&scenes::frame_fields(&scene, self.simulation.fields()))?;
            if let Some(blow_up) = blow_up::in_snapshot(&snapshot) {
                break End::Diverged(blow_up);
            }
            self.recording.frame(&mut self.simulation, &snapshot, &mut self.statistics)?;
        };
        progress.finish();
        Ok(end)
    }

    /// Steps to the next frame; an end that comes before it is returned.
    fn drive_frame(
        &mut self,
        detector: &mut BlowUpDetector,
        progress: &mut Progress,
        interrupt: &Interrupt,
    ) -> Option<End> {
        let target = self.simulation.frame() + 1;
        while self.simulation.frame() < target {
            let start = Instant::now();
            let reports = self.simulation.step_ahead();
            if let Some(failure) = self.simulation.failure() {
                return Some(End::Incomplete(Some(failure.into())));
            }
            let seconds = start.elapsed().as_secs_f64() / reports.len().max(1) as f64;
            for (report, time) in &reports {
                self.statistics.add(report, seconds);
                if let Some(blow_up) = detector.after(report, *time) {
                    return Some(End::Diverged(blow_up));
                }
            }
            if let Some((report, _)) = reports.last() {
                self.show(report, progress);
            }
            if interrupt.wanted() {
                return Some(End::Interrupted);
            }
        }
        None
    }

    fn show(&self, report: &StepReport, progress: &mut Progress) {
        let time = self.simulation.time();
        let last = self.last_frame as f64 / self.simulation.scene().simulation.fps;
        let first = self.resumed_from.as_ref().map_or(0.0, |from| from.time);
        progress.update((time - first) / (last - first), || {
            let factor = (time - first) / self.started.elapsed().as_secs_f64().max(1e-9);
            format!(
                "{time:.2}/{last:.2} s, {} particles, {} iterations, {factor:.2}x real time",
                report.particles, report.iterations
            )
        });
    }

    /// Writes index and summary.
    fn conclude(&mut self, end: &End) -> Result<Summary, Failure> {
        self.recording.end(matches!(end, End::Complete))?;
        let summary = self.summary(end)?;
        self.recording.folder().write_summary(&summary)?;
        Ok(summary)
    }

    /// Ends a run that cannot go on: the summary that says so comes first, as there may be no room for more.
    fn give_up(&mut self, failure: &Failure) -> Failure {
        let summary = self.summary(&End::Incomplete(Some(failure.to_string())));
        let written = summary.is_ok_and(|summary| self.recording.folder().write_summary(&summary).is_ok());
        let stale = match (written, self.recording.end(false).is_ok()) {
            (true, true) => "",
            (false, true) => "; the summary could not be brought up to date",
            (true, false) => "; the index of frames could not be brought up to date",
            (false, false) => "; summary and index of frames could not be brought up to date",
        };
        let frames = self.recording.frame_count();
        let folder = self.recording.folder().path().display();
        Failure::Run(format!("{failure}\n  the run is incomplete: {frames} frames in {folder}{stale}"))
    }

    fn summary(&mut self, end: &End) -> Result<Summary, Failure> {
        // What hands have changed need not come out as the scene expects.
        let untouched = self.done.as_ref().is_none_or(|done| done.commands().is_empty());
        let due = matches!(end, End::Complete) && untouched && self.reached_the_scenes_end();
        let expectations = match end {
            End::Diverged(_) | End::Incomplete(_) => Vec::new(),
            _ => expectations::measure(&mut self.simulation, due)
                .map_err(|error| Failure::Run(error.to_string()))?,
        };
        let ending = Ending {
            quick: self.args.scene.is_some().then_some(self.args.quick),
            device: self.device,
            threads: self.threads,
            wall_seconds: self.started.elapsed().as_secs_f64(),
            complete: matches!(end, End::Complete),
            interrupted: matches!(end, End::Interrupted),
            resumed_from: self.resumed_from.clone(),
            diverged: if let End::Diverged(blow_up) = end { Some(blow_up.to_string()) } else { None },
            failed: if let End::Incomplete(failure) = end { failure.clone() } else { None },
            expectations,
            missing_tracks: self.recording.missing_tracks().to_vec(),
            frames: self.recording.frame_count(),
            files: self.recording.files(),
        };
        Ok(Summary::new(&self.simulation, &self.statistics, ending))
    }

    fn reached_the_scenes_end(&self) -> bool {
        let scene = self.simulation.scene();
        self.last_frame >= frame_at(scene, scene.simulation.seconds)
    }

    fn read(&mut self, fields: &[&str]) -> Result<Snapshot, Failure> {
        self.simulation.read(fields).map_err(|error| Failure::Run(error.to_string()))
    }
}

/// Gives the commands that a recording has for the frame.
fn give_commands(simulation: &mut Simulation, done: Option<&live::Recording>) -> Result<(), Failure> {
    let frame = simulation.frame();
    for logged in done.map(|done| done.at(frame)).unwrap_or_default() {
        simulation.apply(&logged.command).map_err(|error| {
            let remedy = "the recording was made with another solver or device, or its scene was changed";
            Failure::Run(format!("the command at frame {frame}: {error}; {remedy}"))
        })?;
    }
    Ok(())
}

/// The first frame at or after a time [s].
fn frame_at(scene: &Scene, seconds: f64) -> u64 {
    // A hair less, so that rounding does not add a frame.
    (seconds * scene.simulation.fps * (1.0 - FRAME_ROUNDING)).ceil() as u64
}

fn verdict(end: End, summary: &Summary) -> Result<(), Failure> {
    let failed = expectations::failed(&summary.expectations);
    match end {
        End::Diverged(blow_up) => {
            Err(Failure::Run(format!("{blow_up}\n  frames until then: {}", summary.files.folder)))
        }
        End::Incomplete(failure) => Err(Failure::Run(failure.unwrap_or_default())),
        End::Interrupted => Err(Failure::Interrupted),
        End::Complete if failed > 0 => {
            Err(Failure::Run(format!("{failed} of {} expectations failed", summary.expectations.len())))
        }
        End::Complete => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_at_the_first_frame_at_or_after_its_time() {
        let mut scene = Scene::open("column", false, &[]).unwrap();
        scene.simulation.fps = 30.0;
        let at = |seconds| frame_at(&scene, seconds);
        assert_eq!((at(0.0), at(0.1), at(0.5), at(0.51), at(1.0 / 30.0)), (0, 3, 15, 16, 1));
    }
}
