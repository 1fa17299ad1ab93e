//! Sixteen numbers in two registers of AVX2.

use std::arch::x86_64::*;

use super::{LANES, Lanes, MOST_WHOLE, Real, Vectorised, arithmetic, each, index};

/// Sixteen numbers in two registers.
#[derive(Clone, Copy)]
pub struct Avx2(__m256, __m256);

/// Does work with AVX2.
///
/// # Safety
/// The processor must have the instructions.
#[target_feature(enable = "avx2,popcnt")]
pub unsafe fn run<W: Vectorised>(work: W) -> W::Output {
    work.run::<Avx2>()
}

// SAFETY, for every use of instructions below: `Avx2` is only used inside `run`, whose caller has checked the
// processor.
arithmetic!(
    Avx2,
    // SAFETY: see above.
    |a: Avx2, b: Avx2| unsafe { Avx2(_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1)) },
    // SAFETY: see above.
    |a: Avx2, b: Avx2| unsafe { Avx2(_mm256_sub_ps(a.0, b.0), _mm256_sub_ps(a.1, b.1)) },
    // SAFETY: see above.
    |a: Avx2, b: Avx2| unsafe { Avx2(_mm256_mul_ps(a.0, b.0), _mm256_mul_ps(a.1, b.1)) },
    // SAFETY: see above.
    |a: Avx2, b: Avx2| unsafe { Avx2(_mm256_div_ps(a.0, b.0), _mm256_div_ps(a.1, b.1)) }
);

impl Real for Avx2 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_set1_ps(value), _mm256_set1_ps(value)) }
    }

    #[inline(always)]
    fn root(self) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_sqrt_ps(self.0), _mm256_sqrt_ps(self.1)) }
    }

    #[inline(always)]
    fn at_least(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_max_ps(self.0, other.0), _mm256_max_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_min_ps(self.0, other.0), _mm256_min_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn if_below(self, other: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let low = _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0);
            let high = _mm256_cmp_ps::<_CMP_LT_OQ>(self.1, other.1);
            Self(_mm256_blendv_ps(no.0, yes.0, low), _mm256_blendv_ps(no.1, yes.1, high))
        }
    }
}

// SAFETY: used only inside `run`.
unsafe impl Lanes for Avx2 {
    #[inline(always)]
    fn from_array(values: &[f32; LANES]) -> Self {
        // SAFETY: see above; sixteen numbers are there.
        unsafe { Self(_mm256_loadu_ps(values.as_ptr()), _mm256_loadu_ps(values.as_ptr().add(8))) }
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        // SAFETY: see above; there is room for sixteen numbers.
        unsafe {
            _mm256_storeu_ps(values.as_mut_ptr(), self.0);
            _mm256_storeu_ps(values.as_mut_ptr().add(8), self.1);
        }
        values
    }

    #[inline(always)]
    fn from_i16(values: &[i16; LANES]) -> Self {
        // SAFETY: see above; sixteen integers are there.
        unsafe {
            let wide =
                |at: usize| _mm256_cvtepi16_epi32(_mm_loadu_si128(values.as_ptr().add(at).cast::<__m128i>()));
            Self(_mm256_cvtepi32_ps(wide(0)), _mm256_cvtepi32_ps(wide(8)))
        }
    }

    #[inline(always)]
    fn to_i16(self) -> [i16; LANES] {
        let mut values = [0; LANES];
        // SAFETY: see above; there is room for sixteen integers.
        unsafe {
            let packed = _mm256_packs_epi32(_mm256_cvtps_epi32(self.0), _mm256_cvtps_epi32(self.1));
            let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
            _mm256_storeu_si256(values.as_mut_ptr().cast(), ordered);
        }
        values
    }

    #[inline(always)]
    fn to_u32(self) -> [u32; LANES] {
        let within = self.at_least(Self::splat(0.0)).at_most(Self::splat(MOST_WHOLE));
        let mut values = [0u32; LANES];
        let out: *mut __m256i = values.as_mut_ptr().cast();
        // SAFETY: see above; there is room for sixteen integers.
        unsafe {
            _mm256_storeu_si256(out, _mm256_cvttps_epi32(within.0));
            _mm256_storeu_si256(out.add(1), _mm256_cvttps_epi32(within.1));
        }
        values
    }

