//! Single-precision numbers side by side in a register, and random places to read them from.

/// A register.
///
/// # Safety
/// Implementations with processor instructions may only be used where the processor has them, in functions that are
/// compiled for them.
pub unsafe trait Lanes: Copy {
    /// Numbers in a register.
    const COUNT: usize;
    /// Places in a table, one per lane, as the high bits of random numbers.
    type Places: Copy;

    /// The same number everywhere.
    fn splat(value: f32) -> Self;

    /// From the beginning of a slice, which must be long enough.
    fn load(from: &[f32]) -> Self;

    /// To the beginning of a slice, which must be long enough.
    fn store(self, to: &mut [f32]);

    /// Sum.
    fn add(self, other: Self) -> Self;

    /// Product.
    fn multiply(self, other: Self) -> Self;

    /// `self * factor + summand`, in one instruction where there is one.
    fn multiply_add(self, factor: Self, summand: Self) -> Self;

    /// The first random numbers.
    fn places(seed: [u32; 16]) -> Self::Places;

    /// The next random numbers: x <- 1664525 x + 1013904223 (Numerical Recipes), whose high bits are the good ones.
    fn advance(places: Self::Places) -> Self::Places;

    /// Reads from the places, shifted to the right.
    ///
    /// # Safety
    /// The table must have 2^(32 - shift) numbers, and at most 2^31.
    unsafe fn gather(table: *const f32, places: Self::Places, shift: u32) -> Self;
}

/// Factor of the random numbers.
const FACTOR: u32 = 1_664_525;
/// Summand of the random numbers.
const SUMMAND: u32 = 1_013_904_223;

// SAFETY: plain Rust.
unsafe impl Lanes for [f32; 4] {
    const COUNT: usize = 4;
    type Places = [u32; 4];

    #[inline(always)]
    fn splat(value: f32) -> Self {
        [value; 4]
    }

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        std::array::from_fn(|k| from[k])
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        to[..4].copy_from_slice(&self);
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] + other[k])
    }

    #[inline(always)]
    fn multiply(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] * other[k])
    }

    #[inline(always)]
    fn multiply_add(self, factor: Self, summand: Self) -> Self {
        self.multiply(factor).add(summand)
    }

    #[inline(always)]
    fn places(seed: [u32; 16]) -> [u32; 4] {
        std::array::from_fn(|k| seed[k])
    }

    #[inline(always)]
    fn advance(places: [u32; 4]) -> [u32; 4] {
        places.map(|x| x.wrapping_mul(FACTOR).wrapping_add(SUMMAND))
    }

    #[inline(always)]
    unsafe fn gather(table: *const f32, places: [u32; 4], shift: u32) -> Self {
        // SAFETY: the caller promises that the table is long enough.
        places.map(|place| unsafe { *table.add((place >> shift) as usize) })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{FACTOR, Lanes, SUMMAND};

    /// A register of AVX2 or AVX-512: the two differ in the names of their instructions.
    macro_rules! register {
        ($register:ty, $integers:ty, $count:literal, $splat:ident, $load:ident, $store:ident, $add:ident, $multiply:ident,
         $fused:ident, $load_integers:ident, $splat_integer:ident, $multiply_integers:ident, $add_integers:ident,
         $shift:ident, $gather:expr) => {
            // SAFETY: only used in functions compiled for these instructions, which is the trait's contract.
            unsafe impl Lanes for $register {
                const COUNT: usize = $count;
                type Places = $integers;

                #[inline(always)]
                fn splat(value: f32) -> Self {
                    // SAFETY: the trait's contract.
                    unsafe { $splat(value) }
                }

                #[inline(always)]
                fn load(from: &[f32]) -> Self {
                    let from = &from[..$count];
                    // SAFETY: the slice is long enough.
                    unsafe { $load(from.as_ptr()) }
                }

                #[inline(always)]
                fn store(self, to: &mut [f32]) {
                    let to = &mut to[..$count];
                    // SAFETY: the slice is long enough.
                    unsafe { $store(to.as_mut_ptr(), self) }
                }

                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    // SAFETY: the trait's contract.
                    unsafe { $add(self, other) }
                }

                #[inline(always)]
                fn multiply(self, other: Self) -> Self {
                    // SAFETY: the trait's contract.
                    unsafe { $multiply(self, other) }
                }

                #[inline(always)]
                fn multiply_add(self, factor: Self, summand: Self) -> Self {
                    // SAFETY: the trait's contract.
                    unsafe { $fused(self, factor, summand) }
                }

                #[inline(always)]
                fn places(seed: [u32; 16]) -> $integers {
                    // SAFETY: sixteen numbers fill every register.
                    unsafe { $load_integers(seed.as_ptr().cast()) }
                }

                #[inline(always)]
                fn advance(places: $integers) -> $integers {
                    // SAFETY: the trait's contract.
                    unsafe {
                        let product = $multiply_integers(places, $splat_integer(FACTOR as i32));
                        $add_integers(product, $splat_integer(SUMMAND as i32))
                    }
                }

                #[inline(always)]
                unsafe fn gather(table: *const f32, places: $integers, shift: u32) -> Self {
                    // SAFETY: the caller promises that the table is long enough.
                    unsafe { $gather(table, $shift(places, _mm_cvtsi32_si128(shift as i32))) }
                }
            }
        };
    }

    register!(
        __m256,
        __m256i,
        8,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_mul_ps,
        _mm256_fmadd_ps,
        _mm256_loadu_si256,
        _mm256_set1_epi32,
        _mm256_mullo_epi32,
        _mm256_add_epi32,
        _mm256_srl_epi32,
        |table, places| _mm256_i32gather_ps::<4>(table, places)
    );

    register!(
        __m512,
        __m512i,
        16,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_mul_ps,
        _mm512_fmadd_ps,
        _mm512_loadu_si512,
        _mm512_set1_epi32,
        _mm512_mullo_epi32,
        _mm512_add_epi32,
        _mm512_srl_epi32,
        |table, places| _mm512_i32gather_ps::<4>(places, table)
    );
}
