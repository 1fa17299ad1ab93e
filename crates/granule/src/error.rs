//! What can go wrong at the front door.

use std::error::Error;

use crate::scene::SceneError;

/// Why a device does not take a scene, cannot go on or does not give its grains; holds the error of its backend.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct BackendError(Box<dyn Error + Send + Sync>);

impl BackendError {
    /// Holds a backend's own error, or a reason in words.
    pub fn new(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(reason.into())
    }
}

/// Why the state of fine grains could not be taken over.
#[derive(Debug, thiserror::Error)]
pub enum UpsampleError {
    /// Numbers that contradict each other or the scene.
    #[error("{0}")]
    Impossible(&'static str),
    /// The device has no room.
    #[error(transparent)]
    Device(#[from] BackendError),
}

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
    #[error(transparent)]
    Device(#[from] BackendError),
    /// The device failed while it simulated.
    #[error("{0}")]
    Failed(String),
}
