//! Colours of pairs: pairs of one colour share no grain that moves, so all of them can be solved at once, in any order.
//!
//! Every pair has a key, a whole number that is hashed from the ids of its grains and that no other pair has; pairs in bricks that are near
//! where lists are made come before all others. In the order of keys, the largest first, every pair takes the smallest colour that
//! neither of its grains has: colours depend on ids, on who is a neighbour and who is near, and on nothing else but the bricks. Grains that
//! are held have no colours. Devices find the same ones in rounds, in which all pairs
//! go on whose key is the largest that is left at both grains (Jones and Plassmann 1993).
//!
//! Pairs that touch have the first colours of their bricks so, nearly alone, and those that do not share the last ones: what solves
//! sixteen pairs or more of a colour at once has few among them that do not touch.
//!
//! Pairs of each partition of [bricks](super::bricks) have colours of their own, and loose pairs those behind them, which pairs of a
//! brick take, too, that find none free. Two bodies made of particles meet in loose pairs.

use crate::simd::{Lanes, Vectorised};
use crate::team::SharedColumn;

use super::bricks::PARTITIONS;

/// Colours of pairs in bricks of each partition.
pub const BRICK_COLOURS: u8 = 32;

/// Colours of loose pairs.
pub const LOOSE_COLOURS: u8 = 64;

/// The colour of pairs that find none free: they are solved one after the other.
pub const REST: u8 = LOOSE_COLOURS;

/// In the key of a pair: it is near.
pub const NEAR: u64 = 1 << 63;

/// Pairs in a bin, about, where pairs are sorted, and the most bits of their keys that tell bins apart.
const BIN: usize = 4;
const MOST_BITS: u32 = 12;

/// Fewest pairs that are sorted by bins.
const FEW: usize = 32;

/// A pair and its key.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keyed {
    /// The key, with the mark [`NEAR`] of pairs in bricks that are.
    pub key: u64,
    /// Its grains; the one that moves twice, where the other is held.
    pub grains: [u32; 2],
    /// Which pair it is.
    pub pair: u32,
    /// Its colour in its brick, or among loose pairs.
    pub colour: u8,
}

/// The key of a pair, by the ids of its grains: four rounds of a Feistel network, which gives every pair another number. The
/// highest bit is free where ids are below 2^31.
#[inline(always)]
pub fn key(low: u32, high: u32) -> u64 {
    let (mut a, mut b) = (low, high);
    for round in 0..4u32 {
        let mut mixed = b.wrapping_add(round.wrapping_mul(0x9e37_79b9));
        mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x7feb_352d);
        mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x846c_a68b);
        mixed = (mixed ^ (mixed >> 16)) & (u32::MAX >> 1);
        (a, b) = (b, a ^ mixed);
    }
    u64::from(a) << 32 | u64::from(b)
}

/// Keys of many pairs.
pub struct Keys<'a> {
    /// Lower and higher ids.
    pub ids: &'a [Vec<u32>; 2],
    /// The keys.
    pub keys: &'a mut Vec<u64>,
}

impl Vectorised for Keys<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let [low, high] = self.ids;
        self.keys.clear();
        self.keys.extend(low.iter().zip(high).map(|(low, high)| key(*low, *high)));
    }
}

/// Memory for sorting pairs by their keys.
#[derive(Clone, Debug, Default)]
pub struct KeySort {
    bins: Vec<u32>,
    sorted: Vec<Keyed>,
}

impl KeySort {
    /// Puts pairs into the order of their keys, the largest first: into bins by the first bits, then bin by bin.
    pub fn sort(&mut self, pairs: &mut [Keyed]) {
        let by_key = |pair: &Keyed| std::cmp::Reverse(pair.key);
        if pairs.len() < FEW {
            pairs.sort_unstable_by_key(by_key);
            return;
        }
        let Self { bins, sorted } = self;
        let bits = (pairs.len() / BIN).ilog2().min(MOST_BITS);
        let bin = |pair: &Keyed| (!pair.key >> (64 - bits)) as usize;
        bins.clear();
        bins.resize(1 << bits, 0);
        pairs.iter().for_each(|pair| bins[bin(pair)] += 1);
        let mut next = 0;
        for size in bins.iter_mut() {
            (*size, next) = (next, next + *size);
        }
        sorted.clear();
        sorted.resize(pairs.len(), Keyed::default());
        for pair in pairs.iter() {
            let place = &mut bins[bin(pair)];
            sorted[*place as usize] = *pair;
            *place += 1;
        }
        // What was the begin of a bin is its end now.
        let mut first = 0;
        for end in bins.iter().map(|end| *end as usize) {
            sorted[first..end].sort_unstable_by_key(by_key);
            first = end;
        }
        pairs.copy_from_slice(sorted);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.bins.capacity() + size_of::<Keyed>() * self.sorted.capacity()
    }
}

/// Gives sorted pairs in bricks of one partition the smallest colours that are free there; those that find none go to `left`. Of
/// every grain `used` has the colours in each partition.
///
/// # Safety
/// Nobody else may use what these grains have in that partition.
pub unsafe fn claim_in_bricks(
    pairs: &mut [Keyed],
    partition: usize,
    used: &SharedColumn<u32>,
    left: &mut Vec<Keyed>,
) {
    for pair in pairs {
        let [i, j] = pair.grains.map(|grain| PARTITIONS * grain as usize + partition);
        // SAFETY: the caller promises that these are ours.
        let taken = unsafe { *used.get_mut(i) | *used.get_mut(j) };
        let colour = taken.trailing_ones() as u8;
        pair.colour = colour;
        if colour >= BRICK_COLOURS {
            left.push(Keyed { key: pair.key & !NEAR, ..*pair });
            continue;
        }
        // SAFETY: as above.
        unsafe {
            *used.get_mut(i) |= 1 << colour;
            *used.get_mut(j) |= 1 << colour;
        }
    }
}

/// Gives sorted loose pairs the smallest colours that are free, or [`REST`]; of every grain `used` has the colours.
pub fn claim_loose(pairs: &mut [Keyed], used: &mut [u64]) {
    for pair in pairs {
        let [i, j] = pair.grains.map(|grain| grain as usize);
        let colour = (used[i] | used[j]).trailing_ones();
        let bit = 1u64.checked_shl(colour).unwrap_or(0);
        used[i] |= bit;
        used[j] |= bit;
        pair.colour = colour as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn no_two_pairs_have_one_key() {
        let mut keys: Vec<u64> = (0..400u32).flat_map(|i| (i + 1..400).map(move |j| key(i, j))).collect();
        let count = keys.len();
        assert!(keys.iter().all(|key| key & NEAR == 0), "the mark is free");
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn pairs_are_sorted_by_keys_the_largest_first() {
        let mut random = Random::new(8);
        let mut sort = KeySort::default();
        for count in [0, 1, 5, FEW - 1, FEW, 1000, 70_000] {
            let mut pairs: Vec<Keyed> = (0..count as u32)
                .map(|pair| Keyed {
                    key: key(pair, (random.unit() * 1e9) as u32) | if pair % 3 == 0 { NEAR } else { 0 },
                    pair,
                    ..Keyed::default()
                })
                .collect();
            let mut expected = pairs.clone();
            expected.sort_by_key(|pair| std::cmp::Reverse(pair.key));
            sort.sort(&mut pairs);
            let numbers = |pairs: &[Keyed]| pairs.iter().map(|pair| pair.pair).collect::<Vec<u32>>();
            assert_eq!(numbers(&pairs), numbers(&expected), "{count} pairs");
        }
    }
}
