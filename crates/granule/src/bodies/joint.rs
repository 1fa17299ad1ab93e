//! Joints between bodies, in rapier's terms.

use glam::Vec3;
use rapier3d::prelude::{
    FixedJointBuilder, GenericJoint, PrismaticJointBuilder, RevoluteJointBuilder, SphericalJointBuilder,
};

use crate::boundary::Pose;
use crate::scene::{JointKind, JointSettings};

/// Rate at which a motor approaches its speed [1/s], as far as its strength allows.
const MOTOR_RATE: f32 = 1e5;

/// A joint of two bodies whose frames lie at these poses when it is made.
pub fn joint(settings: &JointSettings, first: &Pose, second: &Pose) -> GenericJoint {
    let anchor = Vec3::from(settings.anchor);
    let axis = Vec3::from(settings.axis).normalize_or(Vec3::Y);
    let [a, b] = [first, second].map(|pose| pose.body_from_world(anchor));
    let local_axes = [first, second].map(|pose| pose.rotation.conjugate() * axis);
    let motor = settings.motor;
    match settings.kind {
        JointKind::Fixed => {
            let [a, b] = [first, second]
                .map(|pose| (pose.body_from_world(anchor), pose.rotation.conjugate()))
                .map(|(place, turn)| rapier3d::math::Pose::from_parts(place, turn));
            FixedJointBuilder::new().local_frame1(a).local_frame2(b).contacts_enabled(false).into()
        }
        JointKind::Ball => {
            SphericalJointBuilder::new().local_anchor1(a).local_anchor2(b).contacts_enabled(false).into()
        }
        JointKind::Hinge => {
            let mut joint =
                RevoluteJointBuilder::new(axis).local_anchor1(a).local_anchor2(b).contacts_enabled(false);
            if let Some(limits) = settings.limits {
                joint = joint.limits(limits.map(f32::to_radians));
            }
            if let Some(motor) = motor {
                joint = joint
                    .motor_velocity(motor.speed.to_radians(), MOTOR_RATE)
                    .motor_max_force(motor.strength);
            }
            with_axes(joint.into(), local_axes)
        }
        JointKind::Slider => {
            let mut joint =
                PrismaticJointBuilder::new(axis).local_anchor1(a).local_anchor2(b).contacts_enabled(false);
            if let Some(limits) = settings.limits {
                joint = joint.limits(limits);
            }
            if let Some(motor) = motor {
                joint = joint.motor_velocity(motor.speed, MOTOR_RATE).motor_max_force(motor.strength);
            }
            with_axes(joint.into(), local_axes)
        }
    }
}

fn with_axes(mut joint: GenericJoint, [first, second]: [Vec3; 2]) -> GenericJoint {
    joint.set_local_axis1(first).set_local_axis2(second);
    joint
}
