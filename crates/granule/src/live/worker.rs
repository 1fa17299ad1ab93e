//! The thread of a live run: requests in their order, frames when they are due.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use crate::error::SimulationError;
use crate::simulator::{Command, FieldError, Snapshot};

use super::event::Event;
use super::frame::Frame;
use super::options::{LiveOptions, Publish, Source};
use super::outbox::Outbox;
use super::pace::Pace;
use super::recording::Recording;
use super::request::{Request, RequestId};
use super::run::{Halt, Run};
use super::statistics::StepStatistics;
use super::watch::Watch;

/// Why nothing goes on after a halt.
const HALTED: &str = "the run has stopped; seek a frame before, reset it or load another scene";

/// What the newest frame does not show yet, from little to much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unshown {
    /// Nothing.
    Nothing,
    /// Whether it plays, how fast, what was answered.
    Flags,
    /// What commands have changed; the next frame that is played shows it, too.
    Command,
    /// That the simulation is elsewhere.
    All,
}

/// What the thread of a live run owns.
pub(super) struct Worker {
    requests: Receiver<(RequestId, Request)>,
    /// Requests that have come.
    queue: VecDeque<(RequestId, Request)>,
    /// Whether nobody will ask for anything any more.
    over: bool,
    pub outbox: Arc<Outbox>,
    pub run: Run,
    pub source: Source,
    pub watch: Option<Watch>,
    pub pace: Pace,
    playing: bool,
    pub seeking: Option<u64>,
    /// Commands that wait for the frame's end.
    waiting: Vec<(RequestId, Command)>,
    answered: RequestId,
    sequence: u64,
    /// What the newest frame does not show yet.
    pub unshown: Unshown,
    wanted_fields: Vec<String>,
    fields: Vec<&'static str>,
    publisher: Option<Box<dyn Publish>>,
    publish_seconds: f64,
    state_hash: bool,
    pub history_bytes: usize,
    pub checkpoint_after: Duration,
}

impl Worker {
    /// Builds the simulation and publishes its first frame.
    pub(super) fn new(
        source: Source,
        options: LiveOptions,
        requests: Receiver<(RequestId, Request)>,
    ) -> Result<Self, SimulationError> {
        // Before it is read, so that no change is missed.
        let watch = source.watched().map(Watch::new);
        let LiveOptions { simulation, history_bytes, checkpoint_after, .. } = options;
        let run = Run::new(source.open()?, simulation, history_bytes, checkpoint_after)?;
        let recording =
            Recording::new(&run.scene).map_err(|error| SimulationError::Failed(error.to_string()))?;
        let pace = Pace::new(options.speed);
        let first = describe(&run, &pace, Arc::default(), Arc::from(run.simulation.simulator().device()));
        let mut worker = Self {
            requests,
            queue: VecDeque::new(),
            over: false,
            outbox: Arc::new(Outbox::new(first, recording)),
            run,
            source,
            watch,
            pace,
            playing: options.playing,
            seeking: None,
            waiting: Vec::new(),
            answered: RequestId::default(),
            sequence: 0,
            unshown: Unshown::All,
            wanted_fields: options.fields,
            fields: Vec::new(),
            publisher: options.publish,
            publish_seconds: 0.0,
            state_hash: options.state_hash,
            history_bytes,
            checkpoint_after,
        };
        worker.choose_fields();
        worker.tell_refusal();
        worker.run.arrive(&worker.outbox);
        worker.show();
        Ok(worker)
    }

    pub(super) fn outbox(&self) -> Arc<Outbox> {
        self.outbox.clone()
    }

    /// Works until nobody holds the run any more.
    pub(super) fn work(mut self) {
        loop {
            self.receive();
            if self.over {
                return;
            }
            if let Some((id, request)) = self.queue.pop_front() {
                self.answer(id, request);
                continue;
            }
            if self.watch.as_mut().is_some_and(|watch| watch.has_changed(Instant::now())) {
                self.load(None, self.source.clone());
            }
            self.show_changes();
            if self.playing && self.pace.wait(Instant::now()).is_zero() {
                self.play_frame();
            }
        }
    }

    /// Takes the requests that have come; where there is nothing to do, waits for one, or until a frame is due or the file
    /// is to be looked at.
    fn receive(&mut self) {
        self.collect();
        if self.over || !self.queue.is_empty() || self.unshown > Unshown::Nothing {
            return;
        }
        let now = Instant::now();
        let frame = self.playing.then(|| self.pace.wait(now));
        let file = self.watch.as_ref().map(|watch| watch.wait(now));
        let received = match frame.into_iter().chain(file).min() {
            Some(wait) if wait.is_zero() => return,
            Some(wait) => self.requests.recv_timeout(wait),
            None => self.requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(request) => self.queue.push_back(request),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.over = true,
        }
    }

