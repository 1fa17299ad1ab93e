//! Tests of motions, lists of boundaries and samples.

use glam::{Quat, Vec3};

use super::{block, cylinder};
use crate::boundary::*;
use crate::sph::{Kernel, KernelKind, WallTable};

fn key(time: f64, translation: [f32; 3], axis: [f32; 3], angle: f32) -> Keyframe {
    Keyframe { time, translation, axis, angle }
}

fn moved(motion: Motion) -> Boundaries {
    Boundaries::new([("paddle", block(false), Some(0.3), Some(motion))]).expect("valid")
}

fn table() -> WallTable {
    WallTable::new(&Kernel::new(KernelKind::Cubic, 0.04), 0.02)
}

fn samples(boundaries: &Boundaries, x: Vec3, reach: f32) -> Vec<BoundarySample> {
    let mut list = Vec::new();
    boundaries.sample(x, reach, &table(), &mut |sample| list.push(sample));
    list
}

#[test]
fn velocity_carries_a_wall_exactly_along_its_keyframes() {
    let up = [0.0, 1.0, 0.0];
    let motion = Motion {
        keyframe: vec![
            key(1.0, [0.0; 3], up, 0.0),
            key(2.0, [0.5, 0.0, 0.1], up, 0.0),
            key(2.5, [0.5, 0.2, 0.1], up, 0.0),
        ],
        ..Motion::default()
    };
    let mut boundaries = moved(motion);
    let dt = 0.007;
    let mut place = Vec3::ZERO;
    for step in 0..400 {
        let time = f64::from(step) * dt;
        boundaries.advance(time, dt);
        let boundary = boundaries.iter().next().expect("one");
        let step = boundary.velocity_at(Vec3::ZERO) * dt as f32;
        place += step;
        assert!((boundary.pose().translation - place).length() < 1e-5, "{time}");
    }
    assert!((place - Vec3::new(0.5, 0.2, 0.1)).length() < 1e-5);
    boundaries.advance(10.0, dt);
    assert_eq!(boundaries.iter().next().expect("one").velocity_at(Vec3::ONE), Vec3::ZERO);
}

#[test]
fn turning_wall_moves_with_omega_cross_r() {
    let axis = [0.0, 0.0, 2.0];
    let pivot = Vec3::new(0.2, 0.1, 0.0);
    let motion = Motion {
        keyframe: vec![key(0.0, [0.0; 3], axis, 0.0), key(2.0, [0.0; 3], axis, 720.0)],
        pivot: pivot.to_array(),
        repeat: true,
        ..Motion::default()
    };
    let mut boundaries = moved(motion);
    let dt = 1e-3;
    for time in [0.0, 0.123, 0.9999, 1.9995, 2.0, 7.77] {
        boundaries.advance(time, dt);
        let boundary = boundaries.iter().next().expect("one");
        let omega = Vec3::Z * std::f32::consts::TAU;
        assert!(
            (boundary.angular_velocity() - omega).length() < 1e-4,
            "{time}: {}",
            boundary.angular_velocity()
        );
        let x = Vec3::new(1.0, -0.5, 0.3);
        assert!((boundary.velocity_at(x) - omega.cross(x - pivot)).length() < 1e-3, "{time}");
        let angle = (time + dt) as f32 * std::f32::consts::TAU;
        let expected = pivot + glam::Quat::from_rotation_z(angle) * (x - pivot);
        assert!((boundary.pose().world_from_body(x) - expected).length() < 1e-5, "{time}");
        assert!((boundary.pose().body_from_world(boundary.pose().world_from_body(x)) - x).length() < 1e-5);
    }
}

#[test]
fn fastest_wall_bounds_every_wall_velocity() {
    let axis = [0.0, 0.0, 1.0];
    let motion = Motion {
        keyframe: vec![key(1.0, [0.0; 3], axis, 0.0), key(2.0, [0.5, 0.0, 0.0], axis, 90.0)],
        ..Motion::default()
    };
    for hollow in [false, true] {
        let mut boundaries =
            Boundaries::new([("drum", cylinder(hollow), None, Some(motion.clone()))]).expect("valid");
        assert_eq!((boundaries.fastest(0.5), boundaries.fastest(3.0)), (0.0, 0.0));
        boundaries.advance(1.5, 1e-3);
        let fastest = boundaries.fastest(1.5);
        assert!(fastest < 3.0, "{fastest}");
        for x in [Vec3::ZERO, Vec3::new(0.6, 0.5, 0.0), Vec3::new(0.2, -0.6, 0.3)] {
            for sample in samples(&boundaries, x, 2.0) {
                assert!(sample.velocity.length() <= fastest);
            }
        }
        let velocity = Vec3::new(0.0, 4.0, 3.0);
        assert!(boundaries.set_pose("drum", &ToolPose { velocity, ..ToolPose::default() }));
        assert_eq!(boundaries.fastest(1.5), 5.0);
    }
}

