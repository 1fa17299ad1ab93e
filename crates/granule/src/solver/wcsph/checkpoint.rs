//! What outlives a step, saved and taken over: after it, every step gives the same bits.
//!
//! Checkpoints are taken at frame times, where neighbours are listed anew; walls are sampled again.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::scene::Scene;
use crate::simulator::StateError;
use crate::solver::changes::Changeable;
use crate::solver::saved::{self, SavedWorld, all_sound};

use super::Wcsph;
use super::state::WcsphState;

/// The solver's state; columns are in memory order.
#[derive(Serialize, Deserialize)]
pub struct SavedState {
    /// Particles and what is around them.
    pub world: SavedWorld,
    /// Whether accelerations are those of now; not so before the first step.
    pub ready: bool,
    /// Accelerations [m/s2].
    pub acceleration: Vec<Vec3>,
    /// Density relative to rest.
    pub density: Vec<f32>,
    /// Pressure [Pa].
    pub pressure: Vec<f32>,
    /// Neighbours.
    pub neighbors: Vec<f32>,
    /// The world of the rigid bodies; empty without any.
    pub bodies: Vec<u8>,
}

impl Wcsph {
    pub(super) fn save_state(&self) -> Result<Vec<u8>, StateError> {
        let state = &self.state;
        let saved = SavedState {
            world: self.world.save()?,
            ready: self.ready,
            acceleration: state.acceleration.iter().map(|a| a.truncate()).collect(),
            density: state.density.clone(),
            pressure: state.pressure.clone(),
            neighbors: state.neighbors.clone(),
            bodies: self.world.save_bodies()?,
        };
        saved.encode()
    }

    pub(super) fn restore_state(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (walls, radius) = (self.world.boundaries.len(), self.setup.params.radius);
        let (saved, scene) = SavedState::decode(bytes, walls, radius)?;
        self.world.restore_bodies(&saved.bodies)?;
        self.adopt(scene);
        self.take_over(saved);
        Ok(())
    }

    fn take_over(&mut self, saved: SavedState) {
        self.ready = saved.ready;
        self.state = WcsphState {
            acceleration: saved.acceleration.iter().map(|a| a.extend(0.0)).collect(),
            density: saved.density,
            pressure: saved.pressure,
            neighbors: saved.neighbors,
            ..WcsphState::default()
        };
        self.world.take_over(saved.world);
        self.state.resize(self.world.particles.len(), glam::Vec4::ZERO);
        self.search.invalidate();
    }
}

impl SavedState {
    /// The bytes of a state whose values are all finite.
    ///
    /// # Errors
    /// Names what is not finite.
    pub fn encode(&self) -> Result<Vec<u8>, StateError> {
        self.world.check_values()?;
        self.check_values()?;
        saved::encode(self)
    }

    /// A state and the scene as commands had changed it, checked as a whole against what the solver was made from.
    ///
    /// # Errors
    /// Says what cannot be read or is impossible.
    pub fn decode(bytes: &[u8], boundary_count: usize, radius: f32) -> Result<(Self, Scene), StateError> {
        let state: Self = saved::decode(bytes)?;
        let columns =
            [state.acceleration.len(), state.density.len(), state.pressure.len(), state.neighbors.len()];
        let scene = state.world.check(boundary_count, radius, &columns)?;
        state.check_values()?;
        Ok((state, scene))
    }

    fn check_values(&self) -> Result<(), StateError> {
        let finite = |column: &[f32]| column.iter().all(|value| value.is_finite());
        all_sound(&[
            ("acceleration", self.acceleration.iter().all(|a| a.is_finite())),
            ("density", finite(&self.density)),
            ("pressure", finite(&self.pressure)),
            ("neighbors", finite(&self.neighbors)),
        ])
    }
}
