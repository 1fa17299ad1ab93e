//! Keyframed rigid motion of boundaries.

use glam::{DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::servo::{Servo, ServoError};

/// How a motion goes from keyframe to keyframe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// At constant velocity and turning rate, which jump at keyframes.
    #[default]
    Linear,
    /// Without jumps of velocity: at rest at the first and the last keyframe, and where a motion turns back.
    Smooth,
}

/// Motion through keyframes, at rest outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// Keyframes in the order of time; at least one, unless a servo moves the shape.
    #[serde(default)]
    pub keyframe: Vec<Keyframe>,
    /// Point of the shape that rotations turn about \[m\].
    #[serde(default)]
    pub pivot: [f32; 3],
    /// Whether the motion repeats after its last keyframe.
    #[serde(default)]
    pub repeat: bool,
    /// How it goes from keyframe to keyframe.
    #[serde(default)]
    pub interpolation: Interpolation,
    /// A force that the shape holds along a direction, added to its keyframes; with `dem`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servo: Option<Servo>,
}

/// Pose at a time, relative to where the shape is described.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Time \[s\].
    pub time: f64,
    /// Displacement \[m\].
    #[serde(default)]
    pub translation: [f32; 3],
    /// Axis of the rotation.
    #[serde(default = "up")]
    pub axis: [f32; 3],
    /// Angle of the rotation \[degrees\]; more than a turn is allowed.
    #[serde(default)]
    pub angle: f32,
}

impl Default for Keyframe {
    /// Where the shape is described, at time 0.
    fn default() -> Self {
        Self { time: 0.0, translation: [0.0; 3], axis: up(), angle: 0.0 }
    }
}

fn up() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

/// What is wrong with a motion.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MotionError {
    /// A servo is wrong.
    #[error(transparent)]
    Servo(#[from] ServoError),
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
        /// Time of the keyframe before \[s\].
        before: f64,
        /// What was given \[s\].
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
        /// Angle of the keyframe before \[degrees\].
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
    /// Place of the shape's origin in the world \[m\].
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

/// A motion between two keyframes: polynomials of the time since its start, by their coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionSegment {
    /// When it ends \[s\]; infinite after the last keyframe.
    pub end: f64,
    /// Unit axis of the rotation.
    pub axis: DVec3,
    /// Angle \[rad\].
    pub angle: [f64; 4],
    /// Place of the pivot in the world \[m\].
    pub pivot: [DVec3; 4],
    /// What is turned by the angle about the axis.
    pub base: DQuat,
    /// Bounds of the pivot's speed [m/s] and of the turning rate [rad/s].
    pub fastest: [f32; 2],
}

impl MotionSegment {
    /// A shape that stays where it is.
    pub(super) fn at_rest(pose: PivotPose) -> Self {
        let pivot = [pose.pivot, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        let base = pose.rotation;
        Self { end: f64::INFINITY, axis: DVec3::Y, angle: [0.0; 4], pivot, base, fastest: [0.0; 2] }
    }
}

/// A pose in double precision, about the pivot: velocities are differences of these.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PivotPose {
    pub(super) rotation: DQuat,
    /// Place of the pivot in the world \[m\].
    pub(super) pivot: DVec3,
}

