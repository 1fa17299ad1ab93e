//! Sixteen grains at a time.
//!
//! Plain loops and everything inlined, on purpose: what is not inlined, as closures of `map` for arrays, is compiled for
//! the plainest of processors.

use glam::Vec3;

use crate::simd::{LANES, Lanes};

use super::grain::Grain;

/// A number of sixteen grains.
pub(super) type Column = [f32; LANES];
/// A vector of sixteen grains.
pub(super) type Columns = [Column; 3];

/// Places of at most sixteen grains [m]; 0 where there are fewer.
#[inline(always)]
pub(super) fn columns_of(grains: &[Grain]) -> Columns {
    let mut x = [[0.0; LANES]; 3];
    for (k, grain) in grains.iter().take(LANES).enumerate() {
        for axis in 0..3 {
            x[axis][k] = grain.position[axis];
        }
    }
    x
}

/// Shares of the eight nodes around sixteen points, by how far these are beyond the first: x changes fastest.
#[inline(always)]
pub(super) fn parts_of([tx, ty, tz]: &Columns) -> [Column; 8] {
    let mut parts = [[0.0; LANES]; 8];
    for k in 0..LANES {
        let (x, y, z) = (tx[k], ty[k], tz[k]);
        let (a, b, c, d) = ((1.0 - y) * (1.0 - z), y * (1.0 - z), (1.0 - y) * z, y * z);
        for (pair, yz) in [a, b, c, d].into_iter().enumerate() {
            parts[2 * pair][k] = (1.0 - x) * yz;
            parts[2 * pair + 1][k] = x * yz;
        }
    }
    parts
}

/// Velocities of sixteen grains [m/s].
#[inline(always)]
pub(super) fn velocities_of(grains: &[Grain; LANES]) -> Columns {
    let mut v = [[0.0; LANES]; 3];
    for (k, grain) in grains.iter().enumerate() {
        for axis in 0..3 {
            v[axis][k] = grain.velocity[axis];
        }
    }
    v
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
pub(super) fn are_finite(columns: &Columns) -> bool {
    columns.as_flattened().iter().fold(true, |finite, number| finite & number.is_finite())
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
