//! Stable radix sort of cell keys, and the permutation it yields.

use rayon::prelude::*;

/// Bits per pass: the counts of 2^11 digits (8 KiB) stay in the first cache, and keys of 22 bits take two passes.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Fewest keys that are worth a thread. Chosen, not measured: a pass over so many takes some ten microseconds, about what it
/// takes to wake a thread.
const LEAST_CHUNK: usize = 8192;

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
    starts: Vec<[u32; DIGITS]>,
}

impl Permutation {
    /// Finds the stable order of `key`, of which the lowest `bits` bits matter, and sorts `key` along.
    pub fn sort(&mut self, key: &mut [u64], bits: u32) {
        self.identity = key.par_windows(2).all(|pair| pair[0] <= pair[1]);
        if self.identity {
            self.index.clear();
            self.index.extend(0..key.len() as u32);
            return;
        }
        let chunk = key.len().div_ceil(rayon::current_num_threads()).max(LEAST_CHUNK);
        key.par_iter()
            .with_min_len(4096)
            .enumerate()
            .map(|(i, &k)| (k, i as u32))
            .collect_into_vec(&mut self.pairs);
        self.scratch.resize(key.len(), (0, 0));
        for shift in (0..bits).step_by(DIGIT_BITS as usize) {
            radix_pass(&self.pairs, &mut self.scratch, shift, chunk, &mut self.starts);
            std::mem::swap(&mut self.pairs, &mut self.scratch);
        }
        self.pairs.par_iter().with_min_len(4096).map(|&(_, i)| i).collect_into_vec(&mut self.index);
        key.par_iter_mut().with_min_len(4096).zip(&self.pairs).for_each(|(slot, &(k, _))| *slot = k);
    }

    /// Reorders a column; `scratch` is any vector, whose memory is used again.
    pub fn apply<T: Copy + Send + Sync>(&self, column: &mut Vec<T>, scratch: &mut Vec<T>) {
        if !self.identity {
            let places = self.index.par_iter().with_min_len(4096);
            places.map(|&i| column[i as usize]).collect_into_vec(scratch);
            std::mem::swap(column, scratch);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.index.capacity()
            + 16 * (self.scratch.capacity() + self.pairs.capacity())
            + 4 * DIGITS * self.starts.capacity()
    }

    /// Where each entry came from.
    pub fn sources(&self) -> &[u32] {
        &self.index
    }
}

/// Sorts by one digit. Every chunk counts its digits; where the chunks' equal digits go follows from the counts, so the
/// result is stable and does not depend on the number of chunks.
fn radix_pass(
    from: &[(u64, u32)],
    to: &mut [(u64, u32)],
    shift: u32,
    chunk: usize,
    starts: &mut Vec<[u32; DIGITS]>,
) {
    let digit = |key: u64| (key >> shift) as usize & (DIGITS - 1);
    starts.resize(from.len().div_ceil(chunk), [0; DIGITS]);
    starts.par_iter_mut().zip(from.par_chunks(chunk)).for_each(|(starts, chunk)| {
        starts.fill(0);
        chunk.iter().for_each(|&(key, _)| starts[digit(key)] += 1);
    });
    let mut sum = 0;
    for digit in 0..DIGITS {
        for starts in starts.iter_mut() {
            sum += std::mem::replace(&mut starts[digit], sum);
        }
    }
    let to = Places(to.as_mut_ptr());
    starts.par_iter_mut().zip(from.par_chunks(chunk)).for_each(|(starts, chunk)| {
        let to = &to;
        for &pair in chunk {
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
            radix_pass(&pairs, &mut one, 0, pairs.len(), &mut Vec::new());
            radix_pass(&pairs, &mut many, 0, chunk, &mut Vec::new());
            prop_assert_eq!(one, many);
        }
    }
}
