//! Where pairs lie: pack by pack, and within a pack colour by colour, sixteen places at a time.
//!
//! A pack is a few bricks of one partition. No pack of a partition has a grain of another one, so a pass gives each to one thread, which
//! goes through its colours without waiting for anybody. Which bricks share a pack has no meaning: it follows from where they are, and
//! how many packs there are from the number of grains. Loose pairs lie behind all packs, colour by colour, and behind these the
//! rest, one in sixteen places.
//!
//! | step | of |
//! | --- | --- |
//! | keys and packs of pairs, counted | chunks of pairs |
//! | pairs sorted by pack | chunks of pairs |
//! | pairs sorted by key, colours, groups counted | packs |
//! | loose pairs sorted by key, colours, groups counted | all of them, by one thread |
//! | places | packs |

use std::ops::Range;

use crate::simd::{Instructions, LANES};
use crate::team::{self, SharedColumn};

use super::bricks::{PARTITIONS, pack_of, packs_for, partition_of};
use super::colour::{
    BRICK_COLOURS, KeySort, Keyed, Keys, LOOSE_COLOURS, NEAR, REST, claim_in_bricks, claim_loose,
};

/// No pair.
pub const NOBODY: u32 = u32::MAX;

/// Fewest pairs that a member of the team takes.
const CHUNK: usize = 2048;

/// Fewest packs that one takes.
const FEW_PACKS: usize = 2;

/// The pairs that are put in order.
#[derive(Clone, Copy)]
pub struct OrderInput<'a> {
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

impl OrderInput<'_> {
    /// The partition in whose bricks the pair of two grains is.
    #[inline(always)]
    fn partition(&self, i: usize, j: usize) -> usize {
        if self.material[i].min(self.material[j]) >= self.first_of_bodies {
            return PARTITIONS;
        }
        partition_of(&self.brick[i], &self.brick[j])
    }
}

/// Some of the pairs.
#[derive(Clone, Debug, Default)]
struct Chunk {
    /// Lower and higher ids.
    ids: [Vec<u32>; 2],
    keys: Vec<u64>,
    /// The pack of each; one behind the last of loose pairs.
    packs: Vec<u32>,
    /// How many pairs each pack has; then where the next one goes.
    sizes: Vec<u32>,
}

/// The pairs of a pack, or the loose ones.
#[derive(Clone, Debug, Default)]
struct Pack {
    sort: KeySort,
    /// Pairs of each colour; then where the next one goes.
    places: Vec<u32>,
    /// Pairs that have found no colour.
    left: Vec<Keyed>,
}

impl Pack {
    /// Counts colours, and gives the number of groups that they take.
    fn count(&mut self, pairs: &[Keyed], colours: u8) -> usize {
        self.places.clear();
        self.places.resize(usize::from(colours) + 1, 0);
        pairs.iter().for_each(|pair| self.places[usize::from(pair.colour)] += 1);
        self.places[..usize::from(colours)].iter().map(|size| (*size as usize).div_ceil(LANES)).sum()
    }

    /// Says where the pairs of every colour go, from some group on: gives the first groups of all colours, and the end.
    fn begin(&mut self, mut group: usize, mut first: impl FnMut(usize)) {
        let (_, of_colours) = self.places.split_last_mut().expect("counted");
        for size in of_colours {
            first(group);
            let groups = (*size as usize).div_ceil(LANES);
            *size = (LANES * group) as u32;
            group += groups;
        }
        first(group);
    }
}

/// Where all pairs are, and memory to find it out.
#[derive(Clone, Debug, Default)]
pub struct PairOrder {
    /// Where each pair is among the groups: 16 times the group, and the place in it.
    pub at: Vec<u32>,
    /// Which pair is there, or [`NOBODY`].
    pub pair_at: Vec<u32>,
    /// First group of every pack, partition by partition, and the end of the last one's.
    first_of_pack: Vec<usize>,
    /// First group of every colour of loose pairs, and the end of the last one's.
    first_of_colour: Vec<usize>,
    chunks: Vec<Chunk>,
    /// First pair of every pack, and of the loose ones, and the end of these.
    first: Vec<u32>,
    keyed: Vec<Keyed>,
    packs: Vec<Pack>,
    /// Colours that grains have in each partition, a bit each.
    used: Vec<u32>,
    loose: Vec<Keyed>,
    of_loose: Pack,
    used_loose: Vec<u64>,
}