    /// Takes the requests that have come, without waiting.
    fn collect(&mut self) {
        loop {
            match self.requests.try_recv() {
                Ok(request) => self.queue.push_back(request),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.over = true;
                    return;
                }
            }
        }
    }

    /// Whether the frame under way is to be left: nobody is there, or the next request that minds leaves it.
    fn is_interrupted(&mut self) -> bool {
        self.collect();
        let minds = |(_, request): &&(RequestId, Request)| request.leaves_frame() || request.needs_frame();
        self.over || self.queue.iter().find(minds).is_some_and(|(_, request)| request.leaves_frame())
    }

    fn answer(&mut self, id: RequestId, request: Request) {
        self.unshown = self.unshown.max(Unshown::Flags);
        match request {
            Request::Play if self.run.halted.is_some() => self.refuse(id, HALTED.into()),
            Request::Play => self.set_playing(true),
            Request::Pause => {
                if self.playing && self.run.mid_frame {
                    self.finish_frame();
                    self.unshown = Unshown::All;
                }
                self.set_playing(false);
            }
            Request::Step | Request::Frame if self.run.halted.is_some() => self.refuse(id, HALTED.into()),
            Request::Step => {
                self.set_playing(false);
                self.take_step();
            }
            Request::Frame => {
                self.set_playing(false);
                self.finish_frame();
                self.unshown = Unshown::All;
            }
            Request::Reset => self.reset(id),
            Request::Speed(speed) if speed.is_sound() => self.pace.set_speed(speed),
            Request::Speed(speed) => self.refuse(id, format!("{speed:?}: a speed is a number above 0")),
            Request::Apply(command) => self.apply(id, command),
            // One that is overtaken by the next need not be reached.
            Request::Seek(_) if matches!(self.queue.front(), Some((_, Request::Seek(_)))) => {}
            Request::Seek(frame) => self.seek(id, frame),
            Request::Load(source) => self.load(Some(id), source),
            Request::Rebuild(options) => self.rebuild(id, *options),
            Request::Fields(fields) => {
                self.wanted_fields = fields;
                self.choose_fields();
                self.unshown = Unshown::All;
            }
            Request::Publisher(publisher) => {
                self.publisher = publisher;
                self.unshown = Unshown::All;
            }
        }
        self.answered = self.answered.max(id);
    }

    fn set_playing(&mut self, playing: bool) {
        if self.playing != playing {
            self.playing = playing;
            self.pace.restart();
        }
    }

    pub(super) fn refuse(&self, id: RequestId, reason: String) {
        self.outbox.tell(Event::Refused { id, reason });
    }

    /// Carries a command out, or keeps it for the frame's end.
    fn apply(&mut self, id: RequestId, command: Command) {
        if self.run.halted.is_some() {
            self.refuse(id, HALTED.into());
            return;
        }
        if self.run.mid_frame {
            self.waiting.push((id, command));
            return;
        }
        match self.run.simulation.apply(&command) {
            Err(error) => self.refuse(id, error.to_string()),
            Ok(report) => {
                let frame = self.run.simulation.frame();
                if self.run.cut_future(&self.outbox) {
                    self.outbox.tell(Event::HistoryTruncated { after: frame });
                }
                self.outbox.with_recording(|recording| recording.push(frame, command));
                self.outbox.tell(Event::CommandDone { id, frame, report });
                self.unshown = self.unshown.max(Unshown::Command);
            }
        }
    }

    /// Refuses the commands that wait for the end of a frame that is left.
    pub(super) fn give_up_waiting(&mut self) {
        for (id, _) in std::mem::take(&mut self.waiting) {
            self.refuse(id, "the frame was left before its end".into());
        }
    }

    /// Plays one frame and publishes it.
    fn play_frame(&mut self) {
        if !self.run.mid_frame {
            self.pace.begin(Instant::now(), 1.0 / self.run.scene.simulation.fps);
        }
        if self.finish_frame() {
            self.pace.note(Instant::now(), self.run.simulation.time());
            self.show();
        }
    }

    /// Goes to the end of the frame under way, or to the next; false where it is interrupted or the run stops.
    pub(super) fn finish_frame(&mut self) -> bool {
        loop {
            if self.advance(false) {
                return true;
            }
            if self.run.halted.is_some() || self.is_interrupted() {
                return false;
            }
        }
    }

    fn take_step(&mut self) {
        self.advance(true);
        self.unshown = Unshown::All;
    }

    /// Steps; says whether a frame is complete. What waits for its end is done then.
    fn advance(&mut self, one: bool) -> bool {
        let before = self.run.simulation.frame();
        match self.run.advance(one) {
            Ok(false) => false,
            Ok(true) => {
                self.run.arrive(&self.outbox);
                for (id, command) in std::mem::take(&mut self.waiting) {
                    self.apply(id, command);
                }
                true
            }
            Err(halt) => {
                self.halt(halt, before);
                false
            }
        }
    }

    /// Stops a run that cannot go on after a last good frame, which stays the newest where it was published.
    fn halt(&mut self, halt: Halt, frame: u64) {
        self.give_up_waiting();
        self.run.end = frame;
        let (text, event) = match halt {
            Halt::Diverged(blow_up) => {
                let diagnosis = blow_up.to_string();
                (diagnosis.clone(), Event::Diverged { frame, diagnosis })
            }
            Halt::Failed(reason) => (reason.clone(), Event::DeviceFailed { frame, reason }),
        };
        self.run.halted = Some(text);
        self.set_playing(false);
        self.unshown = Unshown::Flags;
        self.outbox.tell(event);
    }

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
    fn show_changes(&mut self) {
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
fn describe(run: &Run, pace: &Pace, snapshot: Arc<Snapshot>, device: Arc<str>) -> Frame {
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
        bodies: simulation.bodies().into(),
        boundaries: simulation.boundary_poses().into(),
        ledger: simulation.ledger(),
        statistics: StepStatistics::default(),
        real_time_factor: None,
        history: run.history_report(),
        state_hash: None,
    }
}