#[test]
fn samples_of_a_turned_wall_are_those_of_the_turned_world() {
    let axis = [1.0, 0.5, 0.2];
    let motion = Motion {
        keyframe: vec![key(0.0, [0.0; 3], axis, 0.0), key(1.0, [0.3, -0.2, 0.5], axis, 50.0)],
        pivot: [0.1, 0.2, 0.3],
        repeat: false,
        ..Motion::default()
    };
    let still = Boundaries::new([("block", block(false), None, None)]).expect("valid");
    let mut boundaries = moved(motion);
    boundaries.advance(0.99, 0.01);
    let pose = boundaries.iter().next().expect("one").pose();
    for x in [Vec3::new(0.43, 0.1, 0.0), Vec3::new(0.41, 0.62, 0.31), Vec3::new(0.0, 0.59, 0.0)] {
        let (here, there) = (samples(&still, x, 0.05), samples(&boundaries, pose.world_from_body(x), 0.05));
        assert_eq!((here.len(), there.len()), (1, 1));
        assert!((here[0].distance - there[0].distance).abs() < 1e-5);
        assert!((pose.rotation * here[0].normal - there[0].normal).length() < 1e-4);
        assert!((pose.world_from_body(here[0].closest) - there[0].closest).length() < 1e-5);
        assert_eq!(there[0].friction, Some(0.3));
        assert_eq!((here[0].friction, here[0].velocity, here[0].body), (None, Vec3::ZERO, NO_BODY));
    }
}

#[test]
fn sample_carries_lambda_of_the_distance() {
    let floor = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
    let boundaries = Boundaries::new([("floor", floor, None, None)]).expect("valid");
    let list = samples(&boundaries, Vec3::new(1.0, 0.01, 2.0), 0.04);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].lambda, table().lambda(0.01));
    assert_eq!(list[0].lambda_derivative, table().lambda_derivative(0.01));
    assert!(samples(&boundaries, Vec3::new(1.0, 0.05, 2.0), 0.04).is_empty());
    assert!((boundaries.distance(Vec3::new(0.0, 0.3, 0.0)) - 0.3).abs() < 1e-7);
}

#[test]
fn far_blocks_are_not_sampled_and_near_ones_are_numbered() {
    let far = Shape::Box { min: [10.0; 3], max: [11.0; 3], hollow: false };
    let boundaries =
        Boundaries::new([("far", far, None, None), ("near", block(false), None, None)]).expect("valid");
    let list = samples(&boundaries, Vec3::new(0.42, 0.0, 0.0), 0.04);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].boundary, 1);
    assert_eq!(boundaries.names(), ["far", "near"]);
    assert_eq!((boundaries.len(), boundaries.is_empty()), (2, false));
}

#[test]
fn commanded_tool_stays_where_it_is_put() {
    let mut boundaries = Boundaries::new([("tool", block(false), None, None)]).expect("valid");
    assert!(!boundaries.set_pose("nobody", &ToolPose::default()));
    let pose = ToolPose { position: Vec3::X, velocity: Vec3::X, ..ToolPose::default() };
    assert!(boundaries.set_pose("tool", &pose));
    boundaries.advance(0.0, 0.1);
    let list = samples(&boundaries, Vec3::new(1.42, 0.0, 0.0), 0.04);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].velocity, Vec3::X);
    assert!((list[0].closest - Vec3::new(1.4, 0.0, 0.0)).length() < 1e-6);
}