impl PairOrder {
    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.pair_at.len() / LANES
    }

    /// The groups of every pack of a partition.
    pub fn packs(&self, partition: usize) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        let count = (self.first_of_pack.len() - 1) / PARTITIONS;
        (partition * count..(partition + 1) * count).map(|k| self.pack(k))
    }

    fn pack(&self, k: usize) -> Range<usize> {
        self.first_of_pack[k]..self.first_of_pack[k + 1]
    }

    /// Does something with the groups of all packs, partition by partition, packs of each side by side.
    pub fn for_each_pack(&self, work: impl Fn(Range<usize>) + Sync) {
        let count = self.first_of_pack.len().saturating_sub(1) / PARTITIONS;
        for partition in 0..PARTITIONS {
            if !self.packs(partition).all(|groups| groups.is_empty()) {
                team::for_each(count, FEW_PACKS, |k| work(self.pack(partition * count + k)));
            }
        }
    }

    /// The groups of each colour of loose pairs that has some.
    pub fn loose_colours(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.first_of_colour.windows(2).map(|two| two[0]..two[1]).filter(|groups| !groups.is_empty())
    }

    /// The groups of all loose pairs that have a colour.
    pub fn loose(&self) -> Range<usize> {
        self.first_of_colour[0]..self.first_of_colour[usize::from(LOOSE_COLOURS)]
    }

    /// The groups of the rest, which are solved one after the other.
    pub fn rest(&self) -> Range<usize> {
        self.first_of_colour[usize::from(LOOSE_COLOURS)]..self.groups()
    }

    /// Finds the places of pairs, of which at least one grain moves. `held` tells who never does, `near` which pairs are near.
    pub fn find(
        &mut self,
        input: &OrderInput,
        held: impl Fn(usize) -> bool + Sync,
        near: impl Fn(usize) -> bool + Sync,
    ) {
        let packs = packs_for(input.id.len());
        self.sort_by_pack(input, packs, held, near);
        self.colour_packs(packs, input.id.len());
        self.colour_loose(packs, input.id.len());
        let groups = self.index_groups();
        self.place(groups);
    }

    /// Puts pairs together with those of their packs.
    fn sort_by_pack(
        &mut self,
        input: &OrderInput,
        packs: usize,
        held: impl Fn(usize) -> bool + Sync,
        near: impl Fn(usize) -> bool + Sync,
    ) {
        let count = input.keeper.len();
        let size = CHUNK.max(count.div_ceil(team::thread_count()));
        let pairs_of = |c: usize| c * size..count.min((c + 1) * size);
        self.chunks.resize_with(count.div_ceil(size), Chunk::default);
        team::for_each_mut(&mut self.chunks, 1, |c, chunk| chunk.find(input, packs, pairs_of(c), &near));
        self.index_packs(PARTITIONS * packs + 1);
        self.keyed.resize(count, Keyed::default());
        let keyed = SharedColumn::of(&mut self.keyed);
        team::for_each_mut(&mut self.chunks, 1, |c, Chunk { keys, packs, sizes, .. }| {
            for ((&key, &pack), p) in keys.iter().zip(&*packs).zip(pairs_of(c)) {
                let place = &mut sizes[pack as usize];
                let [mut i, mut j] = [input.keeper[p], input.other[p]];
                if held(i as usize) {
                    i = j;
                } else if held(j as usize) {
                    j = i;
                }
                // SAFETY: chunks have places of their own.
                unsafe {
                    *keyed.get_mut(*place as usize) =
                        Keyed { key, grains: [i, j], pair: p as u32, colour: REST };
                }
                *place += 1;
            }
        });
    }

    /// Finds where packs begin, and where each chunk puts its pairs of them.
    fn index_packs(&mut self, packs: usize) {
        let mut next = 0;
        self.first.clear();
        for pack in 0..packs {
            self.first.push(next);
            for chunk in &mut self.chunks {
                (chunk.sizes[pack], next) = (next, next + chunk.sizes[pack]);
            }
        }
        self.first.push(next);
    }

    /// Gives the pairs of packs their colours. Afterwards `first_of_pack` has the numbers of groups that packs take.
    fn colour_packs(&mut self, packs: usize, grains: usize) {
        let Self { first, first_of_pack, keyed, packs: states, used, .. } = self;
        team::fill(used, PARTITIONS * grains, |_| 0);
        states.resize_with(PARTITIONS * packs, Pack::default);
        first_of_pack.clear();
        first_of_pack.resize(PARTITIONS * packs + 1, 0);
        let (keyed, used) = (SharedColumn::of(keyed), SharedColumn::of(used));
        let groups = SharedColumn::of(first_of_pack);
        team::for_each_mut(states, FEW_PACKS, |k, pack| {
            // SAFETY: every pack is visited once; what grains of a pack have in its partition is nobody else's.
            unsafe {
                let pairs = keyed.range_mut(first[k] as usize..first[k + 1] as usize);
                pack.sort.sort(pairs);
                pack.left.clear();
                claim_in_bricks(pairs, k / packs, &used, &mut pack.left);
                *groups.get_mut(k) = pack.count(pairs, BRICK_COLOURS);
            }
        });
    }

    /// Gives loose pairs their colours, and those that have found none in their bricks.
    fn colour_loose(&mut self, packs: usize, grains: usize) {
        let Self { first, keyed, packs: states, loose, of_loose, used_loose, .. } = self;
        loose.clear();
        loose.extend_from_slice(&keyed[first[PARTITIONS * packs] as usize..]);
        states.iter().for_each(|pack| loose.extend_from_slice(&pack.left));
        if !loose.is_empty() {
            used_loose.clear();
            used_loose.resize(grains, 0);
            of_loose.sort.sort(loose);
            claim_loose(loose, used_loose);
        }
    }

    /// Finds the first groups of packs and of colours of loose pairs; gives the number of all.
    fn index_groups(&mut self) -> usize {
        let Self { first_of_pack, first_of_colour, loose, of_loose, .. } = self;
        let mut next = 0;
        for groups in first_of_pack.iter_mut() {
            (*groups, next) = (next, next + *groups);
        }
        let of_colours = of_loose.count(loose, LOOSE_COLOURS);
        first_of_colour.clear();
        of_loose.begin(next, |group| first_of_colour.push(group));
        let rest = &mut of_loose.places[usize::from(REST)];
        let size = *rest as usize;
        *rest = (LANES * (next + of_colours)) as u32;
        next + of_colours + size
    }

    fn place(&mut self, groups: usize) {
        let Self { at, pair_at, first_of_pack, first, keyed, packs, loose, of_loose, .. } = self;
        team::fill(pair_at, LANES * groups, |_| NOBODY);
        at.resize(keyed.len(), 0);
        for pair in &*loose {
            let place = &mut of_loose.places[usize::from(pair.colour)];
            (at[pair.pair as usize], pair_at[*place as usize]) = (*place, pair.pair);
            *place += if pair.colour == REST { LANES as u32 } else { 1 };
        }
        let (at, pair_at) = (SharedColumn::of(at), SharedColumn::of(pair_at));
        team::for_each_mut(packs, FEW_PACKS, |k, pack| {
            pack.begin(first_of_pack[k], |_| ());
            let pairs = &keyed[first[k] as usize..first[k + 1] as usize];
            for pair in pairs.iter().filter(|pair| pair.colour < BRICK_COLOURS) {
                let place = &mut pack.places[usize::from(pair.colour)];
                // SAFETY: every pair is visited once, and has a place of its own.
                unsafe {
                    *at.get_mut(pair.pair as usize) = *place;
                    *pair_at.get_mut(*place as usize) = pair.pair;
                }
                *place += 1;
            }
        });
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let of_chunk = |chunk: &Chunk| {
            8 * chunk.keys.capacity()
                + 4 * (chunk.packs.capacity() + chunk.sizes.capacity() + 2 * chunk.ids[0].capacity())
        };
        let of_pack = |pack: &Pack| {
            pack.sort.bytes() + 4 * pack.places.capacity() + size_of::<Keyed>() * pack.left.capacity()
        };
        4 * (self.at.capacity() + self.pair_at.capacity() + self.first.capacity() + self.used.capacity())
            + 8 * (self.first_of_pack.capacity()
                + self.first_of_colour.capacity()
                + self.used_loose.capacity())
            + self.chunks.iter().map(of_chunk).sum::<usize>()
            + size_of::<Keyed>() * (self.keyed.capacity() + self.loose.capacity())
            + self.packs.iter().chain([&self.of_loose]).map(of_pack).sum::<usize>()
    }
}

