//! Colours of pairs: pairs of one colour share no grain that moves, so all of them can be solved at once, in any order.
//!
//! Every pair has a key, a whole number that is hashed from the ids of its grains and that no other pair has. In the order of
//! keys, the largest first, every pair takes the smallest colour that neither of its grains has: colours depend on ids and on who
//! is a neighbour, and on nothing else but the bricks. Grains that are held have no colours. Devices find the same ones in rounds, in which all pairs
//! go on whose key is the largest that is left at both grains (Jones and Plassmann 1993).
//!
//! Pairs of each partition of [bricks](super::bricks) have colours of their own, and loose pairs those behind them, which pairs of a
//! brick take, too, that find none free. Two bodies made of particles meet in loose pairs.
//!
//! Keys are found and sorted by the whole team. The pass is one thread's: it takes a few nanoseconds per pair, where rounds on CPU
//! cores took two hundred.

use crate::simd::{Instructions, Lanes, Vectorised};
use crate::team::{self, SharedColumn};

use super::bricks::{PARTITIONS, partition_of};

/// Colours of pairs in bricks of each partition.
pub const BRICK_COLOURS: u8 = 32;

/// The first colour of loose pairs, of which there are 64.
pub const LOOSE: u8 = BRICK_COLOURS * PARTITIONS as u8;

/// The colour of pairs that find none free: they are solved one after the other.
pub const REST: u8 = LOOSE + 64;

/// Fewest pairs that a member of the team takes.
const CHUNK: usize = 2048;

/// Pairs in a bin, about, and the most bits of their keys that tell bins apart.
const BIN: usize = 4;
const MOST_BITS: u32 = 16;

/// Fewest bins that a member of the team takes.
const BINS: usize = 512;

/// A pair and its key.
#[derive(Clone, Copy, Debug, Default)]
struct Keyed {
    key: u64,
    /// Its grains; the one that moves twice, where the other is held.
    grains: [u32; 2],
    pair: u32,
    /// Partition of the brick that it is in; none where it is loose.
    partition: u8,
}

/// Colours that a grain has, a bit each: in bricks of each partition, and of loose pairs.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    in_bricks: [u32; PARTITIONS],
    loose: u64,
}

/// Some of the pairs.
#[derive(Clone, Debug, Default)]
struct Chunk {
    /// Lower and higher ids.
    ids: [Vec<u32>; 2],
    keys: Vec<u64>,
    /// How many pairs are in each bin; then where the next one goes.
    bins: Vec<u32>,
}

/// Memory for colouring.
#[derive(Clone, Debug, Default)]
pub struct Colouring {
    chunks: Vec<Chunk>,
    /// First pair of every bin, and the end of the last one's.
    first: Vec<u32>,
    sorted: Vec<Keyed>,
    used: Vec<Used>,
}

/// The pairs that are coloured.
#[derive(Clone, Copy)]
pub struct ColourInput<'a> {
    /// Places of their grains.
    pub keeper: &'a [u32],
    /// The others.
    pub other: &'a [u32],
    /// Ids of all grains.
    pub id: &'a [u32],
    /// Bricks that they are in.
    pub brick: &'a [[u32; PARTITIONS]],
    /// Materials.
    pub material: &'a [u16],
    /// The first material of particles of bodies.
    pub first_of_bodies: u16,
    /// Instructions to use.
    pub instructions: Instructions,
}

impl ColourInput<'_> {
    /// The partition in whose bricks the pair of two grains is.
    #[inline(always)]
    fn partition(&self, i: usize, j: usize) -> u8 {
        if self.material[i].min(self.material[j]) >= self.first_of_bodies {
            return PARTITIONS as u8;
        }
        partition_of(&self.brick[i], &self.brick[j]) as u8
    }
}

/// Gives a pair in a brick the smallest colour that is free there; none where none is.
#[inline(always)]
fn claim_in_brick(used: &mut [Used], [i, j]: [usize; 2], partition: u8) -> Option<u8> {
    let p = usize::from(partition);
    let colour = (used[i].in_bricks[p] | used[j].in_bricks[p]).trailing_ones();
    let bit = 1u32.checked_shl(colour)?;
    used[i].in_bricks[p] |= bit;
    used[j].in_bricks[p] |= bit;
    Some(BRICK_COLOURS * partition + colour as u8)
}

/// Gives a loose pair the smallest colour that is free.
fn claim(used: &mut [Used], [i, j]: [usize; 2]) -> u8 {
    let colour = (used[i].loose | used[j].loose).trailing_ones();
    let bit = 1u64.checked_shl(colour).unwrap_or(0);
    used[i].loose |= bit;
    used[j].loose |= bit;
    LOOSE + colour as u8
}

/// The key of a pair, by the ids of its grains: four rounds of a Feistel network, which gives every pair another number.
#[inline(always)]
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

/// Keys of many pairs.
struct Keys<'a> {
    ids: &'a [Vec<u32>; 2],
    keys: &'a mut Vec<u64>,
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

