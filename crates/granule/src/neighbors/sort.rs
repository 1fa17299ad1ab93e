//! Stable radix sort of cell keys, and the permutation it yields.

use rayon::prelude::*;

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Memory that is used again from step to step when columns are reordered.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// For columns of four numbers.
    pub rows: Vec<glam::Vec4>,
    /// For columns of numbers.
    pub floats: Vec<f32>,
    /// For columns of indices.
    pub words: Vec<u32>,
    /// For columns of small indices.
    pub halves: Vec<u16>,
}

/// A reordering: `new[k] = old[permutation[k]]`.
#[derive(Clone, Debug, Default)]
pub struct Permutation {
    index: Vec<u32>,
    identity: bool,
    scratch: Vec<(u64, u32)>,
    pairs: Vec<(u64, u32)>,
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
        self.pairs.clear();
        self.pairs.extend(key.iter().enumerate().map(|(i, &k)| (k, i as u32)));
        self.scratch.resize(key.len(), (0, 0));
        let mut shift = 0;
        while shift < bits {
            radix_pass(&self.pairs, &mut self.scratch, shift);
            std::mem::swap(&mut self.pairs, &mut self.scratch);
            shift += DIGIT_BITS;
        }
        self.index.clear();
        self.index.extend(self.pairs.iter().map(|&(_, i)| i));
        for (slot, &(k, _)) in key.iter_mut().zip(&self.pairs) {
            *slot = k;
        }
    }

    /// Reorders a column; `scratch` is any vector, whose memory is used again.
    pub fn apply<T: Copy + Send + Sync>(&self, column: &mut Vec<T>, scratch: &mut Vec<T>) {
        if !self.identity {
            let places = self.index.par_iter().with_min_len(4096);
            places.map(|&i| column[i as usize]).collect_into_vec(scratch);
            std::mem::swap(column, scratch);
        }
    }

    /// Where each entry came from.
    pub fn sources(&self) -> &[u32] {
        &self.index
    }
}

fn radix_pass(from: &[(u64, u32)], to: &mut [(u64, u32)], shift: u32) {
    let digit = |key: u64| (key >> shift) as usize & (DIGITS - 1);
    let mut starts = [0u32; DIGITS];
    for &(key, _) in from {
        starts[digit(key)] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += std::mem::replace(start, sum);
    }
    for &pair in from {
        let slot = &mut starts[digit(pair.0)];
        to[*slot as usize] = pair;
        *slot += 1;
    }
}

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
    }
}
