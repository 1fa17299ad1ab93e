//! Boundaries and their motion, for shaders.

use glam::{DVec3, Vec3};
use granule::boundary::{Boundaries, Boundary, Motion};

use crate::GpuError;
use crate::layout::{PoseRecord, SegmentRecord};
use crate::program::Program;

fn row(v: Vec3, w: f32) -> [f32; 4] {
    [v.x, v.y, v.z, w]
}

/// The boundaries where they are now, their solids appended to the program.
///
/// # Errors
/// Says which shape is too involved for a device.
pub fn poses(boundaries: &Boundaries, program: &mut Program) -> Result<Vec<PoseRecord>, GpuError> {
    boundaries.iter().map(|boundary| Ok(pose(boundary, program.push(boundary.sdf())?))).collect()
}

fn pose(boundary: &Boundary, [first, count]: [u32; 2]) -> PoseRecord {
    let bounds = boundary.sdf().bounds();
    let pivot = boundary.path().map_or(Vec3::ZERO, |motion| Vec3::from(motion.pivot));
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
    record.linear = row(boundary.linear_velocity(), 0.0);
    record.angular = row(boundary.angular_velocity(), 0.0);
}

/// The stretches of all motions within a batch from `start` [s] on, `length` [s] long; poses learn which are theirs.
pub fn segments(
    boundaries: &Boundaries,
    poses: &mut [PoseRecord],
    start: f64,
    length: f64,
) -> Vec<SegmentRecord> {
    let mut all = Vec::new();
    for (boundary, pose) in boundaries.iter().zip(poses) {
        let first = all.len() as u32;
        if let Some(motion) = boundary.path() {
            all.extend(stretches(motion, start, length));
        }
        pose.solids[2] = first;
        pose.solids[3] = all.len() as u32 - first;
    }
    all
}

/// Most stretches of one motion in a batch; a motion that repeats more often within a frame is a blur anyway.
const MOST_STRETCHES: usize = 256;

/// The stretches of a motion, with times since `start`.
fn stretches(motion: &Motion, start: f64, length: f64) -> Vec<SegmentRecord> {
    let mut found = Vec::new();
    let mut now = start;
    while now < start + length && found.len() < MOST_STRETCHES {
        let (record, end) = stretch(motion, now, start, start + length);
        found.push(record);
        now = end;
    }
    if let Some(last) = found.last_mut() {
        last.to_time = f32::MAX;
    }
    found
}

/// The stretch at a time, and when it ends.
fn stretch(motion: &Motion, now: f64, start: f64, end: f64) -> (SegmentRecord, f64) {
    let keys = &motion.keyframe;
    let (first, last) = (keys[0].time, keys[keys.len() - 1].time);
    let span = last - first;
    let repeats = motion.repeat && span > 0.0 && now >= last;
    let shift = if repeats { ((now - first) / span).floor() * span } else { 0.0 };
    // A hair later, so that a stretch that ends here is not found again.
    let local = now - shift + 1e-9 * span.max(1e-3);
    let next = keys.partition_point(|key| key.time <= local);
    let before = &keys[next.saturating_sub(1)];
    let key = if next == 0 { &keys[0] } else { keys.get(next).unwrap_or(before) };
    let begins = if next == 0 { now } else { before.time + shift };
    let ends = match keys.get(next) {
        Some(key) => key.time + shift,
        None if motion.repeat && span > 0.0 => last + shift,
        None => end,
    };
    let ends = ends.max(now + 1e-6 * (end - start));
    let duration = key.time - before.time;
    let rate = |from: f64, to: f64| if duration > 0.0 { (to - from) / duration } else { 0.0 };
    let turn = rate(before.angle.into(), key.angle.into());
    let since = if duration > 0.0 { now - begins } else { 0.0 };
    let axis = Vec3::from(key.axis).as_dvec3().try_normalize().unwrap_or(DVec3::Y);
    let place = |k: &granule::boundary::Keyframe| Vec3::from(k.translation).as_dvec3();
    let velocity = if duration > 0.0 { (place(key) - place(before)) / duration } else { DVec3::ZERO };
    let pivot = Vec3::from(motion.pivot).as_dvec3() + place(before) + since * velocity;
    let angle = (f64::from(before.angle) + since * turn).rem_euclid(360.0).to_radians();
    let record = SegmentRecord {
        from_time: (now - start) as f32,
        to_time: (ends - start) as f32,
        angle: angle as f32,
        rate: turn.to_radians() as f32,
        axis: row(axis.as_vec3(), 0.0),
        pivot: row(pivot.as_vec3(), 0.0),
        velocity: row(velocity.as_vec3(), 0.0),
    };
    (record, ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule::boundary::Keyframe;

    fn key(time: f64, x: f32, angle: f32) -> Keyframe {
        Keyframe { time, translation: [x, 0.0, 0.0], axis: [0.0, 0.0, 1.0], angle }
    }

    /// The stretches of a batch give the poses of the engine, before, between, after and around keyframes.
    #[test]
    fn stretches_follow_the_motion() {
        for repeat in [false, true] {
            let keyframe = vec![key(0.1, 0.0, 0.0), key(0.3, 1.0, 90.0), key(0.4, 0.0, 360.0)];
            let motion = Motion { keyframe, pivot: [0.2, 0.0, 0.0], repeat, ..Motion::default() };
            for start in [0.0, 0.05, 0.1, 0.25, 0.37, 0.45, 7.3] {
                let found = stretches(&motion, start, 0.1);
                for k in 1..=20 {
                    let t = 0.1 * k as f64 / 20.0;
                    let stretch =
                        found.iter().rev().find(|s| (s.from_time as f64) < t).expect("there is a stretch");
                    let since = t as f32 - stretch.from_time;
                    let pivot =
                        Vec3::from_slice(&stretch.pivot) + since * Vec3::from_slice(&stretch.velocity);
                    let rotation = glam::Quat::from_axis_angle(Vec3::Z, stretch.angle + since * stretch.rate);
                    let expected = motion.pose(start + t);
                    let place = rotation * (Vec3::X - Vec3::from(motion.pivot)) + pivot;
                    let error = (place - expected.world_from_body(Vec3::X)).length();
                    assert!(error < 1e-4, "{repeat} {start} + {t}: {error}, {found:?}");
                }
            }
        }
    }
}
