//! Boundaries in the world, and the samples that solvers take of them.

use glam::{DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::compile::{Resolution, ShapeError};
use super::exact::ExactSurface;
use super::lead::Lead;
use super::motion::{Motion, MotionError, MotionSegment, PivotPose, Pose};
use super::sdf::{Sdf, Surface};
use super::servo::{Servo, ServoState};
use super::shape::Shape;
use crate::sph::WallTable;

/// [`BoundarySample::body`] of walls that are no rigid body.
pub const NO_BODY: u32 = u32::MAX;

/// What is wrong with a list of boundaries.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BoundaryError {
    /// A shape is wrong.
    #[error("boundary `{name}`: {error}")]
    Shape {
        /// Name of the boundary.
        name: String,
        /// What is wrong with it.
        error: ShapeError,
    },
    /// A motion is wrong.
    #[error("boundary `{name}`, motion: {error}")]
    Motion {
        /// Name of the boundary.
        name: String,
        /// What is wrong with it.
        error: MotionError,
    },
    /// A coefficient of friction is wrong.
    #[error("boundary `{name}`: `friction` must be a finite number, 0 or greater, got {value}")]
    Friction {
        /// Name of the boundary.
        name: String,
        /// What was given.
        value: f32,
    },
    /// Two boundaries of one name.
    #[error("boundary `{name}`: the name is taken by another boundary")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// More boundaries than can be numbered.
    #[error("a scene may have at most {most} boundaries, got {count}")]
    TooMany {
        /// How many are allowed.
        most: usize,
        /// How many there are.
        count: usize,
    },
}

impl BoundaryError {
    /// Name of the boundary at fault; empty if it is the list as a whole.
    pub fn name(&self) -> &str {
        match self {
            Self::Shape { name, .. }
            | Self::Motion { name, .. }
            | Self::Friction { name, .. }
            | Self::NameTaken { name } => name,
            Self::TooMany { .. } => "",
        }
    }
}

/// A wall near a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundarySample {
    /// Signed distance \[m\], negative inside the solid.
    pub distance: f32,
    /// Unit normal out of the solid.
    pub normal: Vec3,
    /// Nearest point of the wall \[m\].
    pub closest: Vec3,
    /// Part of the kernel beyond the wall (physics A19), seen as a plane or looked up in the map of a mesh. Where a mesh
    /// gives several walls, the first one holds the part of all.
    pub lambda: f32,
    /// Derivative of `lambda` by the distance [1/m]; the gradient of `lambda` is this times `normal`.
    pub lambda_derivative: f32,
    /// Velocity of the wall at the nearest point [m/s].
    pub velocity: Vec3,
    /// Coefficient of friction; `None` is that of the material that touches the wall.
    pub friction: Option<f32>,
    /// Number of the boundary.
    pub boundary: u16,
    /// Wall of the boundary: the same number for the same wall at every step.
    pub face: u16,
    /// Number of the rigid body, or [`NO_BODY`].
    pub body: u32,
}

impl BoundarySample {
    /// The wall's own coefficient of friction, or else the `material`'s.
    #[inline]
    pub fn friction_or(&self, material: f32) -> f32 {
        self.friction.unwrap_or(material)
    }
}

/// How a pose is applied, from cheap to dear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PoseKind {
    Identity,
    Translation,
    Rigid,
}

/// A solid in the world.
#[derive(Clone, Debug)]
pub struct Boundary {
    pub(super) name: String,
    sdf: Sdf,
    /// Bounds of the solid in its own frame.
    bounds: Option<(Vec3, Vec3)>,
    friction: Option<f32>,
    motion: Option<Motion>,
    /// Whether a command has taken the place of the motion.
    pub(super) commanded: bool,
    /// The way that a command leads it, until it is over.
    pub(super) lead: Option<Lead>,
    pose: Pose,
    pose_kind: PoseKind,
    /// The pose in double precision, where a motion gives it.
    exact_pose: (DQuat, DVec3),
    /// Point that the velocity below belongs to \[m\].
    pub(super) pivot: Vec3,
    pub(super) linear_velocity: Vec3,
    pub(super) angular_velocity: Vec3,
    pub(super) servo: ServoState,
    /// Number of the rigid body that this is the surface of, or [`NO_BODY`].
    body: u32,
    /// Whether a rigid body moves freely and takes this surface along.
    pub(super) free: bool,
}

