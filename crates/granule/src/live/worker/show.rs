//! Publishing what a run is like.

use std::sync::Arc;
use std::time::Instant;

use crate::simulator::{FieldError, Snapshot};

use super::super::event::Event;
use super::super::frame::Frame;
use super::super::pace::Pace;
use super::super::request::RequestId;
use super::super::run::Run;
use super::super::statistics::StepStatistics;
use super::{Unshown, Worker};

impl Worker {
    /// Finds out which of the fields that are wanted the solver has.
    pub(super) fn choose_fields(&mut self) {
        let known = self.run.simulation.fields();
        self.fields.clear();
        for name in &self.wanted_fields {
            match known.iter().find(|field| field.name == name) {
                Some(field) => self.fields.push(field.name),
                None => {
                    let error = FieldError {
                        solver: self.run.simulation.simulator().solver(),
                        name: name.clone(),
                        known: known.iter().map(|field| field.name).collect::<Vec<_>>().join(", "),
                    };
                    self.outbox.tell(Event::FieldRefused { reason: error.to_string() });
                }
            }
        }
    }

    pub(super) fn tell_refusal(&self) {
        if let Some(reason) = self.run.simulation.refusal() {
            self.outbox.tell(Event::DeviceRefused { reason: reason.into() });
        }
    }

    /// Publishes what requests have changed: the particles, too, unless a frame that is played shows them soon.
    pub(super) fn show_changes(&mut self) {
        let soon = self.playing && self.pace.wait(Instant::now()).is_zero();
        let least = if soon { Unshown::All } else { Unshown::Command };
        if self.unshown >= least && self.run.halted.is_none() {
            self.show();
        } else if self.unshown > Unshown::Nothing {
            let mut frame = self.outbox.latest().as_ref().clone();
            self.sign(&mut frame);
            self.outbox.publish(Arc::new(frame));
        }
    }

    /// Publishes the simulation as it is.
    pub(super) fn show(&mut self) {
        let start = Instant::now();
        let snapshot = match self.run.read(&self.fields) {
            Ok(snapshot) => Arc::new(snapshot),
            Err(halt) => {
                let frame = self.run.simulation.frame();
                self.halt(halt, if self.run.mid_frame { frame } else { frame.saturating_sub(1) });
                return;
            }
        };
        let mut frame = describe(&self.run, &self.pace, snapshot, self.outbox.latest().device.clone());
        if self.contacts {
            frame.contacts = self.run.simulation.contacts().into();
        }
        let device = self.run.simulation.simulator().device();
        if *frame.device != *device {
            frame.device = device.into();
        }
        frame.state_hash = self.state_hash.then(|| self.run.simulation.simulator().state_hash());
        frame.statistics = std::mem::take(&mut self.run.statistics);
        frame.statistics.publish_seconds = self.publish_seconds;
        self.sign(&mut frame);
        if let Some(publisher) = &mut self.publisher {
            publisher.publish(&mut self.run.simulation, &frame);
        }
        self.outbox.publish(Arc::new(frame));
        self.publish_seconds = start.elapsed().as_secs_f64();
    }

    /// Writes into a frame what is not the simulation's.
    fn sign(&mut self, frame: &mut Frame) {
        self.sequence += 1;
        frame.sequence = self.sequence;
        frame.answered = self.answered;
        frame.playing = self.playing;
        frame.speed = self.pace.speed();
        frame.seeking = self.seeking;
        frame.waiting = self.waiting.len();
        frame.halted.clone_from(&self.run.halted);
        frame.real_time_factor = self.pace.factor();
        frame.history = self.run.history_report();
        self.unshown = Unshown::Nothing;
    }
}

/// What a frame shows of a run.
pub(super) fn describe(run: &Run, pace: &Pace, snapshot: Arc<Snapshot>, device: Arc<str>) -> Frame {
    let simulation = &run.simulation;
    Frame {
        sequence: 0,
        answered: RequestId::default(),
        frame: simulation.frame(),
        time: simulation.time(),
        mid_frame: run.mid_frame,
        waiting: 0,
        playing: false,
        speed: pace.speed(),
        seeking: None,
        halted: None,
        scene: run.scene.clone(),
        solver: simulation.simulator().solver(),
        device,
        fields: simulation.fields(),
        snapshot,
        contacts: Arc::default(),
        bodies: simulation.bodies().into(),
        boundaries: simulation.boundary_poses().into(),
        ledger: simulation.ledger(),
        statistics: StepStatistics::default(),
        real_time_factor: None,
        history: run.history_report(),
        state_hash: None,
    }
}
