//! Sixteen numbers at a time, on whatever instructions the processor has.
//!
//! Work on groups of sixteen particles is written once, generic over [`Lanes`], and compiled for each set of
//! instructions; the best one is chosen when the program runs. Every operation here is one that IEEE 754 rounds in
//! one way only (no fused multiply-add, no approximate reciprocals), and lanes never mix, so all sets of
//! instructions give the same bits.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod columns;
mod portable;

use std::ops::{Add, Div, Mul, Neg, Sub};

use serde::{Deserialize, Serialize};

pub use columns::{first_lanes, largest, load, load_rows, splat3, store, store_rows, total};
pub use portable::Portable;

/// Particles per group.
pub const LANES: usize = 16;

/// The largest number below two to the power of 31.
pub const MOST_WHOLE: f32 = 2_147_483_520.0;

/// A number, or many of them side by side.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The same number everywhere.
    fn splat(value: f32) -> Self;

    /// Square root.
    fn root(self) -> Self;

    /// The number itself where it is above `other`, else `other`, also in place of NaN.
    fn at_least(self, other: Self) -> Self;

    /// The number itself where it is below `other`, else `other`, also in place of NaN.
    fn at_most(self, other: Self) -> Self;

    /// `yes` where `self < other`, else `no`, also where one of them is NaN.
    fn if_below(self, other: Self, yes: Self, no: Self) -> Self;
}

/// Sixteen numbers.
///
/// # Safety
/// Implementations with processor instructions may only be used where the processor has them; [`Instructions::run`]
/// sees to it.
pub unsafe trait Lanes: Real {
    /// From memory.
    fn from_array(values: &[f32; LANES]) -> Self;

    /// To memory.
    fn to_array(self) -> [f32; LANES];

    /// From small integers.
    fn from_i16(values: &[i16; LANES]) -> Self;

    /// To the nearest small integers, ties to even, saturated.
    fn to_i16(self) -> [i16; LANES];

    /// Whole parts, of numbers from 0 to [`MOST_WHOLE`]; 0 for what is below or not a number, and that for what is above.
    fn to_u32(self) -> [u32; LANES];

    /// Bit k tells whether lane k is below that of `other`.
    fn below(self, other: Self) -> u32;

    /// The lanes whose bits are set; 0 elsewhere.
    fn keep(self, mask: u32) -> Self;

    /// Writes `first + k` for every set bit k of the mask, ascending, and returns how many.
    ///
    /// # Safety
    /// There must be room for sixteen values at `out`.
    unsafe fn push_indices(first: u32, mask: u32, out: *mut u32) -> usize;

    /// Entry `k` of sixteen lists that lie `stride` entries apart, less `lowest`, with the bits of those lists that
    /// are longer than `k`; 0 for the others.
    ///
    /// # Safety
    /// All sixteen lists must have room for entry `k`.
    unsafe fn take_row(
        lists: &[u32],
        stride: usize,
        k: usize,
        count: &[u32; LANES],
        lowest: u32,
    ) -> ([u16; LANES], u32);

    /// The number at `STRIDE * (base + delta[k])` in lane k.
    ///
    /// # Safety
    /// All of them must be there to be read.
    unsafe fn gather<const STRIDE: usize>(rows: *const f32, base: u32, delta: &[u16; LANES]) -> Self;

    /// The four numbers from `STRIDE * (base + delta[k])` on, in lane k of four results.
    ///
    /// # Safety
    /// All of them must be there to be read.
    unsafe fn gather4<const STRIDE: usize>(rows: *const f32, base: u32, delta: &[u16; LANES]) -> [Self; 4];

    /// The four numbers from `row(k)` on, in lane k of four results.
    ///
    /// # Safety
    /// All of them must be there to be read.
    unsafe fn from_rows_at(row: impl Fn(usize) -> *const f32) -> [Self; 4];

