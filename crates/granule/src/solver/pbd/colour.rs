//! Colours of pairs: pairs of one colour share no grain that moves, so all of them can be solved at once, in any order.
//!
//! Every pair has a key, a whole number that is hashed from the ids of its grains and that no other pair has. In each round
//! the pairs whose key is the largest of all that are left at both of their grains take the smallest colour that neither grain
//! has (Jones and Plassmann 1993). The colours are those of a greedy pass in the order of keys, whoever does the rounds: they
//! depend on ids and on who is a neighbour, on nothing else. Grains that are held have no colours.

use crate::team::{self, BLOCK, SharedColumn, block_count, block_range};

/// The colour of pairs that find none free: they are solved one after the other.
pub const REST: u8 = 64;

/// Nothing was won in a round.
const NONE: u8 = u8::MAX;

/// A pair as one of its grains sees it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    /// The other grain.
    other: u32,
    /// The pair, for who writes its colour; else [`NOBODY`].
    pair: u32,
}

/// Somebody else writes the colour.
pub const NOBODY: u32 = u32::MAX;

/// The pairs of the grains of a block.
#[derive(Clone, Debug, Default)]
struct ColourBlock {
    entries: Vec<Entry>,
    /// Per grain: its first entry, how many are left, and what it has won in this round.
    first: Vec<u32>,
    left: Vec<u32>,
    won: Vec<u8>,
    /// Entries that are left.
    open: usize,
}

/// Memory for colouring.
#[derive(Clone, Debug, Default)]
pub struct Colouring {
    blocks: Vec<ColourBlock>,
    /// Largest key that is left at each grain.
    best: Vec<u64>,
    /// Colours that each grain has, a bit each.
    used: Vec<u64>,
}

/// The key of a pair, by the ids of its grains: four rounds of a Feistel network, which gives every pair another number.
pub fn key(low: u32, high: u32) -> u64 {
    let (mut a, mut b) = (low, high);
    for round in 0..4u32 {
        let mut mixed = b.wrapping_add(round.wrapping_mul(0x9e37_79b9));
        mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x7feb_352d);
        mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x846c_a68b);
        mixed ^= mixed >> 16;
        (a, b) = (b, a ^ mixed);
    }
    u64::from(a) << 32 | u64::from(b)
}

impl Colouring {
    /// Colours the pairs of `count` grains. `list` gives the partners of a grain, with the number of the pair where this grain
    /// is to write its colour; `id` are the ids and `held` tells who never moves.
    pub fn colour(
        &mut self,
        id: &[u32],
        held: impl Fn(usize) -> bool + Sync,
        list: impl Fn(usize, &mut dyn FnMut(u32, u32)) + Sync,
        colours: &mut [u8],
    ) {
        let count = id.len();
        self.best.clear();
        self.best.resize(count, 0);
        self.used.clear();
        self.used.resize(count, 0);
        self.blocks.resize_with(block_count(count), ColourBlock::default);
        team::for_each_mut(&mut self.blocks, 1, |b, block| {
            block.begin();
            for i in block_range(b, count) {
                if !held(i) {
                    list(i, &mut |other, pair| {
                        let (low, high) = (id[i].min(id[other as usize]), id[i].max(id[other as usize]));
                        block.entries.push(Entry { key: key(low, high), other, pair });
                    });
                }
                block.end_grain();
            }
        });
        let colours = SharedColumn::of(colours);
        loop {
            let (best, used) = (SharedColumn::of(&mut self.best), SharedColumn::of(&mut self.used));
            team::for_each_mut(&mut self.blocks, 1, |b, block| {
                // SAFETY: every block is visited once.
                unsafe { block.settle(best.block_mut(b), used.block_mut(b)) };
            });
            if self.blocks.iter().all(|block| block.open == 0) {
                return;
            }
            let (best, used) = (&self.best[..], &self.used[..]);
            team::for_each_mut(&mut self.blocks, 1, |b, block| {
                block.claim(b, best, used, &held, |pair, colour| {
                    // SAFETY: one grain writes the colour of a pair.
                    unsafe { *colours.get_mut(pair as usize) = colour };
                });
            });
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let of_block = |block: &ColourBlock| 16 * block.entries.capacity() + 9 * block.left.capacity();
        self.blocks.iter().map(of_block).sum::<usize>() + 8 * (self.best.capacity() + self.used.capacity())
    }
}

impl ColourBlock {
    fn begin(&mut self) {
        self.entries.clear();
        self.first.clear();
        self.left.clear();
        self.won.clear();
        self.open = 0;
    }

    fn end_grain(&mut self) {
        let first = self.first.last().map_or(0, |first| first + self.left[self.left.len() - 1]);
        self.first.push(first);
        self.left.push(self.entries.len() as u32 - first);
        self.won.push(NONE);
        self.open = self.entries.len();
    }

    /// Takes over what was won in the last round, and finds the largest keys that are left: each stands first among its grain's.
    fn settle(&mut self, best: &mut [u64], used: &mut [u64]) {
        if self.open == 0 {
            return;
        }
        for k in 0..self.left.len() {
            let (first, left) = (self.first[k] as usize, self.left[k] as usize);
            if left == 0 {
                continue;
            }
            let mut own = &mut self.entries[first..first + left];
            if self.won[k] != NONE {
                used[k] |= 1u64.checked_shl(u32::from(self.won[k])).unwrap_or(0);
                own[0] = own[left - 1];
                own = &mut own[..left - 1];
                self.left[k] -= 1;
                self.open -= 1;
                self.won[k] = NONE;
            }
            let largest = (0..own.len()).max_by_key(|&at| own[at].key);
            best[k] = largest.map_or(0, |at| {
                own.swap(0, at);
                own[0].key
            });
        }
    }