impl Colouring {
    /// Colours pairs, of which at least one grain moves. `held` tells who never does.
    pub fn colour(&mut self, input: &ColourInput, held: impl Fn(usize) -> bool + Sync, colours: &mut [u8]) {
        self.sort(input, held);
        self.used.clear();
        self.used.resize(input.id.len(), Used::default());
        let Self { sorted, used, .. } = self;
        for &Keyed { grains: [i, j], pair, partition, .. } in &*sorted {
            let grains = [i as usize, j as usize];
            let in_brick =
                (usize::from(partition) < PARTITIONS).then(|| claim_in_brick(used, grains, partition));
            colours[pair as usize] = in_brick.flatten().unwrap_or_else(|| claim(used, grains));
        }
    }

    /// Puts the pairs into the order of their keys, the largest first: into bins by the first bits, then bin by bin.
    fn sort(&mut self, input: &ColourInput, held: impl Fn(usize) -> bool + Sync) {
        let count = input.keeper.len();
        let bits = (count / BIN).max(2).ilog2().min(MOST_BITS);
        let bin = |key: u64| (!key >> (64 - bits)) as usize;
        let size = CHUNK.max(count.div_ceil(team::thread_count()));
        let pairs_of = |c: usize| c * size..count.min((c + 1) * size);
        self.chunks.resize_with(count.div_ceil(size), Chunk::default);
        team::for_each_mut(&mut self.chunks, 1, |c, chunk| {
            chunk.find_keys(input, pairs_of(c));
            chunk.bins.clear();
            chunk.bins.resize(1 << bits, 0);
            chunk.keys.iter().for_each(|key| chunk.bins[bin(*key)] += 1);
        });
        self.index_bins(1 << bits);
        self.sorted.resize(count, Keyed::default());
        let sorted = SharedColumn::of(&mut self.sorted);
        team::for_each_mut(&mut self.chunks, 1, |c, Chunk { keys, bins, .. }| {
            for (&key, p) in keys.iter().zip(pairs_of(c)) {
                let place = &mut bins[bin(key)];
                let [mut i, mut j] = [input.keeper[p], input.other[p]];
                let partition = input.partition(i as usize, j as usize);
                if held(i as usize) {
                    i = j;
                } else if held(j as usize) {
                    j = i;
                }
                // SAFETY: chunks have places of their own.
                let keyed = unsafe { sorted.get_mut(*place as usize) };
                *keyed = Keyed { key, grains: [i, j], pair: p as u32, partition };
                *place += 1;
            }
        });
        let first = &self.first[..];
        team::for_each(first.len() - 1, BINS, |b| {
            // SAFETY: every bin is visited once.
            let bin = unsafe { sorted.range_mut(first[b] as usize..first[b + 1] as usize) };
            bin.sort_unstable_by_key(|pair| std::cmp::Reverse(pair.key));
        });
    }

    /// Finds where bins begin, and where each chunk puts its pairs of them.
    fn index_bins(&mut self, bins: usize) {
        let mut next = 0;
        self.first.clear();
        for b in 0..bins {
            self.first.push(next);
            for chunk in &mut self.chunks {
                let size = chunk.bins[b];
                chunk.bins[b] = next;
                next += size;
            }
        }
        self.first.push(next);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let of_chunk = |chunk: &Chunk| {
            8 * chunk.keys.capacity() + 4 * (chunk.bins.capacity() + 2 * chunk.ids[0].capacity())
        };
        self.chunks.iter().map(of_chunk).sum::<usize>()
            + size_of::<Keyed>() * self.sorted.capacity()
            + size_of::<Used>() * self.used.capacity()
            + 4 * self.first.capacity()
    }
}

