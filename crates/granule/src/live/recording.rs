//! What was done to a scene, by frame: all that is needed to see it again.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::build::Options;
use crate::error::SimulationError;
use crate::files::write_bytes_atomic;
use crate::scene::{Scene, SceneError};
use crate::simulation::Simulation;
use crate::simulator::{Command, CommandError};

/// Version of the format; a change of the content is a new one.
const FORMAT: u32 = 1;

/// Frames between two commands of one movement of a hand, at most: a fifth of a second of most scenes, in which a slow interface
/// shows a few pictures.
const GESTURE_GAP: u64 = 10;

/// A command with the frame at which it acts, after those of the same frame that stand before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedCommand {
    /// The frame.
    pub frame: u64,
    /// The command.
    pub command: Command,
}

/// A scene and the commands that it was given, by frame. With the same solver on the same device it gives the same bits.
///
/// ```
/// use granule::live::Recording;
/// use granule::{Command, MaterialSettings, Options, Scene, Shape};
///
/// let scene = Scene::new("drop")
///     .with_material(MaterialSettings::default())
///     .with_grains("sand", Shape::cuboid([0.0; 3], [0.1; 3]));
/// let mut recording = Recording::new(&scene)?;
/// recording.push(2, Command::Gravity([0.0, 0.0, 0.0].into()));
/// let again = Recording::from_toml(&recording.to_toml()?)?;
/// assert_eq!(again, recording);
/// let simulation = again.replay(4, &Options::default())?;
/// assert_eq!(simulation.frame(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    format: u32,
    /// The last frame that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frames: Option<u64>,
    scene: String,
    /// In the order of their frames.
    #[serde(default)]
    command: Vec<LoggedCommand>,
    /// The frame that the run began at, where it went on from a checkpoint; such a recording cannot be written.
    #[serde(skip)]
    first_frame: u64,
}

/// Why a recording cannot be written, read or replayed.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// It is no recording.
    #[error("not a recording: {0}")]
    Content(String),
    /// It has another format.
    #[error("a recording of format {found}; this program reads format {FORMAT} only")]
    Format {
        /// The format of the file.
        found: u32,
    },
    /// The run did not begin at its first frame.
    #[error(
        "the run went on from frame {first_frame}, and a recording begins at frame 0; save a checkpoint instead, or open the \
         scene and do it again"
    )]
    BeginsLate {
        /// The frame that it went on from.
        first_frame: u64,
    },
    /// The scene inside is wrong.
    #[error("the scene inside: {0}")]
    Scene(#[from] SceneError),
    /// The simulation could not be made, or not go on.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A command is refused.
    #[error("the command at frame {frame}: {error}")]
    Command {
        /// Its frame.
        frame: u64,
        /// Why.
        error: CommandError,
    },
}

impl Recording {
    /// A scene that was given no commands yet.
    ///
    /// # Errors
    /// Says why the scene cannot be written.
    pub fn new(scene: &Scene) -> Result<Self, RecordingError> {
        Self::beginning_at(scene, 0)
    }

    /// A scene that goes on from a frame.
    pub(super) fn beginning_at(scene: &Scene, first_frame: u64) -> Result<Self, RecordingError> {
        let scene = scene.to_toml().map_err(|error| RecordingError::Content(error.to_string()))?;
        Ok(Self { format: FORMAT, frames: None, scene, command: Vec::new(), first_frame })
    }

    /// The last frame that was seen, where that is known, or that of the last command.
    pub fn last_frame(&self) -> u64 {
        let command = self.command.last().map_or(0, |logged| logged.frame);
        self.frames.map_or(command, |frames| frames.max(command))
    }

    /// Keeps the last frame that was seen, so that whoever replays it knows how far.
    pub fn set_last_frame(&mut self, frame: u64) {
        self.frames = Some(frame);
    }

    /// Takes over the commands of another recording.
    pub(super) fn take_commands(&mut self, other: &Self) {
        self.command.clone_from(&other.command);
    }

