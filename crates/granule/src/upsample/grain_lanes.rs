//! Sixteen grains at a time, as SIMD lanes.
//!
//! Plain loops and everything inlined, on purpose: what is not inlined, as closures of `map` for arrays, is compiled for
//! the plainest of processors.

use glam::Vec3;

use crate::simd::{LANES, Lanes};

use super::grain::Grain;

/// Bits of all lanes.
const ALL_LANES: u32 = (1 << LANES) - 1;

/// A number of sixteen grains.
pub(super) type Column = [f32; LANES];
/// A vector of sixteen grains.
pub(super) type Columns = [Column; 3];

/// Rows of sixteen grains as columns: positions \[m\] and ids, velocities [m/s] and materials.
#[inline(always)]
pub(super) fn columns_of<L: Lanes>(grains: &[Grain; LANES]) -> [[L; 4]; 2] {
    columns_of_rows(bytemuck::cast_ref(grains))
}

/// Rows of eight numbers as columns.
#[inline(always)]
pub(super) fn columns_of_rows<L: Lanes>(numbers: &[[f32; 8]; LANES]) -> [[L; 4]; 2] {
    let mut rows = [[[0.0; 4]; LANES]; 2];
    for k in 0..LANES {
        rows[0][k].copy_from_slice(&numbers[k][..4]);
        rows[1][k].copy_from_slice(&numbers[k][4..]);
    }
    [L::from_rows(&rows[0]), L::from_rows(&rows[1])]
}

/// Positions of at most sixteen grains \[m\]; 0 where there are fewer.
#[inline(always)]
pub(super) fn positions_of<L: Lanes>(grains: &[Grain]) -> [L; 3] {
    let mut rows = [[0.0; 4]; LANES];
    for (row, grain) in rows.iter_mut().zip(grains) {
        let numbers: &[f32; 8] = bytemuck::cast_ref(grain);
        row.copy_from_slice(&numbers[..4]);
    }
    let [x, y, z, _] = L::from_rows(&rows);
    [x, y, z]
}

/// Writes columns back.
#[inline(always)]
pub(super) fn write_columns<L: Lanes>(columns: [[L; 4]; 2], grains: &mut [Grain; LANES]) {
    let numbers: &mut [[f32; 8]; LANES] = bytemuck::cast_mut(grains);
    let first = numbers.as_mut_ptr().cast::<f32>();
    // SAFETY: sixteen rows of eight numbers each are there, of which either half is written.
    unsafe {
        L::to_rows(columns[0], first, 8);
        L::to_rows(columns[1], first.add(4), 8);
    }
}

/// Trilinear weights of the eight nodes around sixteen points, by how far these are beyond the first: x changes fastest.
#[inline(always)]
pub(super) fn trilinear_weights<L: Lanes>(&[x, y, z]: &[L; 3]) -> [L; 8] {
    let one = L::splat(1.0);
    let (rx, ry, rz) = (one - x, one - y, one - z);
    let (a, b, c, d) = (ry * rz, y * rz, ry * z, y * z);
    [rx * a, x * a, rx * b, x * b, rx * c, x * c, rx * d, x * d]
}

/// The vector of a lane.
#[inline(always)]
pub(super) fn at(columns: &Columns, lane: usize) -> Vec3 {
    Vec3::new(columns[0][lane], columns[1][lane], columns[2][lane])
}

/// Replaces the vector of a lane.
#[inline(always)]
pub(super) fn set(columns: &mut Columns, lane: usize, v: Vec3) {
    for axis in 0..3 {
        columns[axis][lane] = v[axis];
    }
}

/// Whether all numbers are finite.
#[inline(always)]
pub(super) fn are_finite<L: Lanes>(v: &[L; 3]) -> bool {
    let (least, most) = (L::splat(f32::NEG_INFINITY), L::splat(f32::INFINITY));
    let finite = |v: L| least.below(v) & v.below(most);
    finite(v[0]) & finite(v[1]) & finite(v[2]) == ALL_LANES
}

/// Bits of the lanes of which something is true.
#[inline(always)]
pub(super) fn bits_where(mut is: impl FnMut(usize) -> bool) -> u32 {
    (0..LANES).fold(0, |bits, k| bits | u32::from(is(k)) << k)
}

/// Bits of the lanes whose vectors differ.
#[inline(always)]
pub(super) fn differ<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> u32 {
    (0..3).fold(0, |bits, axis| bits | a[axis].below(b[axis]) | b[axis].below(a[axis]))
}

/// The lanes whose bits are set, ascending.
#[inline(always)]
pub(super) fn lanes_of(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (lane < u32::BITS).then_some(lane as usize)
    })
}

/// Columns as lanes.
#[inline(always)]
pub(super) fn lanes<L: Lanes>(columns: &Columns) -> [L; 3] {
    [L::from_array(&columns[0]), L::from_array(&columns[1]), L::from_array(&columns[2])]
}

/// Lanes as columns.
#[inline(always)]
pub(super) fn numbers<L: Lanes>(v: [L; 3]) -> Columns {
    [v[0].to_array(), v[1].to_array(), v[2].to_array()]
}

/// Vectors times numbers.
#[inline(always)]
pub(super) fn scaled<L: Lanes>(v: [L; 3], by: L) -> [L; 3] {
    [v[0] * by, v[1] * by, v[2] * by]
}

/// The first less the second.
#[inline(always)]
pub(super) fn difference<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Squares of the lengths of vectors.
#[inline(always)]
pub(super) fn square<L: Lanes>(v: [L; 3]) -> L {
    v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
}