impl Boundary {
    fn new(
        name: String,
        shape: &Shape,
        friction: Option<f32>,
        motion: Option<Motion>,
        resolution: Option<&Resolution>,
    ) -> Result<Self, BoundaryError> {
        let sdf = match Sdf::resolved(shape, resolution) {
            Ok(sdf) => sdf,
            Err(error) => return Err(BoundaryError::Shape { name, error }),
        };
        if let Some(Err(error)) = motion.as_ref().map(Motion::validate) {
            return Err(BoundaryError::Motion { name, error });
        }
        if let Some(value) = friction.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(BoundaryError::Friction { name, value });
        }
        let mut boundary = Self {
            name,
            bounds: sdf.bounds(),
            sdf,
            friction,
            motion,
            commanded: false,
            lead: None,
            pose: Pose::IDENTITY,
            pose_kind: PoseKind::Identity,
            exact_pose: (DQuat::IDENTITY, DVec3::ZERO),
            pivot: Vec3::ZERO,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            servo: ServoState::default(),
            body: NO_BODY,
            free: false,
        };
        boundary.advance(0.0, 0.0);
        Ok(boundary)
    }

    /// Name in the scene.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The solid in its own frame.
    pub fn sdf(&self) -> &Sdf {
        &self.sdf
    }

    /// Coefficient of friction, if it is not the material's.
    pub fn friction(&self) -> Option<f32> {
        self.friction
    }

    /// Number of the rigid body that this is the surface of, or [`NO_BODY`].
    pub fn body(&self) -> u32 {
        self.body
    }

    /// Where the solid is now.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Velocity of the point `x` [m] as part of the solid [m/s].
    #[inline]
    pub fn velocity_at(&self, x: Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(x - self.pivot)
    }

    /// Angular velocity [rad/s].
    pub fn angular_velocity(&self) -> Vec3 {
        self.angular_velocity
    }

    /// The motion that it follows, unless a command has taken it over.
    pub fn path(&self) -> Option<&Motion> {
        self.motion.as_ref().filter(|_| !self.commanded)
    }

    /// The motion from a time \[s\] on until it changes, by keyframes or a command; none where nothing of both moves it.
    pub fn segment_at(&self, time: f64) -> Option<MotionSegment> {
        match &self.lead {
            Some(lead) => Some(lead.segment_at(time)),
            None => self.path().map(|motion| motion.segment_at(time)),
        }
    }

    /// Point that motions and commands turn it about, as it is described \[m\].
    pub fn shape_pivot(&self) -> Vec3 {
        self.motion.as_ref().map_or(Vec3::ZERO, |motion| Vec3::from(motion.pivot))
    }

    /// Point that the velocities belong to [m].
    pub fn pivot(&self) -> Vec3 {
        self.pivot
    }

    /// Velocity of the pivot [m/s].
    pub fn linear_velocity(&self) -> Vec3 {
        self.linear_velocity
    }

    /// Whether the solid can ever move: it has a motion, was taken over by a command or is a free body.
    pub fn moves(&self) -> bool {
        self.commanded || self.motion.is_some() || self.free
    }

    /// Where a solid that a command leads was `dt` [s] ago by its velocities; nothing for one that no command leads.
    pub fn led_from(&self, dt: f32) -> Option<Pose> {
        let back = Quat::from_scaled_axis(-dt * self.angular_velocity);
        let pivot = self.pivot - dt * self.linear_velocity;
        self.commanded.then(|| Pose {
            rotation: (back * self.pose.rotation).normalize(),
            translation: pivot + back * (self.pose.translation - self.pivot),
        })
    }

    /// The force that it holds, unless a command has taken it over.
    pub fn servo(&self) -> Option<&Servo> {
        self.path().and_then(|motion| motion.servo.as_ref())
    }

    /// Signed distance of a point in the world [m].
    pub fn distance(&self, x: Vec3) -> f32 {
        self.sdf.distance(self.body_from_world(x))
    }

    pub(super) fn set_pose(&mut self, pose: Pose) {
        self.pose = pose;
        self.exact_pose = (pose.rotation.as_dquat().normalize(), pose.translation.as_dvec3());
        self.pose_kind = if pose.rotation != Quat::IDENTITY {
            PoseKind::Rigid
        } else if pose.translation != Vec3::ZERO {
            PoseKind::Translation
        } else {
            PoseKind::Identity
        };
    }

    fn advance(&mut self, time: f64, dt: f64) {
        let (Some(now), Some(mut next)) = (self.pivot_pose(time), self.pivot_pose(time + dt)) else { return };
        (self.linear_velocity, self.angular_velocity) = now.velocity_to(&next, dt);
        if let Some(direction) = self.servo().map(Servo::direction) {
            self.servo.way += dt * self.servo.speed;
            next.pivot += self.servo.way * direction;
            self.linear_velocity += (self.servo.speed * direction).as_vec3();
        }
        self.pivot = next.pivot.as_vec3();
        let pivot = self.shape_pivot();
        self.set_pose(next.pose(pivot.to_array()));
        self.exact_pose = (next.rotation, next.pivot - next.rotation * pivot.as_dvec3());
    }

    /// Where keyframes or a command have it at a time \[s\]; none where nothing of both moves it.
    fn pivot_pose(&self, time: f64) -> Option<PivotPose> {
        match &self.lead {
            Some(lead) => Some(lead.pivot_pose(time)),
            None => self.path().map(|motion| motion.pivot_pose(time)),
        }
    }

    fn fastest(&self, time: f64) -> f32 {
        let speeds = match &self.lead {
            Some(lead) => Some(lead.speeds(time)),
            None => self.path().map(|motion| motion.speeds(time)),
        };
        match speeds {
            Some((linear, angular)) => {
                let servo = if self.lead.is_none() { self.servo.speed.abs() as f32 } else { 0.0 };
                servo + linear + angular * self.sdf.farthest_wall(self.shape_pivot())
            }
            None => {
                let center = self.body_from_world(self.pivot);
                let turning = self.angular_velocity.length();
                let reach = if turning > 0.0 { self.sdf.farthest_wall(center) } else { 0.0 };
                self.linear_velocity.length() + turning * reach
            }
        }
    }

    #[inline]
    fn body_from_world(&self, x: Vec3) -> Vec3 {
        match self.pose_kind {
            PoseKind::Identity => x,
            PoseKind::Translation => x - self.pose.translation,
            PoseKind::Rigid => self.pose.body_from_world(x),
        }
    }

    /// Gives every wall nearer to `x` than `reach` [m] as single precision sees it, and as double precision does from the
    /// same point `exact` [m]. Near the end of the reach one of them may be beyond it.
    pub fn near(&self, x: Vec3, exact: DVec3, reach: f32, out: &mut impl FnMut(Surface, ExactSurface)) {
        let local = self.body_from_world(x);
        if let Some((min, max)) = self.bounds {
            let beyond = (min - local).max(local - max).max(Vec3::ZERO);
            if beyond.length_squared() > reach * reach {
                return;
            }
        }
        let (rotation, translation) = self.exact_pose;
        let within = match self.pose_kind {
            PoseKind::Identity => exact,
            PoseKind::Translation => exact - translation,
            PoseKind::Rigid => rotation.conjugate() * (exact - translation),
        };
        self.sdf.node().exact_surfaces((local, within), reach, 0, &mut |surface, found| {
            let found = match self.pose_kind {
                PoseKind::Identity => found,
                _ => found.in_world(rotation, translation),
            };
            out(self.in_world(surface), found);
        });
    }

    /// Whether a wall may be within `reach` \[m\] of a point: yes for all that [`near`](Self::near) would give.
    pub fn may_be_within(&self, x: Vec3, reach: f32) -> bool {
        self.sdf.node().may_be_within(self.body_from_world(x), reach)
    }

    /// A surface of the solid's frame, in the world.
    #[inline]
    fn in_world(&self, surface: Surface) -> Surface {
        match self.pose_kind {
            PoseKind::Identity => surface,
            PoseKind::Translation => Surface { closest: surface.closest + self.pose.translation, ..surface },
            PoseKind::Rigid => Surface {
                closest: self.pose.world_from_body(surface.closest),
                normal: (self.pose.rotation * surface.normal).normalize_or(surface.normal),
                ..surface
            },
        }
    }

    #[inline]
    fn surfaces(&self, x: Vec3, reach: f32, out: &mut impl FnMut(Surface)) {
        let local = self.body_from_world(x);
        if let Some((min, max)) = self.bounds {
            let beyond = (min - local).max(local - max).max(Vec3::ZERO);
            if beyond.length_squared() > reach * reach {
                return;
            }
        }
        self.sdf.surfaces(local, reach, &mut |surface| out(self.in_world(surface)));
    }
}

