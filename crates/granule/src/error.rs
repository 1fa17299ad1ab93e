//! What can go wrong at the front door.

use crate::scene::SceneError;

/// Why a simulation could not be made, or not go on.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scene is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The machine refused threads.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The device refused.
    #[error("{0}")]
    Device(String),
    /// The device failed while it simulated.
    #[error("{0}")]
    Failed(String),
}
