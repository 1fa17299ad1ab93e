//! What a run did, read from its folder: extent and height over time, the profile of what is left, and what it took.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use glam::Vec3;
use granule::io::{RunFolder, RunFrames};
use granule::measure::DepositProfile;
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;

/// Share of the particles below the crest: single grains that fly do not count.
const MOST: f64 = 0.99;

/// A run as a comparison shows it.
#[derive(Debug, Serialize)]
pub struct Track {
    /// The solver.
    pub solver: String,
    /// What simulated.
    pub device: String,
    /// Particles at the end.
    pub particles: u64,
    /// Steps.
    pub steps: u64,
    /// Simulated time \[s\].
    pub simulated_seconds: f64,
    /// Wall time per simulated second \[s\].
    pub seconds_per_second: f64,
    /// Largest kinetic energy of a frame \[J\].
    pub largest_kinetic_energy: f64,
    /// Mean radius of the connected deposit around the first centre, over sectors: (t \[s\], m).
    pub runout: Vec<[f64; 2]>,
    /// Height below which 99 % of the particles lie: (t \[s\], m).
    pub crest: Vec<[f64; 2]>,
    /// Height of the centre of mass, which is the potential energy over M g: (t \[s\], m).
    pub center: Vec<[f64; 2]>,
    /// Kinetic energy: (t \[s\], J).
    pub kinetic_energy: Vec<[f64; 2]>,
    /// Surface at the end along x through the centre: (x, y) \[m\].
    pub profile: Vec<[f64; 2]>,
    /// Where the grains were at the start, on average \[m\].
    pub middle: [f32; 3],
    /// Whether the run did what its scene expects.
    pub verdict: String,
}

impl Track {
    /// Reads a run.
    pub fn read(folder: &Path, verdict: &Result<(), Failure>) -> Result<Self, Failure> {
        let frames = RunFrames::open(folder)?;
        let folder = RunFolder::open(folder);
        let summary = read_summary(&folder)?;
        let number = |key: &str| summary[key].as_f64().unwrap_or(f64::NAN);
        let word = |key: &str| summary[key].as_str().unwrap_or("not known").to_string();
        let mut track = Self {
            solver: word("solver"),
            device: word("adapter"),
            particles: summary["particles"].as_u64().unwrap_or(0),
            steps: summary["steps"].as_u64().unwrap_or(0),
            simulated_seconds: number("simulated_seconds"),
            seconds_per_second: number("wall_seconds") / number("simulated_seconds"),
            largest_kinetic_energy: 0.0,
            runout: Vec::new(),
            crest: Vec::new(),
            center: Vec::new(),
            kinetic_energy: series(&folder, "kinetic_energy_j")?,
            profile: Vec::new(),
            middle: [0.0; 3],
            verdict: match verdict {
                Ok(()) => "as its scene expects".into(),
                Err(failure) => failure.to_string(),
            },
        };
        track.largest_kinetic_energy = track.kinetic_energy.iter().map(|point| point[1]).fold(0.0, f64::max);
        track.follow(&frames)?;
        Ok(track)
    }

    /// Goes through the frames.
    fn follow(&mut self, frames: &RunFrames) -> Result<(), Failure> {
        let spacing = 2.0 * frames.scene().reference_radius();
        let held = held(frames)?;
        let mut middle = None;
        for entry in frames.entries().iter().filter(|entry| entry.particles > 0) {
            let frame = frames.read(entry, None)?;
            let all = frame.id.iter().zip(&frame.position);
            let position: Vec<Vec3> =
                all.filter(|(id, _)| !held.contains_key(*id)).map(|(_, x)| *x).collect();
            if position.is_empty() {
                continue;
            }
            let center = position.iter().copied().sum::<Vec3>() / position.len() as f32;
            let middle = *middle.get_or_insert(center);
            let rows: Vec<[f32; 3]> = position.iter().map(Vec3::to_array).collect();
            let axis = (f64::from(middle.x), f64::from(middle.z));
            self.runout.push([entry.time, DepositProfile::of(&rows, axis, f64::from(spacing)).front]);
            self.crest.push([entry.time, most(position.iter().map(|x| f64::from(x.y)).collect())]);
            self.center.push([entry.time, f64::from(center.y)]);
            self.middle = middle.to_array();
            self.profile = profile(&position, middle, spacing);
        }
        Ok(())
    }
}

/// Particles that are where they were at the start, to the bit: those that cover rough walls.
fn held(frames: &RunFrames) -> Result<HashMap<u32, Vec3>, Failure> {
    let full = || frames.entries().iter().filter(|entry| entry.particles > 0);
    let (Some(first), Some(last)) = (full().next(), full().next_back()) else { return Ok(HashMap::new()) };
    let (first, last) = (frames.read(first, None)?, frames.read(last, None)?);
    let mut held: HashMap<u32, Vec3> = first.id.into_iter().zip(first.position).collect();
    let now: HashMap<u32, Vec3> = last.id.into_iter().zip(last.position).collect();
    held.retain(|id, x| now.get(id) == Some(x));
    // Where nothing has moved nothing is a wall.
    Ok(if held.len() == now.len() { HashMap::new() } else { held })
}

/// The value below which most of them lie.
fn most(mut values: Vec<f64>) -> f64 {
    let last = values.len() - 1;
    let k = (MOST * last as f64).round() as usize;
    *values.select_nth_unstable_by(k, f64::total_cmp).1
}

/// The highest particle by x in a slice of three particles through the middle \[m\].
fn profile(position: &[Vec3], middle: Vec3, spacing: f32) -> Vec<[f64; 2]> {
    let mut highest: HashMap<i32, f32> = HashMap::new();
    for x in position.iter().filter(|x| (x.z - middle.z).abs() <= 1.5 * spacing) {
        let top = highest.entry((x.x / spacing).floor() as i32).or_insert(f32::NEG_INFINITY);
        *top = top.max(x.y);
    }
    let mut profile: Vec<[f64; 2]> = highest
        .into_iter()
        .map(|(k, top)| [(f64::from(k) + 0.5) * f64::from(spacing), f64::from(top)])
        .collect();
    profile.sort_by(|a, b| a[0].total_cmp(&b[0]));
    profile
}

/// The summary of a run.
pub fn read_summary(folder: &RunFolder) -> Result<Value, Failure> {
    let path = folder.summary();
    let wrong = |reason: String| Failure::Input(format!("{}: {reason}", path.display()));
    let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

/// A column of the series over time.
pub fn series(folder: &RunFolder, column: &str) -> Result<Vec<[f64; 2]>, Failure> {
    let path = folder.series();
    let text =
        fs::read_to_string(&path).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let place = |name: &str| header.iter().position(|known| *known == name);
    let (Some(time), Some(value)) = (place("time_s"), place(column)) else { return Ok(Vec::new()) };
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Some([cells.get(time)?.parse().ok()?, cells.get(value)?.parse().ok()?])
    };
    Ok(lines.filter_map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_grains_that_fly_do_not_count() {
        let values: Vec<f64> = (0..200).map(f64::from).chain([1e6]).collect();
        assert_eq!(most(values), 198.0);
        assert_eq!(most(vec![3.0]), 3.0);
    }

    #[test]
    fn the_profile_is_the_top_of_a_slice() {
        let position = [Vec3::new(0.1, 1.0, 0.0), Vec3::new(0.2, 2.0, 0.0), Vec3::new(0.2, 9.0, 5.0)];
        assert_eq!(profile(&position, Vec3::ZERO, 1.0), [[0.5, 2.0]]);
    }
}