    /// The scene of a recording in a file, with its `[quick]` form if asked for, then the `sets`, as [`Scene::resolve`] does it.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn resolve(&self, path: &str, quick: bool, sets: &[(String, String)]) -> Result<Scene, SceneError> {
        Scene::resolve(&self.scene, &format!("the scene in {path}"), quick, sets)
    }

    /// The scene as TOML.
    pub fn scene_text(&self) -> &str {
        &self.scene
    }

    /// The commands in the order of their frames.
    pub fn commands(&self) -> &[LoggedCommand] {
        &self.command
    }

    /// The commands of a frame.
    pub fn at(&self, frame: u64) -> &[LoggedCommand] {
        let from = self.command.partition_point(|logged| logged.frame < frame);
        let to = self.command.partition_point(|logged| logged.frame <= frame);
        &self.command[from..to]
    }

    /// Adds a command at a frame, after those that are there; later ones stay.
    pub fn push(&mut self, frame: u64, command: Command) {
        let at = self.command.partition_point(|logged| logged.frame <= frame);
        self.command.insert(at, LoggedCommand { frame, command });
    }

    /// The frame at which the last commands up to a frame began that belong together: a hand that pours or pushes gives one
    /// per frame.
    pub fn last_gesture(&self, until: u64) -> Option<u64> {
        let known = &self.command[..self.command.partition_point(|logged| logged.frame <= until)];
        let mut frames = known.iter().rev().map(|logged| logged.frame);
        let last = frames.next()?;
        let joined = |start: u64, frame: u64| (start - frame <= GESTURE_GAP).then_some(frame).ok_or(start);
        Some(frames.try_fold(last, joined).unwrap_or_else(|start| start))
    }

    /// Forgets the commands at a frame and after it.
    pub fn cut_from(&mut self, frame: u64) {
        self.command.truncate(self.command.partition_point(|logged| logged.frame < frame));
    }

    /// Forgets the commands after a frame and says how many there were.
    pub fn cut_after(&mut self, frame: u64) -> usize {
        let kept = self.command.partition_point(|logged| logged.frame <= frame);
        self.command.drain(kept..).count()
    }

    /// Forgets all commands.
    pub fn clear(&mut self) {
        self.command.clear();
    }

    /// The recording as text.
    ///
    /// # Errors
    /// Says why it cannot be written.
    pub fn to_toml(&self) -> Result<String, RecordingError> {
        if self.first_frame > 0 {
            return Err(RecordingError::BeginsLate { first_frame: self.first_frame });
        }
        toml::to_string_pretty(self).map_err(|error| RecordingError::Content(error.to_string()))
    }

    /// A recording from its text.
    ///
    /// # Errors
    /// Says what is wrong with the text; the scene inside is looked at when it is replayed.
    pub fn from_toml(text: &str) -> Result<Self, RecordingError> {
        let recording: Self =
            toml::from_str(text).map_err(|error| RecordingError::Content(error.to_string()))?;
        if recording.format != FORMAT {
            return Err(RecordingError::Format { found: recording.format });
        }
        if !recording.command.is_sorted_by_key(|logged| logged.frame) {
            return Err(RecordingError::Content("the commands are not in the order of their frames".into()));
        }
        Ok(recording)
    }

    /// Writes a file that is either whole or not there.
    ///
    /// # Errors
    /// Says why it cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), RecordingError> {
        let text = self.to_toml()?;
        write_bytes_atomic(path.as_ref(), text.as_bytes()).map_err(|error| io_error(path.as_ref(), error))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Says why it cannot be read, or what is wrong with it.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let text = std::fs::read_to_string(path.as_ref());
        Self::from_toml(&text.map_err(|error| io_error(path.as_ref(), error))?)
    }

    /// The scene, for the solver that the options bring or else its own.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn scene(&self, options: &Options) -> Result<Scene, SceneError> {
        match options.solver {
            Some(solver) => Scene::parse_for(solver.name, solver.capabilities, &self.scene, "recording"),
            None => Scene::parse(&self.scene, "recording"),
        }
    }

    /// Simulates from the beginning to a frame, that frame's commands included.
    ///
    /// # Errors
    /// Says what is wrong with scene or commands, or how the device failed.
    pub fn replay(&self, frame: u64, options: &Options) -> Result<Simulation, RecordingError> {
        let mut simulation = Simulation::new(self.scene(options)?, options)?;
        loop {
            for LoggedCommand { frame, command } in self.at(simulation.frame()) {
                let applied = simulation.apply(command);
                applied.map_err(|error| RecordingError::Command { frame: *frame, error })?;
            }
            if simulation.frame() >= frame {
                return Ok(simulation);
            }
            let next = simulation.frame() + 1;
            while simulation.frame() < next {
                simulation.step_ahead();
                if let Some(failure) = simulation.failure() {
                    return Err(SimulationError::Failed(failure.into()).into());
                }
            }
        }
    }
}

fn io_error(path: &Path, source: io::Error) -> RecordingError {
    RecordingError::Io { path: path.display().to_string(), source }
}
