//! Going to another frame, another beginning, another scene or another device.

use std::time::{Duration, Instant};

use crate::build::Options;
use crate::simulation::Simulation;

use super::super::beginning::Beginning;
use super::super::event::Event;
use super::super::options::Source;
use super::super::recording::Recording;
use super::super::request::RequestId;
use super::super::run::Run;
use super::super::watch::Watch;
use super::{Unshown, Worker};

/// Why another solver or device cannot take over.
const OVER: &str = "this run is over: its frames are played, and nothing simulates";

/// How often a frame is published on a long way.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

impl Worker {
    /// Goes to a frame.
    pub(super) fn seek(&mut self, id: RequestId, target: u64) {
        let target = self.run.within_reach(target);
        self.give_up_waiting();
        self.pace.restart();
        if let Err(reason) = self.start_from(target) {
            self.refuse(id, reason);
            return;
        }
        self.seeking = Some(target);
        let arrived = self.run_to(target);
        self.seeking = None;
        if arrived {
            self.outbox.tell(Event::Arrived { id, frame: target });
        }
        self.unshown = Unshown::All;
    }

    /// Puts the simulation where the way to a frame begins: where it is, or at a checkpoint.
    fn start_from(&mut self, target: u64) -> Result<(), String> {
        let now = self.run.simulation.frame();
        let sound = self.run.halted.is_none();
        let on_the_way = sound && (now < target || (now == target && !self.run.mid_frame));
        let nearest = self.run.history.before(target).map(|checkpoint| checkpoint.frame);
        let simulates = !self.run.simulation.is_playback();
        if simulates && on_the_way && nearest.is_none_or(|nearest| nearest <= now) {
            return Ok(());
        }
        self.run.go_back(target, &self.outbox).map_err(|error| error.to_string())?;
        self.run.arrive(&self.outbox);
        Ok(())
    }

    /// Simulates to a frame unless it is interrupted or the run stops.
    fn run_to(&mut self, target: u64) -> bool {
        let mut shown = Instant::now();
        while self.run.simulation.frame() < target {
            if !self.finish_frame() {
                return false;
            }
            if shown.elapsed() > SHOWN_EVERY && self.run.simulation.frame() < target {
                self.show();
                shown = Instant::now();
            }
        }
        true
    }

    /// Goes back to before the last commands that belong together, and forgets them and all that came after.
    pub(super) fn undo(&mut self, id: RequestId) {
        let now = self.run.simulation.frame();
        let Some(start) = self.outbox.with_recording(|recording| recording.last_gesture(now)) else {
            self.refuse(id, "nothing was done that could be undone".into());
            return;
        };
        self.give_up_waiting();
        self.pace.restart();
        self.outbox.with_recording(|recording| recording.cut_from(start));
        self.run.history.cut_after(start);
        self.run.end = start;
        let begun = self.run.go_back(start, &self.outbox).map_err(|error| error.to_string());
        if let Err(reason) = begun {
            self.refuse(id, reason);
            return;
        }
        self.run.arrive(&self.outbox);
        self.seeking = Some(start);
        self.run_to(start);
        self.seeking = None;
        self.outbox.tell(Event::Undone { id, frame: start });
        self.unshown = Unshown::All;
    }

    /// Begins anew without commands.
    pub(super) fn reset(&mut self, id: RequestId) {
        self.give_up_waiting();
        self.pace.restart();
        if let Err(error) = self.run.go_back(self.run.first, &self.outbox) {
            self.refuse(id, error.to_string());
            return;
        }
        self.run.cut_future(&self.outbox);
        self.outbox.with_recording(Recording::clear);
        self.run.arrive(&self.outbox);
        self.unshown = Unshown::All;
    }

    /// Takes another scene; `id` is none where its file has changed.
    pub(super) fn load(&mut self, id: Option<RequestId>, source: Source) {
        match self.build(&source) {
            Err(reason) => self.outbox.tell(Event::LoadRefused { id, reason }),
            Ok((run, recording)) => {
                self.give_up_waiting();
                let scene = run.scene.name.clone();
                self.begin(run, recording);
                self.outbox.tell(Event::Loaded { id, scene });
                if id.is_some() {
                    self.watch = source.watched().map(Watch::new);
                    self.source = source;
                }
            }
        }
    }

    fn build(&self, source: &Source) -> Result<(Run, Recording), String> {
        let options = self.run.options.clone();
        let beginning = Beginning::of(source, &options).map_err(|error| error.to_string())?;
        Ok(Run::new(beginning, options, self.history_bytes, self.checkpoint_after))
    }

    /// Takes a run in place of the one there is.
    fn begin(&mut self, run: Run, recording: Recording) {
        self.run = run;
        self.outbox.with_recording(|old| *old = recording);
        self.run.arrive(&self.outbox);
        self.pace.restart();
        self.choose_fields();
        self.tell_refusal();
        self.unshown = Unshown::All;
    }

    /// Takes another solver or device.
    pub(super) fn rebuild(&mut self, id: RequestId, options: Options) {
        if self.run.simulation.is_playback() {
            self.refuse(id, OVER.into());
            return;
        }
        let resumed =
            self.run.state_to_keep().and_then(|state| Ok((Simulation::restore(&state, &options)?, state)));
        match resumed {
            Ok((simulation, _)) => {
                let left_frame = self.run.mid_frame || self.run.halted.is_some();
                self.give_up_waiting();
                self.run.replace(simulation, options);
                if left_frame {
                    // The checkpoint is that of the history, before the frame's commands.
                    self.run.arrive(&self.outbox);
                }
                let frame = self.run.simulation.frame();
                // What other options have simulated may differ in its bits; commands stay.
                self.run.history.cut_after(frame);
                self.choose_fields();
                self.tell_refusal();
                self.outbox.tell(Event::Rebuilt { id, frame });
                self.pace.restart();
                self.unshown = Unshown::All;
            }
            Err(error) => self.restart(id, options, error.to_string()),
        }
    }

    /// Begins the same scene with other options, as they cannot go on.
    fn restart(&mut self, id: RequestId, options: Options, reason: String) {
        let scene = self.run.first_scene.as_ref().clone();
        match Beginning::of_scene(scene, &options) {
            Ok(beginning) => {
                let (run, recording) =
                    Run::new(beginning, options, self.history_bytes, self.checkpoint_after);
                self.give_up_waiting();
                self.begin(run, recording);
                self.outbox.tell(Event::Restarted { id, reason });
            }
            Err(error) => self.refuse(id, error.to_string()),
        }
    }
}
