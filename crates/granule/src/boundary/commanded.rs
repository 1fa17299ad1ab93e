//! Boundaries that commands take over.

use glam::{Quat, Vec3};

use super::lead::Lead;
use super::motion::{PivotPose, Pose};
use super::sample::{Boundaries, Boundary};

/// Where a command puts a boundary, and how it moves there: velocities are those of its pivot, which is that of its
/// motion, or the origin of the frame that it is described in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ToolPose {
    /// Displacement of the pivot from where it is described \[m\], as
    /// [`Keyframe::translation`](super::Keyframe::translation).
    pub position: Vec3,
    /// Rotation about the pivot, a unit quaternion.
    pub rotation: Quat,
    /// Velocity of the pivot [m/s].
    pub velocity: Vec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: Vec3,
}

impl Boundaries {
    /// Takes a boundary over: from now on it stays where the pose puts it, its walls moving at the pose's velocities,
    /// until the next call. False if there is no boundary of that name, or if it is a free body.
    pub fn set_pose(&mut self, name: &str, pose: &ToolPose) -> bool {
        let Some(boundary) = self.named(name) else { return false };
        let pivot = boundary.shape_pivot();
        (boundary.commanded, boundary.lead) = (true, None);
        boundary.pivot = pivot + pose.position;
        boundary.linear_velocity = pose.velocity;
        boundary.angular_velocity = pose.angular_velocity;
        let translation = boundary.pivot - pose.rotation * pivot;
        boundary.set_pose(Pose { rotation: pose.rotation, translation });
        true
    }

    /// Takes a boundary over: from a time \[s\] on it moves to where the pose puts it within some seconds, at constant velocity
    /// and turning rate, whatever velocities the pose has, and stays there until the next call. False if there is no boundary
    /// of that name, or if it is a free body.
    pub fn lead(&mut self, name: &str, pose: &ToolPose, time: f64, seconds: f64) -> bool {
        let Some(boundary) = self.named(name) else { return false };
        let pivot = boundary.shape_pivot();
        let known = boundary.pose();
        let now = boundary.lead.map_or_else(
            || PivotPose {
                rotation: known.rotation.as_dquat().normalize(),
                pivot: known.world_from_body(pivot).as_dvec3(),
            },
            |lead| lead.pivot_pose(time),
        );
        let rotation = pose.rotation.as_dquat().normalize();
        let there = PivotPose { rotation, pivot: (pivot + pose.position).as_dvec3() };
        (boundary.commanded, boundary.lead) = (true, Some(Lead::new(now, there, time, seconds)));
        true
    }

    /// The boundary of a name that a command can take over.
    fn named(&mut self, name: &str) -> Option<&mut Boundary> {
        self.list.iter_mut().find(|boundary| boundary.name == name && !boundary.free)
    }
}