impl Chunk {
    fn find_keys(&mut self, input: &ColourInput, pairs: std::ops::Range<usize>) {
        let Self { ids: [low, high], .. } = self;
        low.clear();
        high.clear();
        for (i, j) in input.keeper[pairs.clone()].iter().zip(&input.other[pairs]) {
            let [i, j] = [input.id[*i as usize], input.id[*j as usize]];
            low.push(i.min(j));
            high.push(i.max(j));
        }
        input.instructions.run(Keys { ids: &self.ids, keys: &mut self.keys });
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

    /// No two grains in one brick.
    fn scattered(count: usize) -> Vec<[u32; PARTITIONS]> {
        (0..count as u32).map(|i| [i; PARTITIONS]).collect()
    }

    /// Neighbours on a line in bricks of 200, shifted by a quarter in every partition.
    fn bricked(count: usize) -> Vec<[u32; PARTITIONS]> {
        (0..count as u32).map(|i| std::array::from_fn(|p| (i + 50 * p as u32) / 200)).collect()
    }

    /// Pairs (i, j) with i < j, and their colours as a team of so many threads finds them.
    fn coloured(
        near: &[Vec<u32>],
        id: &[u32],
        held: &[bool],
        brick: &[[u32; PARTITIONS]],
        threads: usize,
    ) -> Vec<(u32, u32, u8)> {
        let mut pairs = Vec::new();
        for (i, others) in near.iter().enumerate() {
            let later = others.iter().filter(|j| **j > i as u32 && !(held[i] && held[**j as usize]));
            pairs.extend(later.map(|j| (i as u32, *j)));
        }
        let [keeper, other] = [0, 1].map(|k| pairs.iter().map(|(i, j)| [*i, *j][k]).collect::<Vec<u32>>());
        let material = vec![0; id.len()];
        let (keeper, other, material) = (&keeper[..], &other[..], &material[..]);
        let (first_of_bodies, instructions) = (1, Instructions::best());
        let input = ColourInput { keeper, other, id, brick, material, first_of_bodies, instructions };
        let mut colours = vec![u8::MAX; pairs.len()];
        let team = Team::new(threads).unwrap();
        team.install(|| Colouring::default().colour(&input, |i| held[i], &mut colours));
        pairs.iter().zip(colours).map(|((i, j), colour)| (*i, *j, colour)).collect()
    }

    #[test]
    fn pairs_of_one_colour_share_no_grain_that_moves_for_any_number_of_threads() {
        let near = graph(1500);
        let id: Vec<u32> = (0..1500).map(|i| (i * 7919) % 100_003).collect();
        let held: Vec<bool> = (0..1500).map(|i| i % 11 == 0).collect();
        let bricks = bricked(1500);
        let pairs = coloured(&near, &id, &held, &bricks, 1);
        assert_eq!(pairs, coloured(&near, &id, &held, &bricks, 3));
        let mut used = vec![[0u64; 3]; near.len()];
        let mut of_partition = [0; PARTITIONS + 1];
        for (i, j, colour) in &pairs {
            assert!(*colour < REST, "pair {i}, {j} has the colour {colour}");
            let partition = partition_of(&bricks[*i as usize], &bricks[*j as usize]);
            assert_eq!(usize::from(*colour / BRICK_COLOURS).min(PARTITIONS), partition, "pair {i}, {j}");
            of_partition[partition] += 1;
            for grain in [*i, *j].map(|grain| grain as usize).into_iter().filter(|grain| !held[*grain]) {
                let (word, bit) = (usize::from(colour / 64), colour % 64);
                assert_eq!(used[grain][word] >> bit & 1, 0, "{grain} has two pairs of colour {colour}");
                used[grain][word] |= 1 << bit;
            }
        }
        let most = pairs.iter().map(|pair| pair.2).max().unwrap();
        let degree = near.iter().map(Vec::len).max().unwrap();
        assert!(usize::from(most - LOOSE) < degree + 6, "{most} colours at {degree} pairs");
        assert!(pairs.len() > 4000 && of_partition.iter().all(|count| *count > 100), "{of_partition:?}");
    }

    /// It is what a greedy pass in the order of keys gives, which is how a device may check itself.
    #[test]
    fn colours_are_those_of_a_greedy_pass_by_keys() {
        let near = graph(600);
        let (id, held): (Vec<u32>, Vec<bool>) = ((0..600).rev().collect(), vec![false; 600]);
        let of = |i: u32, j: u32| {
            let [a, b] = [id[i as usize], id[j as usize]];
            key(a.min(b), a.max(b))
        };
        for bricks in [scattered(600), bricked(600)] {
            let mut sorted = coloured(&near, &id, &held, &bricks, 2);
            sorted.sort_unstable_by_key(|(i, j, _)| std::cmp::Reverse(of(*i, *j)));
            let mut used = vec![[0u64; PARTITIONS + 1]; near.len()];
            for (i, j, colour) in sorted {
                let (i, j) = (i as usize, j as usize);
                let p = partition_of(&bricks[i], &bricks[j]);
                let free = (used[i][p] | used[j][p]).trailing_ones() as u8;
                assert_eq!(BRICK_COLOURS * p as u8 + free, colour);
                used[i][p] |= 1 << free;
                used[j][p] |= 1 << free;
            }
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

    /// A grain with so many neighbours, which have none but it, and the colours of these pairs.
    fn star(rays: u32, bricks: &[[u32; PARTITIONS]]) -> Vec<u8> {
        let mut near = vec![Vec::new(); rays as usize + 1];
        for j in 1..=rays {
            near[0].push(j);
            near[j as usize].push(0);
        }
        let id: Vec<u32> = (0..=rays).collect();
        let pairs = coloured(&near, &id, &vec![false; id.len()], bricks, 1);
        pairs.iter().map(|pair| pair.2).collect()
    }

    /// More pairs at one grain than there are colours.
    #[test]
    fn what_finds_no_colour_is_the_rest() {
        let colours = star(100, &scattered(101));
        let rest = colours.iter().filter(|colour| **colour == REST).count();
        assert_eq!((colours.len(), rest), (100, 36));
    }

    #[test]
    fn what_finds_no_colour_in_its_brick_is_loose() {
        let colours = star(100, &vec![[7; PARTITIONS]; 101]);
        let loose = colours.iter().filter(|colour| (LOOSE..REST).contains(*colour)).count();
        let in_brick = colours.iter().filter(|colour| **colour < BRICK_COLOURS).count();
        assert_eq!((in_brick, loose), (32, 64));
        assert_eq!(colours.iter().filter(|colour| **colour == REST).count(), 4);
    }
}
