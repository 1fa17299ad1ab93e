//! A simulation with its past: steps, checkpoints, commands by frame, and what makes it stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::blow_up::{self, BlowUp, BlowUpDetector};
use crate::build::Options;
use crate::error::SimulationError;
use crate::io::{Checkpoint, CheckpointError};
use crate::scene::Scene;
use crate::simulation::Simulation;
use crate::simulator::{Command, CommandError, CommandReport, FieldError, Snapshot};

use super::beginning::Beginning;
use super::event::Event;
use super::history::{History, HistoryReport};
use super::outbox::Outbox;
use super::recording::Recording;
use super::statistics::StepStatistics;

/// Wall time of simulating per wall time of taking checkpoints, at least: they take a fifth of the time at most.
const SIMULATING_PER_CHECKPOINT: f64 = 4.0;

/// Why a run cannot go on.
pub(super) enum Halt {
    /// It has diverged.
    Diverged(BlowUp),
    /// Its device has failed.
    Failed(String),
}

/// A simulation with its past.
pub(super) struct Run {
    pub simulation: Simulation,
    pub options: Options,
    /// The scene with the bodies that were added to it.
    pub scene: Arc<Scene>,
    /// The scene as it began.
    pub first_scene: Arc<Scene>,
    pub history: History,
    /// The frame that it begins at.
    pub first: u64,
    /// The checkpoint that it goes on from, where it does.
    checkpoint: Option<Arc<Checkpoint>>,
    /// The last frame that is known.
    pub end: u64,
    /// Whether steps have gone beyond the last frame.
    pub mid_frame: bool,
    /// Why it cannot go on.
    pub halted: Option<String>,
    /// The steps since statistics were last taken.
    pub statistics: StepStatistics,
    /// As at the beginning, and now.
    detectors: [BlowUpDetector; 2],
    checkpoint_after: Duration,
    /// Wall time of simulating since the last checkpoint \[s\].
    since_checkpoint: f64,
    /// Wall time that the last checkpoint took \[s\].
    checkpoint_seconds: f64,
    /// Whether it was told that checkpoints fail.
    told: bool,
}

impl Run {
    /// A run at its beginning, with the scene and what is to be done to it.
    pub(super) fn new(
        beginning: Beginning,
        options: Options,
        history_bytes: usize,
        checkpoint_after: Duration,
    ) -> (Self, Recording) {
        let Beginning { mut simulation, recording, checkpoint, end } = beginning;
        let scene = Arc::new(simulation.scene().clone());
        let positions = simulation.read(&["position"]).unwrap_or_default();
        let mut detector = BlowUpDetector::new(&scene, positions.vec3("position").unwrap_or_default());
        detector.lost_before(simulation.lost());
        let run = Self {
            first: simulation.frame(),
            checkpoint,
            simulation,
            options,
            first_scene: Arc::clone(&scene),
            scene,
            history: History::new(history_bytes),
            end,
            mid_frame: false,
            halted: None,
            statistics: StepStatistics::default(),
            detectors: [detector.clone(), detector],
            checkpoint_after,
            since_checkpoint: 0.0,
            checkpoint_seconds: 0.0,
            told: false,
        };
        (run, recording)
    }

    /// Whether it is the playback of a run that is over, and at its last frame.
    pub(super) fn is_over(&self) -> bool {
        self.simulation.is_playback() && self.simulation.frame() >= self.end
    }

    /// Takes one step, or as many as the device takes at once up to the next frame; says whether the frame is complete.
    pub(super) fn advance(&mut self, one: bool) -> Result<bool, Halt> {
        let (start, before) = (Instant::now(), self.simulation.frame());
        let reports = if one {
            let report = self.simulation.step();
            vec![(report, self.simulation.time())]
        } else {
            self.simulation.step_ahead()
        };
        let seconds = start.elapsed().as_secs_f64();
        self.statistics.step_seconds += seconds;
        self.since_checkpoint += seconds;
        if let Some(failure) = self.simulation.failure() {
            return Err(Halt::Failed(failure.into()));
        }
        for (report, time) in &reports {
            self.statistics.add(report);
            if let Some(blow_up) = self.detectors[1].after(report, *time) {
                return Err(Halt::Diverged(blow_up));
            }
        }
        self.mid_frame = self.simulation.frame() == before;
        Ok(!self.mid_frame)
    }

    /// A frame is complete, or the run begins: takes a checkpoint if it is time, then replays what was done here.
    pub(super) fn arrive(&mut self, outbox: &Outbox) {
        let frame = self.simulation.frame();
        self.end = self.end.max(frame);
        if self.history.holds(frame) {
            self.since_checkpoint = 0.0;
        } else if self.is_checkpoint_due() {
            self.take_checkpoint(outbox);
        }
        self.replay(outbox);
    }

    fn is_checkpoint_due(&self) -> bool {
        let after = self.checkpoint_after.as_secs_f64();
        let enough = if after > 0.0 { SIMULATING_PER_CHECKPOINT * self.checkpoint_seconds } else { 0.0 };
        let begins = self.simulation.frame() == self.first;
        !self.simulation.is_playback() && (begins || self.since_checkpoint >= after.max(enough))
    }

