//! Keyframed rigid motion of boundaries.

use glam::{DQuat, DVec3, Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Motion through keyframes: constant velocity and turning rate between them, at rest outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// Keyframes in the order of time.
    pub keyframe: Vec<Keyframe>,
    /// Point of the shape that rotations turn about [m].
    #[serde(default)]
    pub pivot: [f32; 3],
    /// Whether the motion repeats after its last keyframe.
    #[serde(default)]
    pub repeat: bool,
}

/// Pose at a time, relative to where the shape is described.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Time [s].
    pub time: f64,
    /// Displacement [m].
    #[serde(default)]
    pub translation: [f32; 3],
    /// Axis of the rotation.
    #[serde(default = "up")]
    pub axis: [f32; 3],
    /// Angle of the rotation [degrees]; more than a turn is allowed.
    #[serde(default)]
    pub angle: f32,
}

fn up() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

/// What is wrong with a motion.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MotionError {
    /// There are no keyframes.
    #[error("a motion needs at least one keyframe, got none")]
    NoKeyframes,
    /// A number is infinite or not a number.
    #[error("keyframe {index}: `{field}` must be finite")]
    NotFinite {
        /// Number of the keyframe, from 0.
        index: usize,
        /// Name of the value.
        field: &'static str,
    },
    /// The pivot is infinite or not a number.
    #[error("`pivot` must be finite, got {value:?}")]
    PivotNotFinite {
        /// What was given.
        value: [f32; 3],
    },
    /// Keyframes out of order.
    #[error("keyframe {index}: `time` must be later than that before ({before} s), got {time} s")]
    TimeNotAscending {
        /// Number of the keyframe, from 0.
        index: usize,
        /// Time of the keyframe before [s].
        before: f64,
        /// What was given [s].
        time: f64,
    },
    /// An axis without direction.
    #[error("keyframe {index}: `axis` must not be zero")]
    ZeroAxis {
        /// Number of the keyframe, from 0.
        index: usize,
    },
    /// The axis changes while the shape is turned, which would be a jump.
    #[error(
        "keyframe {index}: `axis` may differ from that before only where the `angle` before is a whole number of turns, \
         got {angle} degrees"
    )]
    AxisChange {
        /// Number of the keyframe, from 0.
        index: usize,
        /// Angle of the keyframe before [degrees].
        angle: f32,
    },
    /// A repeated motion that does not end where it began.
    #[error(
        "a motion with `repeat` must end in the pose of its first keyframe (angles may differ by whole turns)"
    )]
    NotClosed,
}

/// A rigid pose: where the frame that a shape is described in lies in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Turns directions of the shape into those of the world.
    pub rotation: Quat,
    /// Place of the shape's origin in the world [m].
    pub translation: Vec3,
}

impl Pose {
    /// The shape where it is described.
    pub const IDENTITY: Self = Self { rotation: Quat::IDENTITY, translation: Vec3::ZERO };

    /// From the shape's frame to the world.
    #[inline]
    pub fn world_from_body(&self, x: Vec3) -> Vec3 {
        self.rotation * x + self.translation
    }

    /// From the world to the shape's frame.
    #[inline]
    pub fn body_from_world(&self, x: Vec3) -> Vec3 {
        self.rotation.conjugate() * (x - self.translation)
    }
}

/// A pose in double precision, about the pivot: velocities are differences of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PivotPose {
    pub(super) rotation: DQuat,
    /// Place of the pivot in the world [m].
    pub(super) pivot: DVec3,
}

impl Motion {
    /// Checks every value.
    ///
    /// # Errors
    /// Says which value is wrong and what is allowed.
    pub fn validate(&self) -> Result<(), MotionError> {
        let (Some(first), Some(last)) = (self.keyframe.first(), self.keyframe.last()) else {
            return Err(MotionError::NoKeyframes);
        };
        if !Vec3::from(self.pivot).is_finite() {
            return Err(MotionError::PivotNotFinite { value: self.pivot });
        }
        for (index, key) in self.keyframe.iter().enumerate() {
            let fields = [
                ("time", key.time.is_finite()),
                ("translation", Vec3::from(key.translation).is_finite()),
                ("axis", Vec3::from(key.axis).is_finite()),
                ("angle", key.angle.is_finite()),
            ];
            if let Some((field, _)) = fields.into_iter().find(|(_, finite)| !finite) {
                return Err(MotionError::NotFinite { index, field });
            }
            if key.turning_axis().is_none() {
                return Err(MotionError::ZeroAxis { index });
            }
        }
        for (index, pair) in self.keyframe.windows(2).enumerate() {
            let (before, key) = (&pair[0], &pair[1]);
            let index = index + 1;
            if key.time <= before.time {
                return Err(MotionError::TimeNotAscending { index, before: before.time, time: key.time });
            }
            let same = before.rotation(before.angle.into()).dot(key.rotation(before.angle.into())).abs();
            if same < 1.0 - 1e-9 {
                return Err(MotionError::AxisChange { index, angle: before.angle });
            }
        }
        let turned = first.rotation(first.angle.into()).dot(last.rotation(last.angle.into())).abs();
        if self.repeat && (first.translation != last.translation || turned < 1.0 - 1e-9) {
            return Err(MotionError::NotClosed);
        }
        Ok(())
    }