/// A tool that is led goes all the way evenly, stands still then, and devices are told the same.
#[test]
fn a_led_tool_moves_evenly_to_its_pose_and_stays_there() {
    for pivot in [Vec3::ZERO, Vec3::new(0.3, -0.2, 0.1)] {
        let keyframe = vec![key(0.0, [0.2, 0.0, 0.0], [0.0, 1.0, 0.0], 30.0)];
        let mut boundaries = moved(Motion { keyframe, pivot: pivot.to_array(), ..Motion::default() });
        let pose = |boundaries: &Boundaries| boundaries.iter().next().expect("one").pose();
        let (first, rotation) = (pose(&boundaries), Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7));
        let there = ToolPose { position: Vec3::new(1.0, 0.2, -0.5), rotation, ..ToolPose::default() };
        assert!(!boundaries.lead("nobody", &there, 2.0, 0.1));
        assert!(boundaries.lead("paddle", &there, 2.0, 0.1));
        assert_eq!(pose(&boundaries), first, "it is where it was");
        let x = Vec3::new(0.4, 0.3, 0.2);
        let (mut before, mut velocity) = (first.world_from_body(x), None);
        for k in 0..10 {
            let (time, dt) = (2.0 + 0.01 * f64::from(k), 0.01);
            let fastest = boundaries.fastest(time);
            boundaries.advance(time, dt);
            let (boundary, now) =
                (boundaries.iter().next().expect("one"), pose(&boundaries).world_from_body(x));
            // The velocities belong to where the pivot is at the step's end, half a step's way beyond the middle.
            let middle = 0.5 * (before + now + dt as f32 * boundary.linear_velocity());
            let wanted = (now - before) / dt as f32;
            assert!((boundary.velocity_at(middle) - wanted).length() < 0.02, "it moves as it says, step {k}");
            assert!(boundary.velocity_at(now).length() <= 1.001 * fastest);
            let even = (boundary.linear_velocity(), boundary.angular_velocity());
            let (linear, angular) = *velocity.get_or_insert(even);
            assert!((even.0 - linear).length() < 1e-4 && (even.1 - angular).length() < 1e-4, "step {k}");
            // What devices are told.
            let segment = boundary.segment_at(time).expect("it moves");
            let turn = glam::DQuat::from_axis_angle(segment.axis, dt * segment.angle[1]) * segment.base;
            let place = segment.pivot[0] + dt * segment.pivot[1] + turn * (x - pivot).as_dvec3();
            assert!((place.as_vec3() - now).length() < 1e-5);
            before = now;
            let mut restored = moved(Motion {
                pivot: pivot.to_array(),
                keyframe: vec![Keyframe::default()],
                ..Motion::default()
            });
            restored.restore(&boundaries.state());
            restored.advance(time + dt, 0.005);
            let mut same = boundaries.clone();
            same.advance(time + dt, 0.005);
            assert_eq!(restored.state(), same.state());
        }
        let end = pose(&boundaries);
        assert!((end.world_from_body(pivot) - pivot - there.position).length() < 1e-6);
        assert!(end.rotation.dot(rotation).abs() > 1.0 - 1e-6);
        boundaries.advance(2.1, 0.1);
        let boundary = boundaries.iter().next().expect("one");
        assert_eq!((boundary.linear_velocity(), boundary.angular_velocity()), (Vec3::ZERO, Vec3::ZERO));
        let stays = (pose(&boundaries).world_from_body(x) - before).length();
        assert!(stays < 1e-6 && boundaries.fastest(2.2) == 0.0, "{stays}");
    }
}

/// The walls of a tool that a command turns are those of the block at rest, turned about the pivot, and move as the pose
/// of a moment later says.
#[test]
fn walls_of_a_commanded_tool_turn_with_v_plus_omega_cross_r() {
    let still = Boundaries::new([("block", block(false), None, None)]).expect("valid");
    let pose = ToolPose {
        position: Vec3::new(1.0, 0.2, -0.5),
        rotation: Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7),
        velocity: Vec3::new(0.3, -0.1, 0.2),
        angular_velocity: Vec3::new(0.5, 3.0, -1.0),
    };
    for pivot in [Vec3::ZERO, Vec3::new(0.3, -0.2, 0.1)] {
        // It follows this motion no longer, but turns about its pivot.
        let keyframe = vec![key(0.0, [0.0; 3], [0.0, 1.0, 0.0], 90.0)];
        let mut boundaries = moved(Motion { keyframe, pivot: pivot.to_array(), ..Motion::default() });
        let fresh = boundaries.clone();
        assert!(boundaries.set_pose("paddle", &pose));
        boundaries.advance(0.0, 0.1);
        let place = |pose: &ToolPose, x: Vec3| pose.position + pivot + pose.rotation * (x - pivot);
        let dt = 1e-3;
        let later = ToolPose {
            position: pose.position + dt * pose.velocity,
            rotation: Quat::from_scaled_axis(dt * pose.angular_velocity) * pose.rotation,
            ..pose
        };
        let mut restored = fresh;
        restored.restore(&boundaries.state());
        for x in [Vec3::new(0.43, 0.1, 0.0), Vec3::new(-0.2, 0.62, 0.1), Vec3::new(0.1, 0.2, -0.33)] {
            let (here, there) = (samples(&still, x, 0.05), samples(&boundaries, place(&pose, x), 0.05));
            assert_eq!((here.len(), there.len()), (1, 1));
            assert!((here[0].distance - there[0].distance).abs() < 1e-5);
            assert!((pose.rotation * here[0].normal - there[0].normal).length() < 1e-4);
            let closest = place(&pose, here[0].closest);
            assert!((closest - there[0].closest).length() < 1e-5);
            let arm = closest - pose.position - pivot;
            let velocity = pose.velocity + pose.angular_velocity.cross(arm);
            assert!((there[0].velocity - velocity).length() < 1e-4, "{} {velocity}", there[0].velocity);
            let moved = (place(&later, here[0].closest) - closest) / dt;
            assert!((there[0].velocity - moved).length() < 0.02, "{} {moved}", there[0].velocity);
            assert!(there[0].velocity.length() <= boundaries.fastest(0.0));
            assert_eq!(samples(&restored, place(&pose, x), 0.05), there);
        }
    }
}