impl Motion {
    /// Checks every value.
    ///
    /// # Errors
    /// Says which value is wrong and what is allowed.
    ///
    /// ```
    /// use granule::{Keyframe, Motion};
    ///
    /// // Up by 30 cm within a second.
    /// let up = Keyframe { time: 1.0, translation: [0.0, 0.3, 0.0], ..Keyframe::default() };
    /// let lift = Motion { keyframe: vec![Keyframe::default(), up], ..Motion::default() };
    /// assert!(lift.validate().is_ok());
    /// ```
    pub fn validate(&self) -> Result<(), MotionError> {
        if let Some(servo) = &self.servo {
            servo.validate()?;
        }
        let (Some(first), Some(last)) = (self.keyframe.first(), self.keyframe.last()) else {
            return if self.servo.is_some() { Ok(()) } else { Err(MotionError::NoKeyframes) };
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

    /// The pose at a time \[s\]: translation and angle are interpolated between keyframes, the axis is that of the later
    /// one.
    pub fn pose(&self, time: f64) -> Pose {
        self.pivot_pose(time).pose(self.pivot)
    }

    pub(super) fn pivot_pose(&self, time: f64) -> PivotPose {
        let pivot = Vec3::from(self.pivot).as_dvec3();
        let Some((k, time)) = self.segment(time) else {
            return PivotPose { rotation: DQuat::IDENTITY, pivot };
        };
        let key = &self.keyframe[(k + 1).min(self.keyframe.len() - 1)];
        let coordinate = |of: fn(&Keyframe) -> f64| self.interpolate(k, time, of);
        let displacement = DVec3::new(
            coordinate(|key| key.translation[0].into()),
            coordinate(|key| key.translation[1].into()),
            coordinate(|key| key.translation[2].into()),
        );
        PivotPose { rotation: key.rotation(coordinate(|key| key.angle.into())), pivot: pivot + displacement }
    }

    /// A coordinate of the keyframes at a time between keyframe `k` and the next.
    ///
    /// Smooth motions are cubic Hermite curves. Their slope at a keyframe is the harmonic mean of the slopes beside it
    /// where these have the same sign and 0 elsewhere (Fritsch and Butland 1984): nothing overshoots a keyframe.
    fn interpolate(&self, k: usize, time: f64, of: impl Fn(&Keyframe) -> f64) -> f64 {
        let keys = &self.keyframe;
        let Some(next) = keys.get(k + 1) else { return of(&keys[k]) };
        let (from, to) = (of(&keys[k]), of(next));
        let span = next.time - keys[k].time;
        let t = ((time - keys[k].time) / span).clamp(0.0, 1.0);
        if self.interpolation == Interpolation::Linear {
            return from + t * (to - from);
        }
        let (start, end) = (span * self.slope(k, &of), span * self.slope(k + 1, &of));
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * from
            + (t3 - 2.0 * t2 + t) * start
            + (3.0 * t2 - 2.0 * t3) * to
            + (t3 - t2) * end
    }

    /// Slope of a coordinate at keyframe `k` of a smooth motion [1/s].
    fn slope(&self, k: usize, of: &impl Fn(&Keyframe) -> f64) -> f64 {
        let keys = &self.keyframe;
        let slope = |a: usize| (of(&keys[a + 1]) - of(&keys[a])) / (keys[a + 1].time - keys[a].time);
        let (before, after) = match (k.checked_sub(1), k + 1 < keys.len()) {
            (Some(before), true) => (slope(before), slope(k)),
            // A motion that repeats goes on through its end.
            _ if self.repeat && keys.len() > 2 => (slope(keys.len() - 2), slope(0)),
            _ if self.repeat => return slope(0),
            _ => return 0.0,
        };
        if before * after > 0.0 { 2.0 * before * after / (before + after) } else { 0.0 }
    }

    /// The motion from a time \[s\] on until the next keyframe, as polynomials that devices can evaluate.
    pub fn segment_at(&self, time: f64) -> MotionSegment {
        let pivot = Vec3::from(self.pivot).as_dvec3();
        let Some((k, local)) = self.segment(time) else {
            return MotionSegment::at_rest(PivotPose { rotation: DQuat::IDENTITY, pivot });
        };
        let key = &self.keyframe[(k + 1).min(self.keyframe.len() - 1)];
        let waiting = local < self.keyframe[k].time;
        let end = if waiting { self.keyframe.get(k) } else { self.keyframe.get(k + 1) };
        let [angle, x, y, z] = [
            self.cubic(k, local, |key| key.angle.into()),
            self.cubic(k, local, |key| key.translation[0].into()),
            self.cubic(k, local, |key| key.translation[1].into()),
            self.cubic(k, local, |key| key.translation[2].into()),
        ];
        let (linear, angular) = self.speeds(time);
        let mut place = [0, 1, 2, 3].map(|power| DVec3::new(x[power], y[power], z[power]));
        place[0] += pivot;
        let whole_turns = angle[0] - angle[0].rem_euclid(360.0);
        let angle = [angle[0] - whole_turns, angle[1], angle[2], angle[3]].map(f64::to_radians);
        let axis = key.turning_axis().unwrap_or(DVec3::Y);
        let end = end.map_or(f64::INFINITY, |key| key.time + (time - local));
        MotionSegment { end, axis, angle, pivot: place, base: DQuat::IDENTITY, fastest: [linear, angular] }
    }

    /// A coordinate between keyframe `k` and the next as a polynomial of the time since `time` \[s\]: the coefficients of
    /// its powers 0 to 3.
    fn cubic(&self, k: usize, time: f64, of: impl Fn(&Keyframe) -> f64) -> [f64; 4] {
        let keys = &self.keyframe;
        let from = of(&keys[k]);
        let Some(next) = keys.get(k + 1).filter(|_| time >= keys[k].time) else {
            return [from, 0.0, 0.0, 0.0];
        };
        let span = next.time - keys[k].time;
        let mean = (of(next) - from) / span;
        let [a1, a2, a3] = match self.interpolation {
            Interpolation::Linear => [mean, 0.0, 0.0],
            Interpolation::Smooth => {
                let (start, end) = (self.slope(k, &of), self.slope(k + 1, &of));
                [start, (3.0 * mean - 2.0 * start - end) / span, (start + end - 2.0 * mean) / (span * span)]
            }
        };
        let t = time - keys[k].time;
        [from + t * (a1 + t * (a2 + t * a3)), a1 + t * (2.0 * a2 + t * 3.0 * a3), a2 + 3.0 * t * a3, a3]
    }

    /// Speed of the pivot [m/s] and turning rate [rad/s] from a time \[s\] on, until the next keyframe: a bound of it.
    pub(super) fn speeds(&self, time: f64) -> (f32, f32) {
        let Some((k, time)) = self.segment(time) else { return (0.0, 0.0) };
        let (before, Some(key)) = (&self.keyframe[k], self.keyframe.get(k + 1)) else { return (0.0, 0.0) };
        if time < before.time {
            return (0.0, 0.0);
        }
        let span = key.time - before.time;
        let turn = (f64::from(key.angle) - f64::from(before.angle)).abs().to_radians();
        let way = (key.displacement() - before.displacement()).length();
        // A cubic that stays between its ends is at most three times as steep as the line.
        let steepest = if self.interpolation == Interpolation::Smooth { 3.0 } else { 1.0 };
        ((steepest * way / span) as f32, (steepest * turn / span) as f32)
    }

    /// The last keyframe at or before a time (the first one before all), and the time within the first round.
    fn segment(&self, time: f64) -> Option<(usize, f64)> {
        let (first, last) = (self.keyframe.first()?, self.keyframe.last()?);
        let span = last.time - first.time;
        let time = if self.repeat && span > 0.0 && time >= last.time {
            first.time + (time - first.time).rem_euclid(span)
        } else {
            time
        };
        let next = self.keyframe.partition_point(|key| key.time <= time);
        Some((next.saturating_sub(1), time))
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