/// Where a boundary is and how it moves: what a checkpoint keeps of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundaryState {
    commanded: bool,
    lead: Option<Lead>,
    rotation: Quat,
    translation: Vec3,
    pivot: Vec3,
    linear_velocity: Vec3,
    angular_velocity: Vec3,
    servo: ServoState,
}

impl BoundaryState {
    /// Whether all numbers are finite and the rotation is one.
    pub fn is_sound(&self) -> bool {
        [self.translation, self.pivot, self.linear_velocity, self.angular_velocity]
            .iter()
            .all(|v| v.is_finite())
            && (self.rotation.length_squared() - 1.0).abs() < 1e-3
            && self.servo.is_sound()
            && self.lead.is_none_or(|lead| lead.is_sound())
    }
}

/// All boundaries of a scene.
#[derive(Clone, Debug, Default)]
pub struct Boundaries {
    pub(super) list: Vec<Boundary>,
}

impl Boundaries {
    /// Boundaries from name, shape, friction (`None`: the material's) and motion. Names may repeat only if empty.
    /// All stand in their poses of time 0.
    ///
    /// # Errors
    /// Says which boundary is wrong, where, and what is allowed.
    pub fn new<N: Into<String>>(
        list: impl IntoIterator<Item = (N, Shape, Option<f32>, Option<Motion>)>,
    ) -> Result<Self, BoundaryError> {
        Self::resolved(list, None)
    }

