//! Grains of a run inside of a page: positions of 12 bits, as differences in time, in planes of bytes, compressed.
//!
//! ```text
//! for each axis, for each frame, for each grain: (q_k - q_(k-1)) mod 4096      low bytes of all of them, then high ones
//! ```
//! q is 0 to 4094 over the extent of the run, and 4095 where a grain is not there. gzip takes planes of small differences down
//! to about a byte per grain and frame.

use std::collections::HashMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use glam::Vec3;
use granule::io::{FrameEntry, RunFrames};

use crate::failure::Failure;

/// Most grains and frames that a page takes.
pub const MOST: [usize; 2] = [10_000, 100];
/// Steps over the extent; the value after it marks a grain that is not there.
const STEPS: f32 = 4094.0;
const ABSENT: u16 = 4095;

/// Grains for a page.
pub struct Playback {
    /// Grains, and those of the run.
    pub grains: [usize; 2],
    /// Times of the frames \[s\].
    pub times: Vec<f64>,
    /// Frames of the run.
    pub all_frames: usize,
    /// Corners of the extent \[m\].
    pub bounds: [Vec3; 2],
    /// Radius, in units of 1/255 of the largest, by grain.
    pub radius: Vec<u8>,
    /// Largest radius \[m\].
    pub largest: f32,
    /// The packed positions.
    pub packed: Vec<u8>,
}

impl Playback {
    /// Packs a run; nothing where it has no grains.
    pub fn of(frames: &RunFrames) -> Result<Option<Self>, Failure> {
        let entries: Vec<&FrameEntry> = thinned(&frames.entries().iter().collect::<Vec<_>>(), MOST[1]);
        let mut read = Vec::new();
        let mut radii: HashMap<u32, f32> = HashMap::new();
        for entry in &entries {
            let frame = frames.read(entry, None)?;
            radii.extend(frame.id.iter().copied().zip(frame.radius.iter().copied()));
            read.push(frame);
        }
        let mut ids: Vec<u32> = radii.keys().copied().collect();
        ids.sort_unstable();
        let all = ids.len();
        let ids = thinned(&ids, MOST[0]);
        if ids.is_empty() {
            return Ok(None);
        }
        let bounds = bounds(read.iter().flat_map(|frame| &frame.position));
        let place: HashMap<u32, usize> = ids.iter().enumerate().map(|(k, id)| (*id, k)).collect();
        let rows = read.iter().map(|frame| {
            let mut row = vec![[ABSENT; 3]; ids.len()];
            for (id, x) in frame.id.iter().zip(&frame.position) {
                if let Some(k) = place.get(id) {
                    row[*k] = rounded(*x, bounds);
                }
            }
            row
        });
        let rows: Vec<Vec<[u16; 3]>> = rows.collect();
        let largest = radii.values().copied().fold(0.0, f32::max);
        Ok(Some(Self {
            grains: [ids.len(), all],
            times: entries.iter().map(|entry| entry.time).collect(),
            all_frames: frames.entries().len(),
            bounds,
            radius: ids.iter().map(|id| (255.0 * radii[id] / largest).round() as u8).collect(),
            largest,
            packed: packed(&rows)?,
        }))
    }
}

/// At most so many, evenly taken; the first and the last stay.
fn thinned<T: Copy>(values: &[T], most: usize) -> Vec<T> {
    let count = values.len();
    match count <= most {
        true => values.to_vec(),
        false => (0..most).map(|k| values[k * (count - 1) / (most - 1)]).collect(),
    }
}

/// The box that holds nearly all positions: a grain that has flown far away must not take the digits of all others.
fn bounds<'a>(positions: impl Iterator<Item = &'a Vec3> + Clone) -> [Vec3; 2] {
    let along = |axis: usize| {
        let mut values: Vec<f32> = positions.clone().map(|x| x[axis]).collect();
        values.sort_unstable_by(f32::total_cmp);
        let at = |share: f64| values[(share * (values.len() - 1) as f64) as usize];
        let (low, high) = (at(0.001), at(0.999));
        let rim = 0.2 * (high - low).max(1e-6);
        [(low - rim).max(values[0]), (high + rim).min(values[values.len() - 1]).max(low + 1e-6)]
    };
    let [x, y, z] = [along(0), along(1), along(2)];
    [Vec3::new(x[0], y[0], z[0]), Vec3::new(x[1], y[1], z[1])]
}

/// A position in steps of the extent, or absent where it is outside.
fn rounded(x: Vec3, [low, high]: [Vec3; 2]) -> [u16; 3] {
    let share = (x - low) / (high - low).max(Vec3::splat(1e-9));
    match share.cmpge(Vec3::ZERO).all() && share.cmple(Vec3::ONE).all() {
        true => share.to_array().map(|share| (STEPS * share).round() as u16),
        false => [ABSENT; 3],
    }
}

/// Differences in time, in planes of bytes, compressed.
fn packed(rows: &[Vec<[u16; 3]>]) -> Result<Vec<u8>, Failure> {
    let mut planes = [Vec::new(), Vec::new()];
    for axis in 0..3 {
        let mut before = vec![0u16; rows.first().map_or(0, Vec::len)];
        for row in rows {
            for (before, now) in before.iter_mut().zip(row) {
                let difference = now[axis].wrapping_sub(*before) & 0xfff;
                planes[0].push(difference as u8);
                planes[1].push((difference >> 8) as u8);
                *before = now[axis];
            }
        }
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written =
        planes.iter().try_for_each(|plane| encoder.write_all(plane)).and_then(|()| encoder.finish());
    written.map_err(|error| Failure::Run(format!("cannot pack the grains: {error}")))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// What the page does with it.
    fn unpacked(bytes: &[u8], frames: usize, grains: usize) -> Vec<Vec<[u16; 3]>> {
        let mut planes = Vec::new();
        flate2::read::GzDecoder::new(bytes).read_to_end(&mut planes).unwrap();
        let half = planes.len() / 2;
        let mut values = vec![0u16; half];
        for k in 0..half {
            let is_first = (k / grains).is_multiple_of(frames);
            let before = if is_first { 0 } else { values[k - grains] };
            values[k] = (before + (u16::from(planes[k]) | u16::from(planes[half + k]) << 8)) & 0xfff;
        }
        let at = |frame: usize, grain: usize| {
            [0, 1, 2].map(|axis| values[(axis * frames + frame) * grains + grain])
        };
        (0..frames).map(|frame| (0..grains).map(|grain| at(frame, grain)).collect()).collect()
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let row = |k: u16| vec![[k, 4094 - k, 7 * k], [ABSENT; 3], [4094, 0, k]];
        let rows: Vec<_> = (0..5).map(row).collect();
        assert_eq!(unpacked(&packed(&rows).unwrap(), 5, 3), rows);
    }

    #[test]
    fn positions_are_kept_to_half_a_step_and_flyers_are_left_out() {
        let bounds = [Vec3::ZERO, Vec3::new(1.0, 2.0, 4.0)];
        assert_eq!(rounded(Vec3::new(1.0, 1.0, 0.0), bounds), [4094, 2047, 0]);
        assert_eq!(rounded(Vec3::new(1.1, 1.0, 0.0), bounds), [ABSENT; 3]);
    }

    #[test]
    fn long_runs_are_thinned_evenly() {
        let values: Vec<usize> = (0..1000).collect();
        let thin = thinned(&values, 100);
        assert_eq!((thin.len(), thin[0], thin[99]), (100, 0, 999));
    }
}
