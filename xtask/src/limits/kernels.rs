//! Small loops that do nothing but read, write, calculate or gather.

use super::lanes::Lanes;

/// A cache line of numbers.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct Line([f32; 16]);

/// Bytes of a line.
pub const LINE_BYTES: usize = size_of::<Line>();

impl Line {
    /// A line of ones.
    pub const ONES: Self = Self([1.0; 16]);
}

/// Sums that do not wait for each other: enough to hide how long an instruction takes, and they fit into registers.
const CHAINS: usize = 12;
/// Gathers at a time.
const GATHERS_AT_ONCE: usize = 4;

/// The kernels, compiled for a set of instructions. They may only be called where the processor has it.
pub struct Kernels {
    /// Name of the set.
    pub name: &'static str,
    /// Operations on numbers per turn of the arithmetic kernels.
    pub flops_per_turn: usize,
    /// Sum of all numbers.
    pub sum: unsafe fn(&[Line]) -> f32,
    /// a = b + s c.
    pub triad: unsafe fn(&mut [Line], &[Line], &[Line]),
    /// So many turns of x <- x f + s, as two instructions.
    pub multiply_and_add: unsafe fn(usize) -> f32,
    /// The same as one instruction, where the set has it.
    pub fused_multiply_add: Option<unsafe fn(usize) -> f32>,
    /// Sum of so many numbers from random places.
    pub gather: unsafe fn(&[Line], usize) -> f32,
}

impl Kernels {
    /// The kernels for the best instructions of this processor.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return avx512::kernels();
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return avx2::kernels();
            }
        }
        portable::kernels()
    }
}

/// The kernels for a register type, in a module of their own.
macro_rules! compile {
    ($module:ident, $name:literal, $lanes:ty, $fused:expr $(, #[$features:meta])?) => {
        mod $module {
            use super::{CHAINS, Kernels, Lanes, Line};

            $(#[$features])?
            unsafe fn sum(lines: &[Line]) -> f32 {
                super::sum::<$lanes>(lines)
            }

            $(#[$features])?
            unsafe fn triad(a: &mut [Line], b: &[Line], c: &[Line]) {
                super::triad::<$lanes>(a, b, c)
            }

            $(#[$features])?
            unsafe fn multiply_and_add(turns: usize) -> f32 {
                super::chains::<$lanes, false>(turns)
            }

            $(#[$features])?
            unsafe fn fused_multiply_add(turns: usize) -> f32 {
                super::chains::<$lanes, true>(turns)
            }

            $(#[$features])?
            unsafe fn gather(table: &[Line], count: usize) -> f32 {
                super::gather::<$lanes>(table, count)
            }

            /// The kernels.
            pub fn kernels() -> Kernels {
                let fused: unsafe fn(usize) -> f32 = fused_multiply_add;
                Kernels {
                    name: $name,
                    flops_per_turn: 2 * CHAINS * <$lanes as Lanes>::COUNT,
                    sum,
                    triad,
                    multiply_and_add,
                    fused_multiply_add: $fused.then_some(fused),
                    gather,
                }
            }
        }
    };
}

compile!(portable, "portable", [f32; 4], false);
#[cfg(target_arch = "x86_64")]
compile!(avx2, "AVX2", std::arch::x86_64::__m256, true, #[target_feature(enable = "avx2,fma")]);
#[cfg(target_arch = "x86_64")]
compile!(avx512, "AVX-512", std::arch::x86_64::__m512, true, #[target_feature(enable = "avx512f,avx2,fma")]);

/// Sum of all numbers; eight lines at a time.
#[inline(always)]
fn sum<L: Lanes>(lines: &[Line]) -> f32 {
    let mut sums = [L::splat(0.0); 8];
    for eight in lines.chunks_exact(8) {
        for (sum, line) in sums.iter_mut().zip(eight) {
            for part in line.0.chunks_exact(L::COUNT) {
                *sum = sum.add(L::load(part));
            }
        }
    }
    total(&sums)
}

/// a = b + s c.
#[inline(always)]
fn triad<L: Lanes>(a: &mut [Line], b: &[Line], c: &[Line]) {
    let factor = L::splat(std::hint::black_box(0.5));
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        for k in (0..a.0.len()).step_by(L::COUNT) {
            L::load(&c.0[k..]).multiply(factor).add(L::load(&b.0[k..])).store(&mut a.0[k..]);
        }
    }
}

/// Turns of x <- x f + s on independent numbers, which come to rest at s / (1 - f) = 2.
#[inline(always)]
fn chains<L: Lanes, const FUSED: bool>(turns: usize) -> f32 {
    let [factor, summand] = std::hint::black_box([0.5, 1.0]).map(L::splat);
    let mut chains = [L::splat(0.0); CHAINS];
    for (k, x) in chains.iter_mut().enumerate() {
        *x = L::splat(std::hint::black_box(k as f32));
    }
    for _ in 0..turns {
        for x in &mut chains {
            *x = if FUSED { x.multiply_add(factor, summand) } else { x.multiply(factor).add(summand) };
        }
    }
    total(&chains)
}

/// Sum of `count` numbers from random places of the largest power of two of lines that the table has.
#[inline(always)]
fn gather<L: Lanes>(table: &[Line], count: usize) -> f32 {
    let numbers = 16 << table.len().ilog2().min(27);
    let shift = 32 - (numbers as usize).ilog2();
    let seed = |k: usize| std::array::from_fn(|lane| 0x9E37_79B9u32.wrapping_mul((16 * k + lane) as u32 + 1));
    let mut places: [L::Places; GATHERS_AT_ONCE] = std::array::from_fn(|k| L::places(seed(k)));
    let mut sums = [L::splat(0.0); GATHERS_AT_ONCE];
    for _ in 0..count / (GATHERS_AT_ONCE * L::COUNT) {
        for (sum, places) in sums.iter_mut().zip(&mut places) {
            *places = L::advance(*places);
            // SAFETY: shifted places are below 2^(32 - shift), which the table has.
            *sum = sum.add(unsafe { L::gather(table.as_ptr().cast(), *places, shift) });
        }
    }
    total(&sums)
}

/// The sum over lanes and registers.
#[inline(always)]
fn total<L: Lanes>(registers: &[L]) -> f32 {
    let mut sum = 0.0;
    for register in registers {
        let mut lanes = [0.0; 16];
        register.store(&mut lanes);
        sum += lanes.iter().sum::<f32>();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sets of kernels that this processor has.
    fn sets() -> Vec<Kernels> {
        vec![portable::kernels(), Kernels::best()]
    }

    #[test]
    fn kernels_do_what_they_say() {
        for kernels in sets() {
            let mut lines = vec![Line::ONES; 64];
            // SAFETY: the kernels are those that the processor has.
            unsafe {
                assert_eq!((kernels.sum)(&lines), 1024.0, "{}", kernels.name);
                assert_eq!((kernels.gather)(&lines, 4096), 4096.0, "{}", kernels.name);
                (kernels.triad)(&mut lines, &[Line::ONES; 64], &[Line::ONES; 64]);
                assert_eq!((kernels.sum)(&lines), 1536.0, "{}", kernels.name);
                let fixed_points = (kernels.flops_per_turn / 2) as f32 * 2.0;
                assert_eq!((kernels.multiply_and_add)(100), fixed_points, "{}", kernels.name);
                if let Some(fused) = kernels.fused_multiply_add {
                    assert_eq!(fused(100), fixed_points, "{}", kernels.name);
                }
            }
        }
    }
}
