//! Where grains leave.

use serde::{Deserialize, Serialize};

use crate::boundary::{Sdf, ShapeError};
use crate::scene::OutletSettings;

/// What of an outlet changes over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutletState {
    /// Grains taken so far.
    pub drained: u64,
}

/// A region that takes every grain whose centre is inside it at the end of a step.
#[derive(Debug)]
pub struct Outlet {
    name: String,
    region: Sdf,
    time: [f64; 2],
    state: OutletState,
}

impl Outlet {
    pub(super) fn new(settings: &OutletSettings) -> Result<Self, ShapeError> {
        Ok(Self {
            name: settings.name.clone(),
            region: Sdf::new(&settings.shape)?,
            time: settings.time.unwrap_or([0.0, f64::INFINITY]),
            state: OutletState::default(),
        })
    }

    /// Whether it is open at some time of a step from `from` to `to` [s].
    pub(crate) fn is_open(&self, from: f64, to: f64) -> bool {
        from < self.time[1] && to > self.time[0]
    }

    pub(super) fn take(&mut self, count: usize) {
        self.state.drained += count as u64;
    }

    /// Name in the scene.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The region.
    pub fn region(&self) -> &Sdf {
        &self.region
    }

    /// Grains taken so far.
    pub fn drained(&self) -> u64 {
        self.state.drained
    }

    /// What changes over time.
    pub fn state(&self) -> &OutletState {
        &self.state
    }

    pub(super) fn restore(&mut self, state: OutletState) {
        self.state = state;
    }
}