    #[inline(always)]
    fn below(self, other: Self) -> u32 {
        // SAFETY: see above.
        unsafe {
            let low = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0));
            let high = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.1, other.1));
            low as u32 | (high as u32) << 8
        }
    }

    #[inline(always)]
    fn keep(self, mask: u32) -> Self {
        // SAFETY: see above.
        unsafe {
            let bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let half = |mask: u32, values: __m256| {
                let set = _mm256_and_si256(_mm256_set1_epi32(mask as i32), bit);
                let wanted = _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, bit));
                _mm256_and_ps(wanted, values)
            };
            Self(half(mask, self.0), half(mask >> 8, self.1))
        }
    }

    #[inline(always)]
    unsafe fn push_indices(first: u32, mask: u32, out: *mut u32) -> usize {
        let low = (mask & 255) as usize;
        let high = (mask >> 8 & 255) as usize;
        let count = low.count_ones() as usize;
        // SAFETY: see above; the caller has made room for sixteen values.
        unsafe {
            let half = |first: u32, bits: usize, out: *mut u32| {
                let places = _mm256_cvtepu8_epi32(_mm_loadl_epi64(SET_BITS[bits].as_ptr().cast()));
                let index = _mm256_add_epi32(_mm256_set1_epi32(first as i32), places);
                _mm256_storeu_si256(out.cast(), index);
            };
            half(first, low, out);
            half(first + 8, high, out.add(count));
        }
        count + high.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn take_row(
        lists: &[u32],
        stride: usize,
        k: usize,
        count: &[u32; LANES],
        lowest: u32,
    ) -> ([u16; LANES], u32) {
        // SAFETY: the caller's promise is the same.
        unsafe { super::Portable::take_row(lists, stride, k, count, lowest) }
    }

    #[inline(always)]
    unsafe fn gather<const STRIDE: usize>(rows: *const f32, base: u32, delta: &[u16; LANES]) -> Self {
        // SAFETY: see above; the caller promises that the numbers are there.
        unsafe {
            let first = rows.add(STRIDE * base as usize);
            let half = |at: usize| {
                let index = _mm256_cvtepu16_epi32(_mm_loadu_si128(delta.as_ptr().add(at).cast()));
                let index = _mm256_mullo_epi32(index, _mm256_set1_epi32(STRIDE as i32));
                _mm256_i32gather_ps::<4>(first, index)
            };
            Self(half(0), half(8))
        }
    }

    #[inline(always)]
    unsafe fn gather4<const STRIDE: usize>(rows: *const f32, base: u32, delta: &[u16; LANES]) -> [Self; 4] {
        // SAFETY: see above; the caller promises that the numbers are there.
        unsafe {
            let first = rows.add(STRIDE * base as usize);
            columns(|k| first.add(STRIDE * index(delta, k)))
        }
    }

    #[inline(always)]
    unsafe fn from_rows_at(row: impl Fn(usize) -> *const f32) -> [Self; 4] {
        // SAFETY: see above; the caller promises that the numbers are there.
        unsafe { columns(row) }
    }

    #[inline(always)]
    unsafe fn to_rows_at(columns: [Self; 4], row: impl Fn(usize) -> *mut f32) {
        // SAFETY: see above; the caller has made room.
        unsafe {
            let halves =
                [transpose(each(columns, |column| column.0)), transpose(each(columns, |column| column.1))];
            for (half, rows) in halves.into_iter().enumerate() {
                for (k, rows) in rows.into_iter().enumerate() {
                    let at = 8 * half + k;
                    _mm_storeu_ps(row(at), _mm256_castps256_ps128(rows));
                    _mm_storeu_ps(row(at + 4), _mm256_extractf128_ps::<1>(rows));
                }
            }
        }
    }
}

/// Sixteen rows of four numbers, as columns.
#[inline(always)]
unsafe fn columns(row: impl Fn(usize) -> *const f32) -> [Avx2; 4] {
    // SAFETY: the caller promises four numbers per row, and the instructions.
    unsafe {
        let two = |r: usize| {
            let low = _mm256_castps128_ps256(_mm_loadu_ps(row(r)));
            _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(row(r + 4)))
        };
        let [a, b, c, d] = transpose([two(0), two(1), two(2), two(3)]);
        let [e, f, g, h] = transpose([two(8), two(9), two(10), two(11)]);
        [Avx2(a, e), Avx2(b, f), Avx2(c, g), Avx2(d, h)]
    }
}

/// Transposes the 4 x 4 blocks that lie in each half of the registers.
#[inline(always)]
unsafe fn transpose([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: the caller promises the instructions.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low),
            _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
        ]
    }
}

/// The places of the set bits of every byte, ascending.
static SET_BITS: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};
