//! What of fine grains outlives a frame.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::{Anchors, Grain, GuideGrid, Totals, Upsampler};
use crate::boundary::BoundaryState;
use crate::error::{BackendError, UpsampleError};
use crate::random::Random;

/// All of an upsampler that changes over time: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UpsampleState {
    grains: Vec<Grain>,
    id: Vec<u32>,
    position: Vec<Vec3>,
    velocity: Vec<Vec3>,
    radius: Vec<f32>,
    boundaries: Vec<BoundaryState>,
    gravity: Vec3,
    random: u64,
    next_id: u32,
    totals: Totals,
}

impl Upsampler {
    /// All that changes over time.
    ///
    /// # Errors
    /// Says in words why the device does not give its grains.
    pub fn state(&self) -> Result<UpsampleState, BackendError> {
        let anchors =
            self.advector.anchors()?.filter(|_| self.on_device).unwrap_or_else(|| self.anchors.clone());
        Ok(UpsampleState {
            grains: self.advector.read()?,
            id: anchors.id,
            position: anchors.position,
            velocity: anchors.velocity,
            radius: anchors.radius,
            boundaries: self.boundaries.state(),
            gravity: self.gravity,
            random: self.random.state(),
            next_id: self.next_id,
            totals: self.totals,
        })
    }

    /// Takes over a state of the same scene; belongs to an upsampler that was just made.
    ///
    /// # Errors
    /// Says in words what of the state is impossible, or why they do not fit on the device.
    pub fn restore(&mut self, state: UpsampleState) -> Result<(), UpsampleError> {
        let numbers = [state.position.len(), state.velocity.len()];
        if numbers.iter().any(|&count| count != state.id.len()) || !state.id.is_sorted() {
            return Err(UpsampleError::Impossible("the guides of the fine grains contradict each other"));
        }
        let sized = state.radius.is_empty() || state.radius.len() == state.id.len();
        if !sized || !state.radius.iter().all(|radius| *radius > 0.0 && radius.is_finite()) {
            return Err(UpsampleError::Impossible("the guides of the fine grains have impossible radii"));
        }
        let finite = |list: &[Vec3]| list.iter().all(|v| v.is_finite());
        if !state.grains.iter().all(Grain::is_finite) || !finite(&state.position) || !finite(&state.velocity)
        {
            return Err(UpsampleError::Impossible("the fine grains hold a value that is not finite"));
        }
        if state.boundaries.len() != self.boundaries.len()
            || !state.boundaries.iter().all(BoundaryState::is_sound)
            || state.grains.iter().any(|grain| grain.material as usize >= self.settings.friction.len())
        {
            return Err(UpsampleError::Impossible("the fine grains are not those of the scene"));
        }
        self.advector.add(&state.grains)?;
        self.anchors = Anchors {
            id: state.id,
            position: state.position,
            velocity: state.velocity,
            radius: state.radius,
        };
        self.grid =
            GuideGrid::new(self.anchors.as_guides(), self.settings.guide_radius, &self.settings.domain);
        self.boundaries.restore(&state.boundaries);
        self.gravity = state.gravity;
        self.random = Random::new(state.random);
        (self.next_id, self.totals) = (state.next_id, state.totals);
        Ok(())
    }
}