    /// Finds the colours of the pairs that are the largest at both of their grains.
    fn claim(
        &mut self,
        b: usize,
        best: &[u64],
        used: &[u64],
        held: &impl Fn(usize) -> bool,
        write: impl Fn(u32, u8),
    ) {
        if self.open == 0 {
            return;
        }
        for k in 0..self.left.len() {
            if self.left[k] == 0 {
                continue;
            }
            let entry = self.entries[self.first[k] as usize];
            let other = entry.other as usize;
            let fixed = held(other);
            if !fixed && best[other] != entry.key {
                continue;
            }
            let taken = used[b * BLOCK + k] | if fixed { 0 } else { used[other] };
            let colour = taken.trailing_ones() as u8;
            self.won[k] = colour;
            if entry.pair != NOBODY {
                write(entry.pair, colour);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::team::Team;

    /// Neighbours of each grain on a line with random jumps.
    fn graph(count: usize) -> Vec<Vec<u32>> {
        let mut random = Random::new(5);
        let mut near = vec![Vec::new(); count];
        for i in 0..count {
            for _ in 0..4 {
                let j = (i + 1 + (random.unit() * 300.0) as usize) % count;
                if j != i && !near[i].contains(&(j as u32)) {
                    near[i].push(j as u32);
                    near[j].push(i as u32);
                }
            }
        }
        near
    }

    /// Pairs (i, j) with i < j, and their colours as a team of so many threads finds them.
    fn coloured(near: &[Vec<u32>], id: &[u32], held: &[bool], threads: usize) -> Vec<(u32, u32, u8)> {
        let mut pairs = Vec::new();
        for (i, others) in near.iter().enumerate() {
            let later = others.iter().filter(|j| **j > i as u32 && !(held[i] && held[**j as usize]));
            pairs.extend(later.map(|j| (i as u32, *j)));
        }
        let number = |i: u32, j: u32| pairs.iter().position(|pair| *pair == (i.min(j), i.max(j)));
        let mut colours = vec![NONE; pairs.len()];
        let list = |i: usize, give: &mut dyn FnMut(u32, u32)| {
            for &j in &near[i] {
                let writes = (i as u32) < j || held[j as usize];
                let pair = number(i as u32, j).unwrap() as u32;
                give(j, if writes { pair } else { NOBODY });
            }
        };
        let team = Team::new(threads).unwrap();
        team.install(|| Colouring::default().colour(id, |i| held[i], list, &mut colours));
        pairs.iter().zip(colours).map(|((i, j), colour)| (*i, *j, colour)).collect()
    }

    #[test]
    fn pairs_of_one_colour_share_no_grain_that_moves_for_any_number_of_threads() {
        let near = graph(1500);
        let id: Vec<u32> = (0..1500).map(|i| (i * 7919) % 100_003).collect();
        let held: Vec<bool> = (0..1500).map(|i| i % 11 == 0).collect();
        let pairs = coloured(&near, &id, &held, 1);
        assert_eq!(pairs, coloured(&near, &id, &held, 3));
        let mut used = vec![0u64; near.len()];
        for (i, j, colour) in &pairs {
            assert!(*colour < REST, "pair {i}, {j} has the colour {colour}");
            for grain in [*i, *j].map(|grain| grain as usize).into_iter().filter(|grain| !held[*grain]) {
                assert_eq!(used[grain] >> colour & 1, 0, "{grain} has two pairs of colour {colour}");
                used[grain] |= 1 << colour;
            }
        }
        let most = pairs.iter().map(|pair| pair.2).max().unwrap();
        let degree = near.iter().map(Vec::len).max().unwrap();
        assert!(pairs.len() > 4000 && usize::from(most) < degree + 6, "{most} colours at {degree} pairs");
    }

    /// It is what a greedy pass in the order of keys gives, which is how a device may check itself.
    #[test]
    fn colours_are_those_of_a_greedy_pass_by_keys() {
        let near = graph(600);
        let (id, held): (Vec<u32>, Vec<bool>) = ((0..600).rev().collect(), vec![false; 600]);
        let pairs = coloured(&near, &id, &held, 2);
        let of = |i: u32, j: u32| {
            let [a, b] = [id[i as usize], id[j as usize]];
            key(a.min(b), a.max(b))
        };
        let mut sorted = pairs.clone();
        sorted.sort_unstable_by_key(|(i, j, _)| std::cmp::Reverse(of(*i, *j)));
        let mut used = vec![0u64; near.len()];
        for (i, j, colour) in sorted {
            let free = (used[i as usize] | used[j as usize]).trailing_ones() as u8;
            assert_eq!(free, colour);
            used[i as usize] |= 1 << free;
            used[j as usize] |= 1 << free;
        }
    }

    #[test]
    fn no_two_pairs_have_one_key() {
        let mut keys: Vec<u64> = (0..400u32).flat_map(|i| (i + 1..400).map(move |j| key(i, j))).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    /// More pairs at one grain than there are colours.
    #[test]
    fn what_finds_no_colour_is_the_rest() {
        let mut near = vec![Vec::new(); 101];
        for j in 1..=100u32 {
            near[0].push(j);
            near[j as usize].push(0);
        }
        let id: Vec<u32> = (0..101).collect();
        let pairs = coloured(&near, &id, &[false; 101], 1);
        let rest = pairs.iter().filter(|pair| pair.2 == REST).count();
        assert_eq!((pairs.len(), rest), (100, 36));
    }
}
