//! A contact as data, for whoever looks at a simulation from outside.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::Partner;

/// Two grains that touch, or a grain and a wall. Each is listed once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// Id of the particle; of two, the one with the lower id.
    pub particle: u32,
    /// What it touches.
    pub partner: Partner,
    /// Centre of the particle \[m\].
    pub center: Vec3,
    /// From there to the partner's centre, by the shortest way where space is periodic, or to the nearest point of the wall
    /// \[m\].
    pub branch: Vec3,
    /// Where they touch \[m\]: in the middle of the overlap, or on the wall.
    pub point: Vec3,
    /// Unit vector from the partner to the particle; out of the wall.
    pub normal: Vec3,
    /// Force on the particle along the normal \[N\]: positive where the two are pressed together, negative where they stick.
    pub normal_force: f32,
    /// Force on the particle in the plane of contact \[N\].
    pub tangential_force: Vec3,
    /// Overlap \[m\]; negative where only a neck or a liquid bridge holds the two.
    pub overlap: f32,
}

impl Contact {
    /// The whole force on the particle \[N\]; its partner gets the opposite.
    pub fn force(&self) -> Vec3 {
        self.normal_force * self.normal + self.tangential_force
    }
}
