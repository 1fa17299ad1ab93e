//! A fine grain.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::boundary::Sdf;

/// A fine grain: 32 bytes, the same on every device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
pub struct Grain {
    /// Centre \[m\].
    pub position: [f32; 3],
    /// Identity, never reused.
    pub id: u32,
    /// Velocity [m/s].
    pub velocity: [f32; 3],
    /// Index into the scene's materials.
    pub material: u32,
}

impl Grain {
    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        Vec3::from(self.position).is_finite() && Vec3::from(self.velocity).is_finite()
    }

    /// Whether its centre is in a region.
    pub fn is_inside(&self, region: &Sdf) -> bool {
        region.distance(self.position.into()) < 0.0
    }
}
