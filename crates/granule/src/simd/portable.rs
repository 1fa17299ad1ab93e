//! Sixteen numbers in plain Rust.

use std::array::from_fn;

use super::{LANES, Lanes, MOST_WHOLE, Real, arithmetic};

/// Adding and subtracting this rounds a small number to the nearest integer, ties to even.
const ROUNDER: f32 = 12_582_912.0;

/// Sixteen numbers in plain Rust.
#[derive(Clone, Copy, Debug)]
pub struct Portable([f32; LANES]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(from_fn(|k| f(self.0[k], other.0[k])))
    }
}

arithmetic!(
    Portable,
    |a: Portable, b| a.zip(b, |a, b| a + b),
    |a: Portable, b| a.zip(b, |a, b| a - b),
    |a: Portable, b| a.zip(b, |a, b| a * b),
    |a: Portable, b| a.zip(b, |a, b| a / b)
);

impl Real for Portable {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn root(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn at_least(self, other: Self) -> Self {
        self.zip(other, f32::at_least)
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        self.zip(other, f32::at_most)
    }

    #[inline(always)]
    fn if_below(self, other: Self, yes: Self, no: Self) -> Self {
        Self(from_fn(|k| if self.0[k] < other.0[k] { yes.0[k] } else { no.0[k] }))
    }
}

// SAFETY: needs no special instructions.
unsafe impl Lanes for Portable {
    #[inline(always)]
    fn from_array(values: &[f32; LANES]) -> Self {
        Self(*values)
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        self.0
    }

    #[inline(always)]
    fn from_i16(values: &[i16; LANES]) -> Self {
        Self(values.map(f32::from))
    }

    #[inline(always)]
    fn to_i16(self) -> [i16; LANES] {
        self.0.map(|value| ((value.clamp(-32768.0, 32767.0) + ROUNDER) - ROUNDER) as i16)
    }

    #[inline(always)]
    fn to_u32(self) -> [u32; LANES] {
        self.0.map(|value| value.clamp(0.0, MOST_WHOLE) as u32)
    }

    #[inline(always)]
    fn below(self, other: Self) -> u32 {
        (0..LANES).fold(0, |mask, k| mask | u32::from(self.0[k] < other.0[k]) << k)
    }

    #[inline(always)]
    fn keep(self, mask: u32) -> Self {
        Self(from_fn(|k| if mask >> k & 1 == 1 { self.0[k] } else { 0.0 }))
    }

    #[inline(always)]
    unsafe fn push_indices(first: u32, mask: u32, out: *mut u32) -> usize {
        let mut count = 0;
        for k in 0..LANES as u32 {
            // SAFETY: at most sixteen values, for which the caller has made room. Written always, kept only if
            // wanted: cheaper than a branch that is hard to predict.
            unsafe { *out.add(count) = first + k };
            count += (mask >> k & 1) as usize;
        }
        count
    }

    #[inline(always)]
    unsafe fn take_row(
        lists: &[u32],
        stride: usize,
        k: usize,
        count: &[u32; LANES],
        lowest: u32,
    ) -> ([u16; LANES], u32) {
        let mut row = [0; LANES];
        let mut mask = 0;
        for (lane, entry) in row.iter_mut().enumerate() {
            if k < count[lane] as usize {
                // SAFETY: the caller promises that the entry exists.
                *entry = unsafe { *lists.get_unchecked(lane * stride + k) }.wrapping_sub(lowest) as u16;
                mask |= 1 << lane;
            }
        }
        (row, mask)
    }

    #[inline(always)]
    unsafe fn gather<const STRIDE: usize>(rows: *const f32, base: u32, delta: &[u16; LANES]) -> Self {
        // SAFETY: the caller promises that the numbers are there.
        Self(from_fn(|k| unsafe { *rows.add(STRIDE * (base as usize + delta[k] as usize)) }))
    }

    #[inline(always)]
    unsafe fn gather4<const STRIDE: usize>(rows: *const f32, base: u32, delta: &[u16; LANES]) -> [Self; 4] {
        let mut columns = [Self::splat(0.0); 4];
        for (k, delta) in delta.iter().enumerate() {
            let at = STRIDE * (base as usize + *delta as usize);
            for (c, column) in columns.iter_mut().enumerate() {
                // SAFETY: the caller promises that the numbers are there.
                column.0[k] = unsafe { *rows.add(at + c) };
            }
        }
        columns
    }

    #[inline(always)]
    unsafe fn from_rows_at(row: impl Fn(usize) -> *const f32) -> [Self; 4] {
        // SAFETY: the caller promises that the numbers are there.
        from_fn(|c| Self(from_fn(|k| unsafe { *row(k).add(c) })))
    }

    #[inline(always)]
    unsafe fn to_rows_at(columns: [Self; 4], row: impl Fn(usize) -> *mut f32) {
        for k in 0..LANES {
            for (c, column) in columns.iter().enumerate() {
                // SAFETY: the caller has made room.
                unsafe { *row(k).add(c) = column.0[k] };
            }
        }
    }
}
