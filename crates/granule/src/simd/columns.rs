//! Groups of sixteen in columns whose length need not be a multiple of sixteen.

use glam::Vec4;

use super::{LANES, Lanes, Real};

/// The numbers from `at` on; 0 beyond the end.
#[inline(always)]
pub fn load<L: Lanes>(column: &[f32], at: usize) -> L {
    match column[at..].first_chunk() {
        Some(values) => L::from_array(values),
        None => {
            let mut values = [0.0; LANES];
            values[..column.len() - at].copy_from_slice(&column[at..]);
            L::from_array(&values)
        }
    }
}

/// Writes the numbers from `at` on, as far as the column goes.
#[inline(always)]
pub fn store<L: Lanes>(column: &mut [f32], at: usize, values: L) {
    let count = LANES.min(column.len() - at);
    if count == LANES {
        column[at..at + LANES].copy_from_slice(&values.to_array());
    } else {
        column[at..].copy_from_slice(&values.to_array()[..count]);
    }
}

/// The rows from `at` on as columns; 0 beyond the end.
#[inline(always)]
pub fn load_rows<L: Lanes>(rows: &[Vec4], at: usize) -> [L; 4] {
    let rows: &[[f32; 4]] = bytemuck::cast_slice(&rows[at..]);
    match rows.first_chunk() {
        Some(rows) => L::from_rows(rows),
        None => {
            let mut padded = [[0.0; 4]; LANES];
            padded[..rows.len()].copy_from_slice(rows);
            L::from_rows(&padded)
        }
    }
}

/// Writes columns as rows from `at` on, as far as there are rows.
#[inline(always)]
pub fn store_rows<L: Lanes>(rows: &mut [Vec4], at: usize, columns: [L; 4]) {
    let rows = &mut rows[at..];
    if rows.len() >= LANES {
        // SAFETY: there are sixteen rows of four numbers.
        unsafe { L::to_rows(columns, rows.as_mut_ptr().cast(), 4) };
    } else {
        let mut all = [Vec4::ZERO; LANES];
        // SAFETY: as above.
        unsafe { L::to_rows(columns, all.as_mut_ptr().cast(), 4) };
        rows.copy_from_slice(&all[..rows.len()]);
    }
}

/// Three numbers, the same in all lanes.
#[inline(always)]
pub fn splat3<L: Real>([x, y, z]: [f32; 3]) -> [L; 3] {
    [L::splat(x), L::splat(y), L::splat(z)]
}

/// Bits of the first lanes, as many as told.
#[inline(always)]
pub fn first_lanes(count: usize) -> u32 {
    if count < LANES { (1 << count) - 1 } else { (1 << LANES) - 1 }
}

/// Sum of all lanes: halves first, then quarters and so on, whatever the instructions.
#[inline(always)]
pub fn total<L: Lanes>(lanes: L) -> f32 {
    let mut values = lanes.to_array();
    for k in 0..8 {
        values[k] += values[k + 8];
    }
    for k in 0..4 {
        values[k] += values[k + 4];
    }
    (values[0] + values[2]) + (values[1] + values[3])
}

/// The largest of all lanes.
#[inline(always)]
pub fn largest<L: Lanes>(lanes: L) -> f32 {
    let mut values = lanes.to_array();
    for k in 0..8 {
        values[k] = values[k].at_least(values[k + 8]);
    }
    for k in 0..4 {
        values[k] = values[k].at_least(values[k + 4]);
    }
    values[0].at_least(values[2]).at_least(values[1].at_least(values[3]))
}
