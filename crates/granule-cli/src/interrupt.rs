//! Ctrl-C and requests to terminate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

/// Tells whether the user wants to stop.
#[derive(Clone, Default)]
pub struct Interrupt {
    wanted: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on. The first signal asks for a clean end, the second ends the program at once.
    pub fn listen() -> Result<Self, Failure> {
        let interrupt = Self::default();
        let wanted = interrupt.wanted.clone();
        let handler = move || {
            if wanted.swap(true, Ordering::Relaxed) {
                std::process::exit(Failure::Interrupted.exit_code().into());
            }
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Failure::Run(format!("cannot listen for Ctrl-C: {error}")))?;
        Ok(interrupt)
    }

    /// What is set when the user wants to stop.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.wanted.clone()
    }

    /// Whether to stop after the current step.
    pub fn wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }
}