impl Chunk {
    /// Finds keys and packs of some pairs, and how many each pack has.
    fn find(
        &mut self,
        input: &OrderInput,
        packs_of_partition: usize,
        pairs: Range<usize>,
        near: &impl Fn(usize) -> bool,
    ) {
        let Self { ids: [low, high], .. } = self;
        low.clear();
        high.clear();
        for (i, j) in input.keeper[pairs.clone()].iter().zip(&input.other[pairs.clone()]) {
            let [i, j] = [input.id[*i as usize], input.id[*j as usize]];
            low.push(i.min(j));
            high.push(i.max(j));
        }
        input.instructions.run(Keys { ids: &self.ids, keys: &mut self.keys });
        let loose = PARTITIONS * packs_of_partition;
        self.sizes.clear();
        self.sizes.resize(loose + 1, 0);
        self.packs.clear();
        for (p, key) in pairs.zip(&mut self.keys) {
            let [i, j] = [input.keeper[p], input.other[p]].map(|grain| grain as usize);
            let partition = input.partition(i, j);
            let mut pack = loose;
            if partition < PARTITIONS {
                let of_partition = pack_of(input.brick[i][partition], packs_of_partition);
                pack = partition * packs_of_partition + of_partition;
                *key |= if near(p) { NEAR } else { 0 };
            }
            self.sizes[pack] += 1;
            self.packs.push(pack as u32);
        }
    }
}

#[cfg(test)]
mod tests;