#[test]
fn wrong_motions_and_lists_are_refused() {
    let up = [0.0, 1.0, 0.0];
    let refuse = |keyframe: Vec<Keyframe>, repeat: bool| {
        Motion { keyframe, repeat, ..Motion::default() }.validate().expect_err("wrong")
    };
    assert_eq!(refuse(vec![], false), MotionError::NoKeyframes);
    let twice = vec![key(1.0, [0.0; 3], up, 0.0), key(1.0, [0.0; 3], up, 0.0)];
    assert!(matches!(refuse(twice, false), MotionError::TimeNotAscending { index: 1, .. }));
    assert_eq!(refuse(vec![key(0.0, [0.0; 3], [0.0; 3], 0.0)], false), MotionError::ZeroAxis { index: 0 });
    let jump = vec![key(0.0, [0.0; 3], up, 90.0), key(1.0, [0.0; 3], [1.0, 0.0, 0.0], 90.0)];
    assert!(matches!(refuse(jump, false), MotionError::AxisChange { index: 1, .. }));
    let open = vec![key(0.0, [0.0; 3], up, 0.0), key(1.0, [1.0, 0.0, 0.0], up, 0.0)];
    assert_eq!(refuse(open, true), MotionError::NotClosed);
    let names = Boundaries::new([("a", block(false), None, None), ("a", block(true), None, None)]);
    assert!(names.is_err());
    assert!(Boundaries::new([("a", block(false), Some(-0.1), None)]).is_err());
}

#[test]
fn smooth_motions_pass_their_keyframes_without_jumps_and_overshoot() {
    let key = |time: f64, x: f32, angle: f32| Keyframe {
        time,
        translation: [x, 0.0, 0.0],
        axis: [0.0, 0.0, 1.0],
        angle,
    };
    let motion = Motion {
        keyframe: vec![key(0.0, 0.0, 0.0), key(1.0, 1.0, 90.0), key(3.0, 2.0, 90.0), key(4.0, 0.5, 0.0)],
        interpolation: Interpolation::Smooth,
        ..Motion::default()
    };
    let x = |time: f64| f64::from(motion.pose(time).translation.x);
    let speed = |time: f64| (x(time + 1e-4) - x(time - 1e-4)) / 2e-4;
    for (time, place) in [(0.0, 0.0), (1.0, 1.0), (3.0, 2.0), (4.0, 0.5)] {
        assert!((x(time) - place).abs() < 1e-6);
        assert!((speed(time - 1e-3) - speed(time + 1e-3)).abs() < 0.03, "no jump at {time}");
    }
    assert!(speed(1.0) > 0.5 && speed(3.0).abs() < 0.02 && speed(0.0).abs() < 0.02);
    let highest = (0..400).map(|k| x(0.01 * f64::from(k))).fold(f64::MIN, f64::max);
    assert!(highest <= 2.0 + 1e-6, "{highest}");
    let fastest = (0..400).map(|k| speed(0.01 * f64::from(k)).abs()).fold(0.0, f64::max);
    assert!(fastest <= f64::from(motion.speeds(3.5).0.max(motion.speeds(0.5).0)), "{fastest}");
}

#[test]
fn segments_for_devices_end_at_the_next_keyframe_in_the_time_of_the_simulation() {
    let up = [0.0, 1.0, 0.0];
    let keyframe =
        vec![key(1.0, [0.0; 3], up, 0.0), key(2.0, [0.5, 0.0, 0.0], up, 0.0), key(4.0, [0.0; 3], up, 0.0)];
    let once = Motion { keyframe: keyframe.clone(), ..Motion::default() };
    let ends = [0.5, 1.5, 3.0, 5.0].map(|time| once.segment_at(time).end);
    assert_eq!(ends, [1.0, 2.0, 4.0, f64::INFINITY]);
    let again = Motion { keyframe, repeat: true, ..Motion::default() };
    // Its period is 3 s.
    let ends = [1.5, 4.5, 6.5, 7.25].map(|time| again.segment_at(time).end);
    assert_eq!(ends, [2.0, 5.0, 7.0, 8.0]);
    let segment = again.segment_at(4.5);
    assert_eq!((segment.pivot[0].x, segment.pivot[1].x), (0.25, 0.5), "half-way, at 0.5 m/s");
}
