//! What a live run begins from: a scene, a recording, a checkpoint, or the folder of a run that is over.

use std::path::Path;
use std::sync::Arc;

use crate::build::Options;
use crate::error::SimulationError;
use crate::io::{Checkpoint, CheckpointError, RunFrames};
use crate::scene::{Scene, SceneError, find};
use crate::simulation::Simulation;

use super::options::Source;
use super::recording::{Recording, RecordingError};

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A built-in scene or a scene file.
    Scene,
    /// A recording: `.granule`.
    Recording,
    /// A checkpoint: `.ckpt`.
    Checkpoint,
    /// The folder of a run.
    Run,
}

impl FileKind {
    /// What a name or path names: by its ending, or as it is a folder.
    ///
    /// ```
    /// use granule::live::FileKind;
    ///
    /// assert_eq!(FileKind::of("column"), FileKind::Scene);
    /// assert_eq!(FileKind::of("heap.toml"), FileKind::Scene);
    /// assert_eq!(FileKind::of("mine.granule"), FileKind::Recording);
    /// assert_eq!(FileKind::of("000010.ckpt"), FileKind::Checkpoint);
    /// ```
    pub fn of(path: &str) -> Self {
        if find(path).is_some() {
            return Self::Scene;
        }
        match Path::new(path).extension().and_then(|ending| ending.to_str()) {
            Some("granule") => Self::Recording,
            Some("ckpt") => Self::Checkpoint,
            _ if Path::new(path).is_dir() => Self::Run,
            _ => Self::Scene,
        }
    }
}

/// What a live run begins from.
pub(super) struct Beginning {
    /// Ready to step.
    pub simulation: Simulation,
    /// The scene, and what is to be done to it.
    pub recording: Recording,
    /// The checkpoint that it goes on from.
    pub checkpoint: Option<Arc<Checkpoint>>,
    /// The last frame that is known.
    pub end: u64,
}

impl Beginning {
    /// Opens a source.
    pub(super) fn of(source: &Source, options: &Options) -> Result<Self, SimulationError> {
        let Source::File { path, quick, sets } = source else {
            return Self::of_scene(source.open()?, options);
        };
        match FileKind::of(path) {
            FileKind::Scene => Self::of_scene(source.open()?, options),
            FileKind::Recording => {
                let recording = Recording::read(path).map_err(|error| unreadable(path, error))?;
                let scene = recording.resolve(path, *quick, sets)?;
                let mut beginning = Self::of_scene(scene, options)?;
                beginning.recording.take_commands(&recording);
                beginning.end = recording.last_frame();
                Ok(beginning)
            }
            FileKind::Checkpoint => Self::of_checkpoint(path, options),
            FileKind::Run => {
                let frames = RunFrames::open(path).map_err(|error| unreadable(path, error))?;
                Self::of_run(frames).map_err(|error| unreadable(path, error).into())
            }
        }
    }

    /// A scene at its first frame.
    pub(super) fn of_scene(scene: Scene, options: &Options) -> Result<Self, SimulationError> {
        let simulation = Simulation::new(scene, options)?;
        let recording = recording_of(&simulation, 0)?;
        Ok(Self { simulation, recording, checkpoint: None, end: 0 })
    }

    fn of_checkpoint(path: &str, options: &Options) -> Result<Self, SimulationError> {
        let checkpoint = Checkpoint::read(path).map_err(|error| unreadable(path, error))?;
        let simulation = Simulation::restore(&checkpoint, options).map_err(|error| match error {
            CheckpointError::Simulation(error) => error,
            other => unreadable(path, other).into(),
        })?;
        let end = checkpoint.frame;
        let recording = recording_of(&simulation, end)?;
        Ok(Self { simulation, recording, checkpoint: Some(Arc::new(checkpoint)), end })
    }

    fn of_run(frames: RunFrames) -> Result<Self, String> {
        let end = frames.last_frame();
        let simulation = Simulation::of_run(frames)?;
        let recording = recording_of(&simulation, simulation.frame()).map_err(|error| error.to_string())?;
        Ok(Self { simulation, recording, checkpoint: None, end })
    }
}

impl Source {
    /// The scene, checked.
    ///
    /// # Errors
    /// Says what is wrong with it, and where.
    pub fn open(&self) -> Result<Scene, SceneError> {
        let (path, quick, sets) = match self {
            Self::Scene(scene) => return Ok(scene.as_ref().clone()),
            Self::File { path, quick, sets } => (path, *quick, sets),
        };
        match FileKind::of(path) {
            FileKind::Scene => Scene::open(path, quick, sets),
            FileKind::Recording => {
                let recording = Recording::read(path).map_err(|error| unreadable(path, error))?;
                recording.resolve(path, quick, sets)
            }
            FileKind::Checkpoint => {
                let checkpoint = Checkpoint::read(path).map_err(|error| unreadable(path, error))?;
                Scene::parse(&checkpoint.scene, &format!("the scene in {path}"))
            }
            FileKind::Run => {
                let frames = RunFrames::open(path).map_err(|error| unreadable(path, error))?;
                Ok(frames.scene().clone())
            }
        }
    }
}

fn recording_of(simulation: &Simulation, first_frame: u64) -> Result<Recording, SimulationError> {
    let recording = Recording::beginning_at(simulation.scene(), first_frame);
    recording.map_err(|error: RecordingError| SimulationError::Failed(error.to_string()))
}

/// A file that is not what its name says.
fn unreadable(path: &str, error: impl ToString) -> SceneError {
    let reason = error.to_string();
    // Some errors name the file already.
    let reason =
        reason.strip_prefix(path).map_or(reason.as_str(), |rest| rest.trim_start_matches(": ")).into();
    SceneError::Read { path: path.into(), reason }
}