    /// Sixteen rows of four numbers, as columns.
    #[inline(always)]
    fn from_rows(rows: &[[f32; 4]; LANES]) -> [Self; 4] {
        // SAFETY: all rows are there.
        unsafe { Self::from_rows_at(|k| rows[k].as_ptr()) }
    }

    /// Columns as sixteen rows of four numbers, the k-th from `row(k)` on, in any order.
    ///
    /// # Safety
    /// There must be room for four numbers at each of them.
    unsafe fn to_rows_at(columns: [Self; 4], row: impl Fn(usize) -> *mut f32);

    /// Columns as sixteen rows of four numbers, `stride` numbers apart.
    ///
    /// # Safety
    /// There must be room for `15 stride + 4` numbers at `out`.
    #[inline(always)]
    unsafe fn to_rows(columns: [Self; 4], out: *mut f32, stride: usize) {
        // SAFETY: the caller has made room.
        unsafe { Self::to_rows_at(columns, |k| out.add(stride * k)) }
    }
}

/// What a function gives for each element. `array::map` may stay a function of its own, which lacks the instructions that its
/// caller is compiled for: it would then call a function for every single one of them.
#[inline(always)]
pub fn each<T: Copy, U: Copy, const N: usize>(from: [T; N], f: impl Fn(T) -> U) -> [U; N] {
    let mut to = [f(from[0]); N];
    for k in 1..N {
        to[k] = f(from[k]);
    }
    to
}

/// Lane k of some indices. Read one by one, on purpose: the compiler would otherwise load them all at once and take
/// them apart again, on the ports that the arithmetic needs.
#[inline(always)]
fn index(delta: &[u16; LANES], k: usize) -> usize {
    // SAFETY: a plain read of an element.
    unsafe { std::ptr::from_ref(&delta[k]).read_volatile() as usize }
}

/// Work that is compiled for every set of instructions.
pub trait Vectorised {
    /// What it gives.
    type Output;

    /// Does the work. Must be `#[inline(always)]`, and so must all it calls with `L`.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Instructions {
    /// Plain Rust.
    Portable,
    /// AVX2, eight numbers at a time.
    Avx2,
    /// AVX-512, sixteen numbers at a time.
    Avx512,
}

impl Instructions {
    /// All sets, from slow to fast.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The set's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this processor has them.
    pub fn available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx2")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest set that this processor has.
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|set| set.available()).unwrap_or(Self::Portable)
    }

    /// The set itself if this processor has it, else the fastest one that it has.
    pub fn or_best(self) -> Self {
        if self.available() { self } else { Self::best() }
    }

    /// Does work with these instructions, which must be available.
    #[inline]
    pub fn run<W: Vectorised>(self, work: W) -> W::Output {
        debug_assert!(self.available());
        match self {
            Self::Portable => work.run::<Portable>(),
            // SAFETY: sets are only handed out where the processor has them (`best`, `or_best`).
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { avx2::run(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { avx512::run(work) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => work.run::<Portable>(),
        }
    }
}

impl Real for f32 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn at_least(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn if_below(self, other: Self, yes: Self, no: Self) -> Self {
        if self < other { yes } else { no }
    }
}

/// The arithmetic of a type that wraps something with the four functions `$add`, `$sub`, `$mul`, `$div`.
macro_rules! arithmetic {
    ($type:ty, $add:expr, $sub:expr, $mul:expr, $div:expr) => {
        impl std::ops::Add for $type {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $add(self, other)
            }
        }
        impl std::ops::Sub for $type {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                $sub(self, other)
            }
        }
        impl std::ops::Mul for $type {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                $mul(self, other)
            }
        }
        impl std::ops::Div for $type {
            type Output = Self;
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                $div(self, other)
            }
        }
        impl std::ops::Neg for $type {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                <Self as crate::simd::Real>::splat(-0.0) - self
            }
        }
    };
}
pub(crate) use arithmetic;

#[cfg(test)]
mod tests;
