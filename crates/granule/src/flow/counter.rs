//! Where grains are only counted.

use glam::Vec3;

use crate::boundary::{Sdf, ShapeError};
use crate::scene::CounterSettings;

/// A region whose grains are counted at every frame.
#[derive(Debug)]
pub struct Counter {
    name: String,
    region: Sdf,
}

impl Counter {
    pub(super) fn new(settings: &CounterSettings) -> Result<Self, ShapeError> {
        Ok(Self { name: settings.name.clone(), region: Sdf::new(&settings.shape)? })
    }

    /// Name in the scene.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many of the positions [m] lie inside.
    pub fn count(&self, position: &[[f32; 3]]) -> u64 {
        position.iter().filter(|x| self.region.distance(Vec3::from(**x)) <= 0.0).count() as u64
    }
}