    /// [`Boundaries::new`] with meshes resolved for grains.
    ///
    /// # Errors
    /// Says which boundary is wrong, where, and what is allowed.
    pub fn resolved<N: Into<String>>(
        list: impl IntoIterator<Item = (N, Shape, Option<f32>, Option<Motion>)>,
        resolution: Option<&Resolution>,
    ) -> Result<Self, BoundaryError> {
        let mut boundaries = Self::default();
        for (name, shape, friction, motion) in list {
            let name = name.into();
            if !name.is_empty() && boundaries.list.iter().any(|other| other.name == name) {
                return Err(BoundaryError::NameTaken { name });
            }
            boundaries.list.push(Boundary::new(name, &shape, friction, motion, resolution)?);
        }
        let (most, count) = (usize::from(u16::MAX), boundaries.list.len());
        if count > most { Err(BoundaryError::TooMany { most, count }) } else { Ok(boundaries) }
    }

    /// Moves every boundary to its pose at `time + dt` [s], with the velocity that leads there from that at `time`.
    pub fn advance(&mut self, time: f64, dt: f64) {
        for boundary in &mut self.list {
            boundary.advance(time, dt);
        }
    }

    /// Makes the boundary at an index the surface of rigid body number `body`, which may move `free`ly.
    pub fn attach(&mut self, index: usize, body: u32, free: bool) {
        if let Some(boundary) = self.list.get_mut(index) {
            (boundary.body, boundary.free) = (body, free);
        }
    }

