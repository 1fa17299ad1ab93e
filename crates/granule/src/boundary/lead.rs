//! Boundaries that commands lead from pose to pose, with walls that move all the way.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::motion::{MotionSegment, PivotPose};

/// The way of a boundary from a pose to another one at constant velocity and turning rate; at rest before and after.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Lead {
    from: PivotPose,
    to: PivotPose,
    /// When it begins \[s\].
    start: f64,
    /// When it ends \[s\].
    end: f64,
}

impl Lead {
    /// The way between two poses from a time \[s\] on, within some seconds, turning the shorter way round.
    pub(super) fn new(from: PivotPose, to: PivotPose, start: f64, seconds: f64) -> Self {
        Self { from, to, start, end: start + seconds }
    }

    /// The pose at a time \[s\].
    pub(super) fn pivot_pose(&self, time: f64) -> PivotPose {
        let share = (time - self.start) / (self.end - self.start);
        if share <= 0.0 {
            return self.from;
        } else if share >= 1.0 {
            return self.to;
        }
        let turned = DQuat::from_scaled_axis(share * self.turn()) * self.from.rotation;
        PivotPose { rotation: turned.normalize(), pivot: self.from.pivot.lerp(self.to.pivot, share) }
    }

    /// Speed of the pivot [m/s] and turning rate [rad/s] from a time \[s\] on, until it begins or ends.
    pub(super) fn speeds(&self, time: f64) -> (f32, f32) {
        let segment = self.segment_at(time);
        (segment.fastest[0], segment.fastest[1])
    }

    /// The motion from a time \[s\] on, until it begins or ends.
    pub(super) fn segment_at(&self, time: f64) -> MotionSegment {
        if time < self.start {
            return MotionSegment { end: self.start, ..MotionSegment::at_rest(self.from) };
        } else if time >= self.end {
            return MotionSegment::at_rest(self.to);
        }
        let seconds = self.end - self.start;
        let (velocity, turn) = ((self.to.pivot - self.from.pivot) / seconds, self.turn() / seconds);
        let now = self.pivot_pose(time);
        MotionSegment {
            end: self.end,
            axis: turn.normalize_or(DVec3::Y),
            angle: [0.0, turn.length(), 0.0, 0.0],
            pivot: [now.pivot, velocity, DVec3::ZERO, DVec3::ZERO],
            base: now.rotation,
            fastest: [velocity.length() as f32, turn.length() as f32],
        }
    }

    /// The turn from one end to the other, the shorter way round \[rad\].
    fn turn(&self) -> DVec3 {
        if self.to.rotation == self.from.rotation {
            return DVec3::ZERO;
        }
        let turn = self.to.rotation * self.from.rotation.conjugate();
        (if turn.w < 0.0 { -turn } else { turn }).to_scaled_axis()
    }

    /// Whether all numbers are finite, the rotations are some, and it ends after it has begun.
    pub(super) fn is_sound(&self) -> bool {
        let sound =
            |pose: &PivotPose| pose.pivot.is_finite() && (pose.rotation.length_squared() - 1.0).abs() < 1e-3;
        sound(&self.from)
            && sound(&self.to)
            && self.start.is_finite()
            && self.end.is_finite()
            && self.end > self.start
    }
}
