//! Why the program ends with an exit code other than 0.

use granule::SimulationError;
use granule::io::{RunFolderError, RunFramesError};
use granule::scene::{Location, SceneError};
use granule_scenery::{SceneryError, VideoError};

/// A reason to end without success; its text is for the user.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The input is wrong; nothing was done.
    #[error("{0}")]
    Input(String),
    /// The run could not be finished, or its result is not as expected.
    #[error("{0}")]
    Run(String),
    /// Ctrl-C or a request to terminate.
    #[error("interrupted; what was computed so far is complete and readable")]
    Interrupted,
}

impl Failure {
    /// The program's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Run(_) => 1,
            Self::Input(_) => 2,
            Self::Interrupted => 130,
        }
    }
}

impl From<SceneryError> for Failure {
    fn from(error: SceneryError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<VideoError> for Failure {
    fn from(error: VideoError) -> Self {
        Self::Run(error.to_string())
    }
}

impl From<RunFramesError> for Failure {
    fn from(error: RunFramesError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<SceneError> for Failure {
    /// The engine's words, with the flags that they mean.
    fn from(error: SceneError) -> Self {
        Self::Input(match &error {
            SceneError::NotText { .. } => format!("{error}, or give a checkpoint with --resume"),
            SceneError::Problem(problem) => match &problem.location {
                Some(Location::Set(_)) => format!("--{error}"),
                _ if problem.allowed.starts_with("csv needs the ids") => format!("{error}, or --track ID,ID"),
                _ => error.to_string(),
            },
            _ => error.to_string(),
        })
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::Scene(error) => error.into(),
            SimulationError::Device(error) => Self::Input(format!("{error} (--device)")),
            other => Self::Run(other.to_string()),
        }
    }
}

impl From<RunFolderError> for Failure {
    fn from(error: RunFolderError) -> Self {
        match error {
            RunFolderError::NotEmpty { .. } => Self::Input(format!(
                "{error}; choose another, or add --force to replace an earlier run in it"
            )),
            RunFolderError::NotAFolder { .. } | RunFolderError::Unusable { .. } => {
                Self::Input(format!("{error}; choose another with --out"))
            }
            other => Self::Run(other.to_string()),
        }
    }
}
