//! The thread of a live run: requests in their order, frames when they are due.

mod seek;
mod show;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use crate::error::SimulationError;
use crate::simulator::Command;

use super::beginning::Beginning;
use super::event::Event;
use super::options::{LiveOptions, Publish, Source};
use super::outbox::Outbox;
use super::pace::Pace;
use super::request::{Request, RequestId};
use super::run::{Halt, Run};
use super::watch::Watch;

/// Why nothing goes on after a halt.
const HALTED: &str = "the run has stopped; seek a frame before, reset it or load another scene";

/// What the newest frame does not show yet, from little to much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unshown {
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
    outbox: Arc<Outbox>,
    run: Run,
    source: Source,
    watch: Option<Watch>,
    pace: Pace,
    playing: bool,
    seeking: Option<u64>,
    /// Commands that wait for the frame's end.
    waiting: Vec<(RequestId, Command)>,
    answered: RequestId,
    sequence: u64,
    /// What the newest frame does not show yet.
    unshown: Unshown,
    wanted_fields: Vec<String>,
    fields: Vec<&'static str>,
    /// Whether frames have contacts.
    contacts: bool,
    publisher: Option<Box<dyn Publish>>,
    publish_seconds: f64,
    state_hash: bool,
    history_bytes: usize,
    checkpoint_after: Duration,
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
        let beginning = Beginning::of(&source, &simulation)?;
        let (run, recording) = Run::new(beginning, simulation, history_bytes, checkpoint_after);
        let pace = Pace::new(options.speed);
        let first =
            show::describe(&run, &pace, Arc::default(), Arc::from(run.simulation.simulator().device()));
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
            contacts: false,
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
            Request::Play => {
                if self.run.is_over() {
                    self.seek(id, self.run.first);
                }
                self.set_playing(true);
            }
            Request::Pause => {
                if self.playing && self.run.mid_frame && !self.is_interrupted() {
                    self.finish_frame();
                    self.unshown = Unshown::All;
                }
                self.set_playing(false);
            }
            Request::Step | Request::Frame if self.run.halted.is_some() => self.refuse(id, HALTED.into()),
            Request::Step | Request::Frame if self.run.is_over() => self.set_playing(false),
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
            Request::Undo => self.undo(id),
            Request::Load(source) => self.load(Some(id), source),
            Request::Saved(source) => {
                self.watch = source.watched().map(Watch::new);
                self.source = source;
            }
            Request::Work(work) => work(&mut self.run.simulation),
            Request::Rebuild(options) => self.rebuild(id, *options),
            Request::Fields(fields) => {
                self.wanted_fields = fields;
                self.choose_fields();
                self.unshown = Unshown::All;
            }
            Request::Contacts(on) => {
                self.contacts = on;
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

    fn refuse(&self, id: RequestId, reason: String) {
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
        match self.run.apply(&command) {
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
    fn give_up_waiting(&mut self) {
        for (id, _) in std::mem::take(&mut self.waiting) {
            self.refuse(id, "the frame was left before its end".into());
        }
    }

    /// Plays one frame and publishes it.
    fn play_frame(&mut self) {
        if self.run.is_over() {
            self.set_playing(false);
            self.unshown = self.unshown.max(Unshown::Flags);
            return;
        }
        if !self.run.mid_frame {
            self.pace.begin(Instant::now(), 1.0 / self.run.scene.simulation.fps);
        }
        if self.finish_frame() {
            self.pace.note(Instant::now(), self.run.simulation.time());
            self.show();
        }
    }

    /// Goes to the end of the frame under way, or to the next; false where it is interrupted or the run stops.
    fn finish_frame(&mut self) -> bool {
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
        if !self.run.simulation.is_playback() {
            self.run.end = frame;
        }
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
}