    /// Puts the boundary at an index, the surface of a free body, where the body is, turning about `center` [m].
    pub fn place(&mut self, index: usize, pose: Pose, center: Vec3, linear: Vec3, angular: Vec3) {
        if let Some(boundary) = self.list.get_mut(index) {
            boundary.set_pose(pose);
            boundary.pivot = center;
            boundary.linear_velocity = linear;
            boundary.angular_velocity = angular;
        }
    }

    /// As [`place`](Self::place), with rotation and translation \[m\] in double precision.
    pub fn place_exactly(
        &mut self,
        index: usize,
        (rotation, translation): (DQuat, DVec3),
        center: Vec3,
        linear: Vec3,
        angular: Vec3,
    ) {
        let pose = Pose { rotation: rotation.as_quat(), translation: translation.as_vec3() };
        self.place(index, pose, center, linear, angular);
        if let Some(boundary) = self.list.get_mut(index) {
            boundary.exact_pose = (rotation, translation);
        }
    }

    /// Sets the friction of the boundary at an index (`None`: the material's).
    pub fn set_friction(&mut self, index: usize, friction: Option<f32>) {
        if let Some(boundary) = self.list.get_mut(index) {
            boundary.friction = friction;
        }
    }

    /// Poses and velocities of all boundaries, for [`Boundaries::restore`].
    pub fn state(&self) -> Vec<BoundaryState> {
        let state = |b: &Boundary| BoundaryState {
            commanded: b.commanded,
            lead: b.lead,
            rotation: b.pose.rotation,
            translation: b.pose.translation,
            pivot: b.pivot,
            linear_velocity: b.linear_velocity,
            angular_velocity: b.angular_velocity,
            servo: b.servo,
        };
        self.list.iter().map(state).collect()
    }

    /// Takes over poses and velocities, one per boundary.
    pub fn restore(&mut self, states: &[BoundaryState]) {
        for (boundary, state) in self.list.iter_mut().zip(states) {
            boundary.commanded = state.commanded;
            boundary.lead = state.lead;
            boundary.pivot = state.pivot;
            boundary.linear_velocity = state.linear_velocity;
            boundary.angular_velocity = state.angular_velocity;
            boundary.servo = state.servo;
            boundary.set_pose(Pose { rotation: state.rotation, translation: state.translation });
        }
    }

    /// Gives a sample of every wall nearer to `x` than `reach` [m].
    #[inline]
    pub fn sample(&self, x: Vec3, reach: f32, table: &WallTable, out: &mut impl FnMut(BoundarySample)) {
        for (index, boundary) in self.list.iter().enumerate() {
            boundary.surfaces(x, reach, &mut |surface| {
                let (lambda, lambda_derivative) =
                    surface.lambda.unwrap_or_else(|| table.lambda_and_derivative(surface.distance));
                out(BoundarySample {
                    distance: surface.distance,
                    normal: surface.normal,
                    closest: surface.closest,
                    lambda,
                    lambda_derivative,
                    velocity: boundary.velocity_at(surface.closest),
                    friction: boundary.friction,
                    boundary: index as u16,
                    face: surface.face,
                    body: boundary.body,
                });
            });
        }
    }

    /// Signed distance of `x` from the nearest boundary [m]; infinite if there is none.
    pub fn distance(&self, x: Vec3) -> f32 {
        self.list.iter().map(|boundary| boundary.distance(x)).fold(f32::INFINITY, f32::min)
    }

    /// Speed of the fastest wall from `time` [s] until its next keyframe [m/s], for the choice of a time step. Planes
    /// count with their pivot's speed only: their far parts turn at any speed.
    pub fn fastest(&self, time: f64) -> f32 {
        self.list.iter().map(|boundary| boundary.fastest(time)).fold(0.0, f32::max)
    }

    /// Names in the order of [`BoundarySample::boundary`].
    pub fn names(&self) -> Vec<&str> {
        self.list.iter().map(Boundary::name).collect()
    }

    /// The boundaries in the order of [`BoundarySample::boundary`].
    pub fn iter(&self) -> std::slice::Iter<'_, Boundary> {
        self.list.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }
}
