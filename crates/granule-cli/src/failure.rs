//! Why the program ends with an exit code other than 0.

use granule::SimulationError;
use granule::io::RunFolderError;
use granule::scene::SceneError;

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

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::Scene(error) => error.into(),
            SimulationError::Device(error) => Self::Input(error.to_string()),
            other => Self::Run(other.to_string()),
        }
    }
}

impl From<RunFolderError> for Failure {
    fn from(error: RunFolderError) -> Self {
        match error {
            RunFolderError::NotEmpty { .. }
            | RunFolderError::NotAFolder { .. }
            | RunFolderError::Unusable { .. } => Self::Input(error.to_string()),
            other => Self::Run(other.to_string()),
        }
    }
}
