//! Sixteen numbers in one register of AVX-512.

use std::arch::x86_64::*;

use super::{LANES, Lanes, MOST_WHOLE, Real, Vectorised, arithmetic, each, index};

/// Sixteen numbers in one register.
#[derive(Clone, Copy)]
pub struct Avx512(__m512);

/// Does work with AVX-512.
///
/// # Safety
/// The processor must have the instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt")]
pub unsafe fn run<W: Vectorised>(work: W) -> W::Output {
    work.run::<Avx512>()
}

// SAFETY, for every use of instructions below: `Avx512` is only used inside `run`, whose caller has checked the
// processor.
arithmetic!(
    Avx512,
    // SAFETY: see above.
    |a: Avx512, b: Avx512| Avx512(unsafe { _mm512_add_ps(a.0, b.0) }),
    // SAFETY: see above.
    |a: Avx512, b: Avx512| Avx512(unsafe { _mm512_sub_ps(a.0, b.0) }),
    // SAFETY: see above.
    |a: Avx512, b: Avx512| Avx512(unsafe { _mm512_mul_ps(a.0, b.0) }),
    // SAFETY: see above.
    |a: Avx512, b: Avx512| Avx512(unsafe { _mm512_div_ps(a.0, b.0) })
);

impl Real for Avx512 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn root(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn at_least(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn if_below(self, other: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let mask = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0);
            Self(_mm512_mask_blend_ps(mask, no.0, yes.0))
        }
    }
}

// SAFETY: used only inside `run`.
unsafe impl Lanes for Avx512 {
    #[inline(always)]
    fn from_array(values: &[f32; LANES]) -> Self {
        // SAFETY: see above; sixteen numbers are there.
        Self(unsafe { _mm512_loadu_ps(values.as_ptr()) })
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        // SAFETY: see above; there is room for sixteen numbers.
        unsafe { _mm512_storeu_ps(values.as_mut_ptr(), self.0) };
        values
    }

    #[inline(always)]
    fn from_i16(values: &[i16; LANES]) -> Self {
        // SAFETY: see above; sixteen integers are there.
        unsafe {
            let narrow = _mm256_loadu_si256(values.as_ptr().cast());
            Self(_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(narrow)))
        }
    }

    #[inline(always)]
    fn to_i16(self) -> [i16; LANES] {
        let mut values = [0; LANES];
        // SAFETY: see above; there is room for sixteen integers.
        unsafe {
            let narrow = _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(self.0));
            _mm256_storeu_si256(values.as_mut_ptr().cast(), narrow);
        }
        values
    }

    #[inline(always)]
    fn to_u32(self) -> [u32; LANES] {
        let within = self.at_least(Self::splat(0.0)).at_most(Self::splat(MOST_WHOLE));
        let mut values = [0; LANES];
        // SAFETY: see above; there is room for sixteen integers.
        unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), _mm512_cvttps_epi32(within.0)) };
        values
    }

    #[inline(always)]
    fn below(self, other: Self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0) as u32 }
    }

    #[inline(always)]
    fn keep(self, mask: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_maskz_mov_ps(mask as u16, self.0) })
    }

    #[inline(always)]
    unsafe fn push_indices(first: u32, mask: u32, out: *mut u32) -> usize {
        // SAFETY: see above; the caller has made room for sixteen values.
        unsafe {
            let counting = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let index = _mm512_add_epi32(_mm512_set1_epi32(first as i32), counting);
            _mm512_storeu_si512(out.cast(), _mm512_maskz_compress_epi32(mask as u16, index));
        }
        (mask as u16).count_ones() as usize
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
        // SAFETY: see above; the caller promises that the entries exist.
        unsafe {
            let lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let place = _mm512_mullo_epi32(lane, _mm512_set1_epi32(stride as i32));
            let entries = _mm512_i32gather_epi32::<4>(place, lists.as_ptr().add(k).cast());
            let count = _mm512_loadu_si512(count.as_ptr().cast());
            let mask = _mm512_cmplt_epu32_mask(_mm512_set1_epi32(k as i32), count);
            let less = _mm512_maskz_sub_epi32(mask, entries, _mm512_set1_epi32(lowest as i32));
            _mm256_storeu_si256(row.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(less));
            (row, mask as u32)
        }
    }

    #[inline(always)]
    unsafe fn gather<const STRIDE: usize>(rows: *const f32, base: u32, delta: &[u16; LANES]) -> Self {
        // SAFETY: see above; the caller promises that the numbers are there.
        unsafe {
            let index = _mm512_cvtepu16_epi32(_mm256_loadu_si256(delta.as_ptr().cast()));
            let index = _mm512_mullo_epi32(index, _mm512_set1_epi32(STRIDE as i32));
            Self(_mm512_i32gather_ps::<4>(index, rows.add(STRIDE * base as usize)))
        }
    }

    #[inline(always)]
    unsafe fn gather4<const STRIDE: usize>(rows: *const f32, base: u32, delta: &[u16; LANES]) -> [Self; 4] {
        // SAFETY: see above; the caller promises that the numbers are there.
        unsafe {
            let first = rows.add(STRIDE * base as usize);
            Self::from_rows_at(|k| first.add(STRIDE * index(delta, k)))
        }
    }

    #[inline(always)]
    unsafe fn from_rows_at(row: impl Fn(usize) -> *const f32) -> [Self; 4] {
        // SAFETY: see above; the caller promises that the numbers are there.
        unsafe { transpose([four(&row, 0), four(&row, 1), four(&row, 2), four(&row, 3)]) }
    }

    #[inline(always)]
    unsafe fn to_rows_at(columns: [Self; 4], row: impl Fn(usize) -> *mut f32) {
        // SAFETY: see above; the caller has made room.
        unsafe {
            let rows = transpose(each(columns, |column| column.0));
            for (k, Self(rows)) in rows.into_iter().enumerate() {
                _mm_storeu_ps(row(k), _mm512_castps512_ps128(rows));
                _mm_storeu_ps(row(k + 4), _mm512_extractf32x4_ps::<1>(rows));
                _mm_storeu_ps(row(k + 8), _mm512_extractf32x4_ps::<2>(rows));
                _mm_storeu_ps(row(k + 12), _mm512_extractf32x4_ps::<3>(rows));
            }
        }
    }
}

/// Rows r, r + 4, r + 8 and r + 12 in one register.
#[inline(always)]
unsafe fn four(row: &impl Fn(usize) -> *const f32, r: usize) -> __m512 {
    // SAFETY: the caller promises four numbers per row, and the instructions.
    unsafe {
        let low = _mm512_castps128_ps512(_mm_loadu_ps(row(r)));
        let low = _mm512_insertf32x4::<1>(low, _mm_loadu_ps(row(r + 4)));
        let low = _mm512_insertf32x4::<2>(low, _mm_loadu_ps(row(r + 8)));
        _mm512_insertf32x4::<3>(low, _mm_loadu_ps(row(r + 12)))
    }
}

/// Transposes the 4 x 4 blocks that lie in each quarter of the registers.
#[inline(always)]
unsafe fn transpose([a, b, c, d]: [__m512; 4]) -> [Avx512; 4] {
    // SAFETY: the caller promises the instructions.
    unsafe {
        let (ab_low, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        [
            Avx512(_mm512_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low)),
            Avx512(_mm512_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low)),
            Avx512(_mm512_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high)),
            Avx512(_mm512_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high)),
        ]
    }
}
