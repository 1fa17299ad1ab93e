//! Stable radix sort of cell keys, and the permutation it yields.

use crate::team::{self, BLOCK, QUICK};

/// Most bits per pass: the counts of 2^11 digits (8 KiB) stay in the first cache, and keys of 22 bits take two passes.
const MOST_DIGIT_BITS: u32 = 11;
const MOST_DIGITS: usize = 1 << MOST_DIGIT_BITS;

/// Fewest keys that are worth a thread. A choice: a pass over so many takes some microseconds, about what it takes to call a
/// team.
const LEAST_CHUNK: usize = 1024;

/// Memory that is used again from step to step when columns are reordered.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// For columns of four numbers.
    pub rows: Vec<glam::Vec4>,
    /// For columns of orientations.
    pub orientations: Vec<glam::Quat>,
    /// For columns of numbers.
    pub floats: Vec<f32>,
    /// For columns of indices.
    pub words: Vec<u32>,
    /// For columns of small indices.
    pub halves: Vec<u16>,
    /// For columns of exact positions.
    pub places: Vec<crate::position::ExactPosition>,
}

impl Scratch {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        16 * (self.rows.capacity() + self.orientations.capacity())
            + 4 * (self.floats.capacity() + self.words.capacity())
            + 2 * self.halves.capacity()
    }
}

/// A reordering: `new[k] = old[permutation[k]]`.
#[derive(Clone, Debug, Default)]
pub struct Permutation {
    index: Vec<u32>,
    identity: bool,
    scratch: Vec<(u64, u32)>,
    pairs: Vec<(u64, u32)>,
    /// Per chunk, where its next entry of each digit goes.
    starts: Vec<[u32; MOST_DIGITS]>,
}

impl Permutation {
    /// Finds the stable order of `key`, of which the lowest `bits` bits matter, and sorts `key` along.
    pub fn sort(&mut self, key: &mut [u64], bits: u32) {
        let last = key.len().saturating_sub(1);
        let sorted =
            |_: usize, range: std::ops::Range<usize>| range.into_iter().all(|i| key[i] <= key[i + 1]);
        self.identity = team::map_blocks(last, sorted).into_iter().all(|sorted| sorted);
        if self.identity {
            self.index.clear();
            self.index.extend(0..key.len() as u32);
            return;
        }
        let chunk = key.len().div_ceil(team::thread_count()).max(LEAST_CHUNK);
        team::fill(&mut self.pairs, key.len(), |i| (key[i], i as u32));
        self.scratch.resize(key.len(), (0, 0));
        let passes = bits.div_ceil(MOST_DIGIT_BITS).max(1);
        let digit_bits = bits.div_ceil(passes);
        for pass in 0..passes {
            let digit = Digit { shift: pass * digit_bits, bits: digit_bits };
            radix_pass(&self.pairs, &mut self.scratch, digit, chunk, &mut self.starts);
            std::mem::swap(&mut self.pairs, &mut self.scratch);
        }
        let pairs = &self.pairs;
        team::fill(&mut self.index, pairs.len(), |i| pairs[i].1);
        team::for_each_block(key.len(), QUICK, key, |b, block| {
            block.iter_mut().zip(&pairs[b * BLOCK..]).for_each(|(slot, &(k, _))| *slot = k);
        });
    }

    /// Reorders a column; `scratch` is any vector, whose memory is used again.
    pub fn apply<T: Copy + Send + Sync>(&self, column: &mut Vec<T>, scratch: &mut Vec<T>) {
        if !self.identity {
            team::fill(scratch, self.index.len(), |k| column[self.index[k] as usize]);
            std::mem::swap(column, scratch);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.index.capacity()
            + 16 * (self.scratch.capacity() + self.pairs.capacity())
            + 4 * MOST_DIGITS * self.starts.capacity()
    }

    /// Where each entry came from.
    pub fn sources(&self) -> &[u32] {
        &self.index
    }
}

/// A part of a key.
#[derive(Clone, Copy)]
struct Digit {
    shift: u32,
    bits: u32,
}

/// Sorts by one digit. Every chunk counts its digits; where the chunks' equal digits go follows from the counts, so the
/// result is stable and does not depend on the number of chunks.
fn radix_pass(
    from: &[(u64, u32)],
    to: &mut [(u64, u32)],
    digit: Digit,
    chunk: usize,
    starts: &mut Vec<[u32; MOST_DIGITS]>,
) {
    let digits = 1 << digit.bits;
    let digit = |key: u64| (key >> digit.shift) as usize & (digits - 1);
    starts.resize(from.len().div_ceil(chunk), [0; MOST_DIGITS]);
    let of_chunk = |c: usize| &from[c * chunk..from.len().min((c + 1) * chunk)];
    team::for_each_mut(starts, 1, |c, starts| {
        starts[..digits].fill(0);
        of_chunk(c).iter().for_each(|&(key, _)| starts[digit(key)] += 1);
    });
    let mut sum = 0;
    for digit in 0..digits {
        for starts in starts.iter_mut() {
            sum += std::mem::replace(&mut starts[digit], sum);
        }
    }
    let to = Places(to.as_mut_ptr());
    team::for_each_mut(starts, 1, |c, starts| {
        let to = &to;
        for &pair in of_chunk(c) {
            let slot = &mut starts[digit(pair.0)];
            // SAFETY: the counts give every entry a place of its own below the number of entries.
            unsafe { *to.0.add(*slot as usize) = pair };
            *slot += 1;
        }
    });
}

/// Places that several threads write to, each to its own.
struct Places(*mut (u64, u32));

// SAFETY: `radix_pass` writes every place once.
unsafe impl Sync for Places {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_stably(keys in prop::collection::vec(0u64..1 << 40, 0..600), coarse in 0u32..38) {
            let keys: Vec<u64> = keys.iter().map(|k| k >> coarse).collect();
            let mut expected: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
            expected.sort_by_key(|&(k, _)| k);
            let mut sorted = keys.clone();
            let mut permutation = Permutation::default();
            permutation.sort(&mut sorted, 40);
            prop_assert_eq!(&sorted, &expected.iter().map(|&(k, _)| k).collect::<Vec<_>>());
            prop_assert_eq!(permutation.sources(), &expected.iter().map(|&(_, i)| i).collect::<Vec<_>>()[..]);
            let mut column = keys.clone();
            permutation.apply(&mut column, &mut Vec::new());
            prop_assert_eq!(column, sorted);
        }

        #[test]
        fn many_chunks_give_the_order_of_one(keys in prop::collection::vec(0u64..5000, 1..900), chunk in 1usize..200) {
            let pairs: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
            let [mut one, mut many] = [(); 2].map(|_| vec![(0, 0); pairs.len()]);
            let digit = Digit { shift: 0, bits: MOST_DIGIT_BITS };
            radix_pass(&pairs, &mut one, digit, pairs.len(), &mut Vec::new());
            radix_pass(&pairs, &mut many, digit, chunk, &mut Vec::new());
            prop_assert_eq!(one, many);
        }
    }
}