    fn take_checkpoint(&mut self, outbox: &Outbox) {
        let start = Instant::now();
        match self.simulation.save() {
            Ok(checkpoint) => self.history.insert(checkpoint, self.since_checkpoint),
            Err(error) => self.tell_no_checkpoint(outbox, &error),
        }
        self.checkpoint_seconds = start.elapsed().as_secs_f64();
        self.statistics.checkpoint_seconds += self.checkpoint_seconds;
        self.since_checkpoint = 0.0;
    }

    fn tell_no_checkpoint(&mut self, outbox: &Outbox, error: &CheckpointError) {
        if !std::mem::replace(&mut self.told, true) {
            outbox.tell(Event::NoCheckpoint { frame: self.simulation.frame(), reason: error.to_string() });
        }
    }

    /// Gives the commands that are recorded for this frame.
    fn replay(&mut self, outbox: &Outbox) {
        let frame = self.simulation.frame();
        for logged in outbox.with_recording(|recording| recording.at(frame).to_vec()) {
            if let Err(error) = self.apply(&logged.command) {
                outbox.tell(Event::ReplayRefused { frame, reason: error.to_string() });
            }
        }
    }

    /// The frame that is nearest to a wanted one.
    pub(super) fn within_reach(&self, frame: u64) -> u64 {
        let last = if self.simulation.is_playback() { self.end } else { u64::MAX };
        frame.clamp(self.first, last.max(self.first))
    }

    /// Gives the simulation a command.
    pub(super) fn apply(&mut self, command: &Command) -> Result<CommandReport, CommandError> {
        let report = self.simulation.apply(command)?;
        self.note_scene();
        Ok(report)
    }

    /// Takes note of bodies that have come or gone.
    fn note_scene(&mut self) {
        let scene = self.simulation.scene();
        if scene.body.len() == self.scene.body.len() {
            return;
        }
        let first = scene.body.len() == self.first_scene.body.len();
        self.scene = if first { Arc::clone(&self.first_scene) } else { Arc::new(scene.clone()) };
    }

    /// Goes to the last checkpoint at or before a frame, or to the beginning where there is none.
    pub(super) fn go_back(&mut self, frame: u64, outbox: &Outbox) -> Result<(), SimulationError> {
        if self.simulation.is_playback() {
            self.simulation.jump(frame);
            self.settle();
            return Ok(());
        }
        let rewound = match self.history.before(frame) {
            Some(checkpoint) => self.simulation.rewind(&checkpoint, &self.options),
            None => Err(CheckpointError::Content("there is no checkpoint".into())),
        };
        if let Err(error) = rewound {
            if self.history.before(frame).is_some() {
                self.tell_no_checkpoint(outbox, &error);
            }
            self.simulation = self.begun_anew()?;
        }
        self.settle();
        Ok(())
    }

    /// The run as it began.
    fn begun_anew(&self) -> Result<Simulation, SimulationError> {
        match &self.checkpoint {
            None => Simulation::new(self.first_scene.as_ref().clone(), &self.options),
            Some(checkpoint) => {
                let restored = Simulation::restore(checkpoint, &self.options);
                restored.map_err(|error| SimulationError::Failed(error.to_string()))
            }
        }
    }

    /// Takes over a simulation of the same scene that other options have made.
    pub(super) fn replace(&mut self, simulation: Simulation, options: Options) {
        (self.simulation, self.options) = (simulation, options);
        self.settle();
    }

    /// A state to go on with when other options take over: of now, or of the last frame with a checkpoint.
    pub(super) fn state_to_keep(&self) -> Result<Arc<Checkpoint>, CheckpointError> {
        if self.mid_frame || self.halted.is_some() {
            let nothing = || CheckpointError::NotAtFrame { time: self.simulation.time() };
            return self.history.before(self.simulation.frame()).ok_or_else(nothing);
        }
        self.simulation.save().map(Arc::new)
    }

    /// The simulation has been put at a frame.
    fn settle(&mut self) {
        self.note_scene();
        self.mid_frame = false;
        self.halted = None;
        self.since_checkpoint = 0.0;
        self.statistics = StepStatistics::default();
        self.detectors[1] = self.detectors[0].clone();
        self.detectors[1].lost_before(self.simulation.lost());
    }

    /// Forgets what was known after this frame; says whether there was anything.
    pub(super) fn cut_future(&mut self, outbox: &Outbox) -> bool {
        if self.simulation.is_playback() {
            return false;
        }
        let frame = self.simulation.frame();
        self.history.cut_after(frame);
        let commands = outbox.with_recording(|recording| recording.cut_after(frame));
        std::mem::replace(&mut self.end, frame) > frame || commands > 0
    }

    /// Reads fields; values that are not finite are a reason to stop.
    pub(super) fn read(&mut self, fields: &[&'static str]) -> Result<Snapshot, Halt> {
        if fields.is_empty() {
            return Ok(Snapshot { time: self.simulation.time(), columns: Vec::new() });
        }
        let snapshot =
            self.simulation.read(fields).map_err(|error: FieldError| Halt::Failed(error.to_string()))?;
        if let Some(failure) = self.simulation.failure() {
            return Err(Halt::Failed(failure.into()));
        }
        match blow_up::in_snapshot(&snapshot) {
            Some(blow_up) => Err(Halt::Diverged(blow_up)),
            None => Ok(snapshot),
        }
    }

    /// What can be reached.
    pub(super) fn history_report(&self) -> HistoryReport {
        self.history.report(self.first, self.end)
    }
}
