//! The periodic cell that strains, as the device has it.
//!
//! Half of an axis' length is a whole number of 2^-64 m: quanta of 2^-48 m and a fraction of 16 bits, so that what a step changes
//! is not rounded to the same side over and over. The centre is in quanta and stays where it is.

use glam::DVec3;
use granule::cell::CellState;
use granule::scene::StrainSettings;

use crate::core::buffers::PoolInfo;
use crate::core::capacity::Capacity;
use crate::core::method::PoolWrite;

use super::columns::{CELL, STRESSES};
use super::layout::{CellRecord, CellSettingsRecord, CellStateRecord};

/// Parts of a quantum that a length is counted in.
const PARTS: i128 = 1 << 16;

/// These parts per metre, 2^64.
const PER_METER: f64 = 18_446_744_073_709_551_616.0;

/// The pools of a scene whose cell strains.
pub fn pools(capacity: &Capacity) -> [PoolInfo; 2] {
    [
        PoolInfo { name: CELL, bytes: size_of::<CellRecord>() as u64 },
        PoolInfo { name: STRESSES, bytes: 16 * u64::from(capacity.particles) },
    ]
}

/// What goes to the cell's pool: how it is to strain from now on in a frame that begins at a time \[s\], and how far it has.
pub fn send(
    settings: &StrainSettings,
    state: Option<CellState>,
    periodic: [bool; 3],
    start: f64,
) -> Vec<PoolWrite> {
    let write = |at: usize, bytes: &[u8]| PoolWrite { pool: CELL, at: at as u64, bytes: bytes.to_vec() };
    let settings = settings_record(settings, start);
    let mut writes = vec![write(size_of::<CellStateRecord>(), bytemuck::bytes_of(&settings))];
    writes.extend(state.map(|state| write(0, bytemuck::bytes_of(&state_record(&state, periodic)))));
    writes
}

fn settings_record(settings: &StrainSettings, start: f64) -> CellSettingsRecord {
    let mut record = CellSettingsRecord { start: (settings.start - start) as f32, ..Default::default() };
    for (k, axis) in settings.axes().into_iter().enumerate() {
        let Some(axis) = axis else { continue };
        record.given[k] = axis.rate.unwrap_or(0.0) as f32;
        record.pressure[k] = axis.pressure.unwrap_or(0.0) as f32;
        record.max_rate[k] = axis.max_rate as f32;
    }
    record
}

/// A place in parts of quanta.
fn parts(meters: f64) -> i128 {
    (meters * PER_METER) as i128
}

fn state_record(state: &CellState, periodic: [bool; 3]) -> CellStateRecord {
    let row = |v: DVec3| v.as_vec3().extend(0.0).to_array();
    let mut record =
        CellStateRecord { rate: row(state.rate), stress: row(state.stress), ..CellStateRecord::default() };
    for k in (0..3).filter(|k| periodic[*k]) {
        let [from, to] = [parts(state.from[k]), parts(state.to[k])];
        let half = (to - from) / 2;
        record.center[k] = ((from + to + PARTS).div_euclid(2 * PARTS)) as i64;
        record.half_length[k] = half.div_euclid(PARTS) as i64;
        record.fraction[k] = half.rem_euclid(PARTS) as u32;
    }
    record
}

/// How far the cell has strained, from the bytes of its pool; axes that are not periodic are those of the origin.
pub fn fetch(bytes: &[u8]) -> Option<CellState> {
    let record: CellRecord = bytemuck::try_pod_read_unaligned(bytes).ok()?;
    let CellStateRecord { center, half_length, fraction, rate, stress, .. } = record.state;
    let end = |side: i128| {
        let of = |k: usize| {
            let half = i128::from(half_length[k]) * PARTS + i128::from(fraction[k]);
            (i128::from(center[k]) * PARTS + side * half) as f64 / PER_METER
        };
        DVec3::new(of(0), of(1), of(2))
    };
    let row = |v: [f32; 4]| glam::Vec3::from_slice(&v).as_dvec3();
    Some(CellState { from: end(-1), to: end(1), rate: row(rate), stress: row(stress) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the device has is saved in double precision, and comes back within the rounding of that.
    #[test]
    fn a_cell_comes_back_from_double_precision() {
        let record = CellStateRecord {
            center: [12_345_678_901_234, 7, 0],
            half_length: [9_876_543_210_987, 1 << 40, 0],
            fraction: [54_321, 40_000, 0],
            rate: [0.125, -3.0, 0.0, 0.0],
            stress: [1e3, 2.5, 0.0, 0.0],
            ..CellStateRecord::default()
        };
        let bytes = bytemuck::bytes_of(&CellRecord { state: record, ..CellRecord::default() }).to_vec();
        let saved = fetch(&bytes).unwrap();
        let again = state_record(&saved, [true, true, false]);
        assert_eq!((again.center, again.half_length), (record.center, record.half_length));
        let off = |k: usize| i64::from(again.fraction[k]) - i64::from(record.fraction[k]);
        assert!(off(0).abs() <= 512 && off(1).abs() <= 512, "{} {}", off(0), off(1));
        let bytes = bytemuck::bytes_of(&CellRecord { state: again, ..CellRecord::default() }).to_vec();
        let found = fetch(&bytes).unwrap();
        let apart = (found.from - saved.from).abs().max((found.to - saved.to).abs()).max_element();
        assert!(apart < 3e-17, "{apart}");
        assert_eq!((found.rate, found.stress), (saved.rate, saved.stress));
    }
}
