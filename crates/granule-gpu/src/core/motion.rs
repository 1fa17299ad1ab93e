//! Boundaries and their motion, for shaders.

use glam::Vec3;
use granule::boundary::{Boundaries, Boundary, MotionSegment};

use crate::GpuError;
use crate::solid_table::SolidTable;

use super::layout::{MotionSegmentRecord, PoseRecord};

fn row(v: Vec3, w: f32) -> [f32; 4] {
    [v.x, v.y, v.z, w]
}

/// The boundaries where they are now, their solids appended to the table.
///
/// # Errors
/// Says which shape is too involved for a device.
pub fn poses(boundaries: &Boundaries, table: &mut SolidTable) -> Result<Vec<PoseRecord>, GpuError> {
    boundaries.iter().map(|boundary| Ok(pose(boundary, table.push(boundary.sdf())?))).collect()
}

fn pose(boundary: &Boundary, [first, count]: [u32; 2]) -> PoseRecord {
    let bounds = boundary.sdf().bounds();
    let pivot = boundary.shape_pivot();
    let mut record = PoseRecord {
        shape_pivot: row(pivot, boundary.sdf().farthest_wall(pivot)),
        low: bounds.map_or([0.0; 4], |(low, _)| row(low, 1.0)),
        high: bounds.map_or([0.0; 4], |(_, high)| row(high, 0.0)),
        solids: [first, count, 0, 0],
        ..PoseRecord::default()
    };
    refresh(&mut record, boundary);
    record
}

/// Takes over pose, velocity and friction of a boundary.
pub fn refresh(record: &mut PoseRecord, boundary: &Boundary) {
    let pose = boundary.pose();
    let turned = pose.rotation != glam::Quat::IDENTITY;
    record.rotation = pose.rotation.to_array();
    record.translation = row(pose.translation, if turned { 0.0 } else { 1.0 });
    record.pivot = row(boundary.pivot(), boundary.friction().unwrap_or(-1.0));
    if boundary.path().is_none() && boundary.angular_velocity() != Vec3::ZERO {
        record.shape_pivot[3] = boundary.sdf().farthest_wall(pose.body_from_world(boundary.pivot()));
    }
    record.linear = row(boundary.linear_velocity(), 0.0);
    record.angular = row(boundary.angular_velocity(), 0.0);
}

/// The segments of all motions within a batch from `start` \[s\] on, `length` \[s\] long; poses learn which are theirs.
pub fn segments(
    boundaries: &Boundaries,
    poses: &mut [PoseRecord],
    start: f64,
    length: f64,
) -> Vec<MotionSegmentRecord> {
    let mut all = Vec::new();
    for (boundary, pose) in boundaries.iter().zip(poses) {
        let first = all.len() as u32;
        all.extend(segments_of(|time| boundary.segment_at(time), start, length));
        pose.solids[2] = first;
        pose.solids[3] = all.len() as u32 - first;
    }
    all
}

/// Most segments of one motion in a batch; a motion that repeats more often within a frame is a blur anyway.
const MOST_OF_MOTION: usize = 256;

/// The segments of a motion, with times since `start`; none where nothing moves.
fn segments_of(
    motion: impl Fn(f64) -> Option<MotionSegment>,
    start: f64,
    length: f64,
) -> Vec<MotionSegmentRecord> {
    let mut found = Vec::new();
    let mut now = start;
    while now < start + length && found.len() < MOST_OF_MOTION {
        let Some((record, end)) = segment(&motion, now, start, start + length) else { break };
        found.push(record);
        now = end;
    }
    if let Some(last) = found.last_mut() {
        last.to_time = f32::MAX;
    }
    found
}

/// The segment at a time, and when it ends.
fn segment(
    motion: &impl Fn(f64) -> Option<MotionSegment>,
    now: f64,
    start: f64,
    end: f64,
) -> Option<(MotionSegmentRecord, f64)> {
    // A segment that rounding has left over does not hold the others up.
    let hair = 1e-6 * (end - start);
    let mut segment = motion(now)?;
    if segment.end < now + hair {
        segment = motion(now + hair)?;
    }
    let ends = segment.end.min(end).max(now + hair);
    let [angle, rate, angle_2, angle_3] = segment.angle.map(|coefficient| coefficient as f32);
    let [pivot, velocity, pivot_2, pivot_3] = segment.pivot.map(|coefficient| coefficient.as_vec3());
    let [fastest, fastest_turn] = segment.fastest;
    let record = MotionSegmentRecord {
        from_time: (now - start) as f32,
        to_time: (ends - start) as f32,
        fastest,
        fastest_turn,
        axis: row(segment.axis.as_vec3(), 0.0),
        pivot: row(pivot, angle),
        velocity: row(velocity, rate),
        pivot_2: row(pivot_2, angle_2),
        pivot_3: row(pivot_3, angle_3),
        base: segment.base.as_quat().to_array(),
    };
    Some((record, ends))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec4;
    use granule::boundary::{Interpolation, Keyframe, Motion};

    fn key(time: f64, x: f32, angle: f32) -> Keyframe {
        Keyframe { time, translation: [x, 0.0, 0.0], axis: [0.0, 0.0, 1.0], angle }
    }

    /// The segments of a batch give the poses of the engine, before, between, after and around keyframes.
    #[test]
    fn segments_follow_the_motion() {
        for (repeat, interpolation) in [
            (false, Interpolation::Linear),
            (true, Interpolation::Linear),
            (false, Interpolation::Smooth),
            (true, Interpolation::Smooth),
        ] {
            let keyframe = vec![key(0.1, 0.0, 0.0), key(0.3, 1.0, 90.0), key(0.4, 0.0, 360.0)];
            let motion = Motion { keyframe, pivot: [0.2, 0.0, 0.0], repeat, interpolation, servo: None };
            for start in [0.0, 0.05, 0.1, 0.25, 0.37, 0.45, 7.3] {
                let found = segments_of(|time| Some(motion.segment_at(time)), start, 0.1);
                for k in 1..=20 {
                    let t = 0.1 * k as f64 / 20.0;
                    let segment =
                        found.iter().rev().find(|s| (s.from_time as f64) < t).expect("there is a segment");
                    let since = t as f32 - segment.from_time;
                    let coefficients = [segment.pivot, segment.velocity, segment.pivot_2, segment.pivot_3];
                    let now = coefficients.iter().rev().fold(Vec4::ZERO, |a, c| a * since + Vec4::from(*c));
                    let (pivot, angle) = (now.truncate(), now.w);
                    let rotation = glam::Quat::from_axis_angle(Vec3::Z, angle);
                    let expected = motion.pose(start + t);
                    let place = rotation * (Vec3::X - Vec3::from(motion.pivot)) + pivot;
                    let error = (place - expected.world_from_body(Vec3::X)).length();
                    assert!(error < 1e-4, "{repeat} {interpolation:?} {start} + {t}: {error}, {found:?}");
                }
            }
        }
    }
}
