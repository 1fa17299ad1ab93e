//! What the interface holds of a live run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::build::Options;
use crate::error::SimulationError;
use crate::simulation::Simulation;
use crate::simulator::Command;

use super::event::Event;
use super::frame::Frame;
use super::options::{LiveOptions, Publish, Source, Speed};
use super::outbox::Outbox;
use super::recording::Recording;
use super::request::{Request, RequestId};
use super::worker::Worker;

/// A simulation on a thread of its own. Nothing here waits for it, except [`Live::start`], [`Live::wait`] and the end: dropped,
/// it waits for the step under way.
///
/// ```
/// use std::time::Duration;
/// use granule::{Command, Live, LiveOptions, MaterialSettings, Scene, Shape};
///
/// let scene = Scene::new("drop")
///     .with_material(MaterialSettings::default())
///     .with_wall("floor", Shape::floor(0.0))
///     .with_grains("sand", Shape::cuboid([0.0; 3], [0.1; 3]));
/// let live = Live::start(scene, LiveOptions { state_hash: true, ..LiveOptions::default() })?;
/// let patience = Duration::from_secs(60);
///
/// // To frame 3, and back to frame 1: there is the same state again.
/// live.seek(1);
/// let first = live.wait(patience, |frame| frame.frame == 1).unwrap();
/// live.seek(3);
/// live.wait(patience, |frame| frame.frame == 3).unwrap();
/// live.seek(1);
/// let again = live.wait(patience, |frame| frame.frame == 1).unwrap();
/// assert_eq!(first.state_hash, again.state_hash);
///
/// // A command in the past cuts off what came after it.
/// live.apply(Command::Set { path: "material.sand.friction_angle".into(), value: 40.0 });
/// let cut = live.wait(patience, |frame| frame.history.end == 1).unwrap();
/// assert_eq!(cut.snapshot.vec3("position").unwrap().len(), 125);
/// assert_eq!(live.recording().commands().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Live {
    /// Taken when it ends.
    requests: Option<Sender<(RequestId, Request)>>,
    count: AtomicU64,
    outbox: Arc<Outbox>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// Opens a scene and builds its simulation, which takes as long as it takes; then everything happens on the new thread.
    /// A scene that is loaded later is built there, too.
    ///
    /// # Errors
    /// Says what is wrong with the scene, or why the machine or the device refuses it.
    pub fn start(source: impl Into<Source>, options: LiveOptions) -> Result<Self, SimulationError> {
        let (sender, receiver) = mpsc::channel();
        let worker = Worker::new(source.into(), options, receiver)?;
        let outbox = worker.outbox();
        let told = outbox.clone();
        let work = move || {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(move || worker.work())) {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                told.tell(Event::Crashed { reason: text.unwrap_or_else(|| "a panic".into()) });
            }
        };
        let thread = thread::Builder::new().name("granule-live".into()).spawn(work);
        let thread = thread.map_err(|e| SimulationError::Threads { threads: 1, reason: e.to_string() })?;
        Ok(Self { requests: Some(sender), count: AtomicU64::new(0), outbox, thread: Some(thread) })
    }

    /// Plays on.
    pub fn play(&self) -> RequestId {
        self.request(Request::Play)
    }

    /// Pauses at the end of the frame under way.
    pub fn pause(&self) -> RequestId {
        self.request(Request::Pause)
    }

    /// Pauses, then takes one step, which may end between two frames.
    pub fn step(&self) -> RequestId {
        self.request(Request::Step)
    }

    /// Pauses, then goes to the next frame.
    pub fn frame(&self) -> RequestId {
        self.request(Request::Frame)
    }

    /// Begins anew and forgets all commands; plays on if it played. To keep them, [`seek`](Live::seek) frame 0.
    pub fn reset(&self) -> RequestId {
        self.request(Request::Reset)
    }

    /// Sets how fast simulated time passes.
    pub fn set_speed(&self, speed: Speed) -> RequestId {
        self.request(Request::Speed(speed))
    }

    /// Changes something in the scene at the end of the frame under way, or at once where it is paused at a frame. Paused
    /// between two frames it is kept until the frame is complete: commands act at frames only, so that they can be replayed.
    /// What came after this frame, if it was gone back to, is forgotten.
    pub fn apply(&self, command: Command) -> RequestId {
        self.request(Request::Apply(command))
    }

    /// Goes to a frame: from the nearest checkpoint before it, replaying what was done. Beyond what is known it simulates
    /// as fast as it goes; a further seek, reset, load or rebuild interrupts it. Plays on from there if it played.
    pub fn seek(&self, frame: u64) -> RequestId {
        self.request(Request::Seek(frame))
    }

    /// Goes back to before the last commands up to now that belong together (of frames that hardly lie apart), and forgets
    /// them and all that came after. Plays on from there if it played.
    pub fn undo(&self) -> RequestId {
        self.request(Request::Undo)
    }

    /// Takes another scene, or refuses it and goes on with the old one.
    pub fn load(&self, source: impl Into<Source>) -> RequestId {
        self.request(Request::Load(source.into()))
    }

    /// Takes a scene file and watches it.
    pub fn load_file(&self, path: impl AsRef<Path>) -> RequestId {
        self.load(Source::from(path.as_ref()))
    }

    /// Takes a source as where the running scene is from, without loading it: its file has just been written with the changes
    /// that the scene was given.
    pub fn saved(&self, source: impl Into<Source>) -> RequestId {
        self.request(Request::Saved(source.into()))
    }

    /// Has something done with the simulation on its own thread, at the end of the frame under way: reading fields, writing a
    /// checkpoint. What is changed in the simulation here is not recorded: do not.
    pub fn with_simulation(&self, work: impl FnOnce(&mut Simulation) + Send + 'static) -> RequestId {
        self.request(Request::Work(Box::new(work)))
    }

    /// Goes on with another solver, device or number of threads: from the last frame where they can take over its state,
    /// else from the beginning and without its commands ([`Event::Restarted`]). A recording does not tell which options
    /// were used when.
    pub fn rebuild(&self, options: Options) -> RequestId {
        self.request(Request::Rebuild(Box::new(options)))
    }

    /// Chooses the fields that frames hold from now on; those that the solver does not have are told by an event.
    pub fn publish(&self, fields: &[&str]) -> RequestId {
        self.request(Request::Fields(fields.iter().map(|field| (*field).into()).collect()))
    }

    /// Chooses whether frames hold contacts from now on.
    pub fn publish_contacts(&self, on: bool) -> RequestId {
        self.request(Request::Contacts(on))
    }

    /// Replaces what takes frames on the simulation's thread.
    pub fn set_publisher(&self, publisher: Option<Box<dyn Publish>>) -> RequestId {
        self.request(Request::Publisher(publisher))
    }

    /// The newest frame.
    pub fn latest(&self) -> Arc<Frame> {
        self.outbox.latest()
    }

    /// What has happened since this was last asked for. Of events that nobody takes the newest 4096 are kept.
    pub fn events(&self) -> Vec<Event> {
        self.outbox.take_events()
    }

    /// The scene and the commands that it was given so far.
    pub fn recording(&self) -> Recording {
        self.outbox.with_recording(|recording| recording.clone())
    }

    /// Number of the commands so far, and the frame of the last one: tells whether there are others than before.
    pub fn command_mark(&self) -> (usize, Option<u64>) {
        self.outbox.with_recording(|recording| {
            let commands = recording.commands();
            (commands.len(), commands.last().map(|logged| logged.frame))
        })
    }

    /// Waits for a frame for which `wanted` holds: for scripts and tests. The newest is looked at first, then every one
    /// that can be caught; none if there is no such frame in time.
    pub fn wait(&self, timeout: Duration, wanted: impl FnMut(&Frame) -> bool) -> Option<Arc<Frame>> {
        self.outbox.wait(timeout, wanted)
    }

    fn request(&self, request: Request) -> RequestId {
        let id = RequestId(self.count.fetch_add(1, Ordering::Relaxed) + 1);
        if let Some(requests) = &self.requests {
            // Fails only after a crash, which an event has told.
            let _ = requests.send((id, request));
        }
        id
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // The thread ends when the channel does.
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
