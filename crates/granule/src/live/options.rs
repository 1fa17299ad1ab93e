//! What a live run is started with.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build::Options;
use crate::scene::{Scene, find};
use crate::simulation::Simulation;

use super::beginning::FileKind;
use super::frame::Frame;

/// Bytes that the history may take unless said otherwise.
pub const HISTORY_BYTES: usize = 512 << 20;

/// Wall time of simulating after which a checkpoint is taken: half of the 0.2 s in which any frame should be reached.
const CHECKPOINT_AFTER: Duration = Duration::from_millis(100);

/// Where a scene comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A scene in memory.
    Scene(Box<Scene>),
    /// A built-in scene by its name, or a file or folder of any [`FileKind`]. Scenes and recordings are loaded again whenever
    /// they change on disk; files that the scene itself names, such as meshes, are not watched.
    File {
        /// Name or path.
        path: String,
        /// Whether its `[quick]` form is taken.
        quick: bool,
        /// Overrides: path in the scene, and value.
        sets: Vec<(String, String)>,
    },
}

impl Source {
    /// A built-in scene by its name, or a file as it is.
    pub fn file(path: impl Into<String>) -> Self {
        Self::File { path: path.into(), quick: false, sets: Vec::new() }
    }

    /// The file to watch, if it is one.
    pub(super) fn watched(&self) -> Option<PathBuf> {
        match self {
            Self::File { path, .. } if find(path).is_none() => match FileKind::of(path) {
                FileKind::Scene | FileKind::Recording => Some(PathBuf::from(path)),
                FileKind::Checkpoint | FileKind::Run => None,
            },
            _ => None,
        }
    }
}

impl From<Scene> for Source {
    fn from(scene: Scene) -> Self {
        Self::Scene(Box::new(scene))
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Self::file(path.display().to_string())
    }
}

/// How fast simulated time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// Simulated seconds per second of wall time, at most: 1 is real time, 0.1 slow motion. Where the machine cannot keep
    /// up, time passes more slowly and [`Frame::real_time_factor`] says so; what was missed is not made up for.
    RealTime(f64),
    /// As fast as it goes.
    Unlimited,
}

impl Speed {
    /// Whether it is a speed at all.
    pub(super) fn is_sound(self) -> bool {
        match self {
            Self::RealTime(factor) => factor.is_finite() && factor > 0.0,
            Self::Unlimited => true,
        }
    }
}

/// Takes what a frame has directly out of the simulation, on its thread: for example buffers of a device, which then need
/// not pass through memory.
pub trait Publish: Send {
    /// Called after every frame, step, seek, reset and command, before the frame is there for others. The simulation
    /// waits meanwhile. What is changed in the simulation here is not recorded: do not.
    fn publish(&mut self, simulation: &mut Simulation, frame: &Frame);
}

/// What a live run is started with.
pub struct LiveOptions {
    /// Device, threads and solver.
    pub simulation: Options,
    /// The fields that frames hold.
    pub fields: Vec<String>,
    /// Whether it plays from the start.
    pub playing: bool,
    /// How fast.
    pub speed: Speed,
    /// Most bytes that checkpoints may take together. One that is being made comes on top until it has found its place.
    pub history_bytes: usize,
    /// Wall time of simulating after which a checkpoint is taken at the next frame; longer where checkpoints take longer
    /// than a quarter of it. Zero: at every frame.
    pub checkpoint_after: Duration,
    /// Whether frames hold the hash of the state, which takes time.
    pub state_hash: bool,
    /// Takes what frames have on the simulation's thread.
    pub publish: Option<Box<dyn Publish>>,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            simulation: Options::default(),
            fields: vec!["position".into()],
            playing: false,
            speed: Speed::RealTime(1.0),
            history_bytes: HISTORY_BYTES,
            checkpoint_after: CHECKPOINT_AFTER,
            state_hash: false,
            publish: None,
        }
    }
}
