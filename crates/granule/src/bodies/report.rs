//! What is known of a body between two steps.

use glam::Vec3;

use crate::boundary::Pose;
use crate::scene::BodyKind;

/// A body between two steps.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyReport {
    /// Name in the scene.
    pub name: String,
    /// Whether it is free, kinematic or fixed.
    pub kind: BodyKind,
    /// Mass \[kg\]; 0 for bodies that do not move freely.
    pub mass: f32,
    /// Centre of mass \[m\]; the pivot for bodies that do not move freely.
    pub center: Vec3,
    /// Where the frame that the shape is described in lies.
    pub pose: Pose,
    /// Velocity of the centre [m/s].
    pub velocity: Vec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: Vec3,
    /// Force of the grains on the body in the last step \[N\].
    pub force: Vec3,
    /// Torque of the grains about the centre in the last step [N m].
    pub torque: Vec3,
}