    /// The pose at a time [s]: translation and angle are linear between keyframes, the axis is that of the later one.
    pub fn pose(&self, time: f64) -> Pose {
        self.pivot_pose(time).pose(self.pivot)
    }

    pub(super) fn pivot_pose(&self, time: f64) -> PivotPose {
        let pivot = Vec3::from(self.pivot).as_dvec3();
        let Some((before, key, time)) = self.segment(time) else {
            return PivotPose { rotation: DQuat::IDENTITY, pivot };
        };
        let t = if key.time > before.time { (time - before.time) / (key.time - before.time) } else { 0.0 };
        let (from, to) = (before.displacement(), key.displacement());
        let (from_angle, to_angle) = (f64::from(before.angle), f64::from(key.angle));
        PivotPose {
            rotation: key.rotation(from_angle + t * (to_angle - from_angle)),
            pivot: pivot + from + t * (to - from),
        }
    }

    /// Speed of the pivot [m/s] and turning rate [rad/s] from a time [s] on, until the next keyframe.
    pub(super) fn speeds(&self, time: f64) -> (f32, f32) {
        match self.segment(time) {
            Some((before, key, _)) if key.time > before.time => {
                let span = key.time - before.time;
                let turn = (f64::from(key.angle) - f64::from(before.angle)).abs().to_radians();
                let way = (key.displacement() - before.displacement()).length();
                ((way / span) as f32, (turn / span) as f32)
            }
            _ => (0.0, 0.0),
        }
    }

    /// The keyframes around a time (twice the same one outside of all), and the time within the first round.
    fn segment(&self, time: f64) -> Option<(&Keyframe, &Keyframe, f64)> {
        let (first, last) = (self.keyframe.first()?, self.keyframe.last()?);
        let span = last.time - first.time;
        let time = if self.repeat && span > 0.0 && time >= last.time {
            first.time + (time - first.time).rem_euclid(span)
        } else {
            time
        };
        let next = self.keyframe.partition_point(|key| key.time <= time);
        Some(match (next.checked_sub(1).map(|k| &self.keyframe[k]), self.keyframe.get(next)) {
            (Some(before), Some(key)) => (before, key, time),
            (None, _) => (first, first, time),
            (_, None) => (last, last, time),
        })
    }
}

impl Keyframe {
    fn displacement(&self) -> DVec3 {
        Vec3::from(self.translation).as_dvec3()
    }

    fn turning_axis(&self) -> Option<DVec3> {
        Vec3::from(self.axis).as_dvec3().try_normalize()
    }

    fn rotation(&self, degrees: f64) -> DQuat {
        let axis = self.turning_axis().unwrap_or(DVec3::Y);
        // A whole number of turns is exactly none.
        DQuat::from_axis_angle(axis, degrees.rem_euclid(360.0).to_radians())
    }
}

impl PivotPose {
    /// The pose of a shape whose point `pivot` [m] is carried along.
    pub(super) fn pose(&self, pivot: [f32; 3]) -> Pose {
        let origin = self.pivot - self.rotation * Vec3::from(pivot).as_dvec3();
        Pose { rotation: self.rotation.as_quat(), translation: origin.as_vec3() }
    }

    /// Velocity of the pivot [m/s] and angular velocity [rad/s] that lead to `next` within `dt` [s].
    pub(super) fn velocity_to(&self, next: &Self, dt: f64) -> (Vec3, Vec3) {
        if dt <= 0.0 {
            return (Vec3::ZERO, Vec3::ZERO);
        }
        let turn = next.rotation * self.rotation.conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let angular = if next.rotation == self.rotation { DVec3::ZERO } else { turn.to_scaled_axis() / dt };
        (((next.pivot - self.pivot) / dt).as_vec3(), angular.as_vec3())
    }
}
