//! Colours of pairs: pairs of one colour share no grain that moves, so all of them can be solved at once, in any order.
//!
//! Every pair has a key, a whole number that is hashed from the ids of its grains and that no other pair has. A pair whose key is
//! the largest of all that are left at both of its grains takes the smallest colour that neither grain has (Jones and Plassmann
//! 1993). The colours are those of a greedy pass in the order of keys, whoever goes first: they depend on ids and on who is a
//! neighbour, on nothing else. Grains that are held have no colours.
//!
//! Here the pairs of every grain are sorted by their keys once, and rounds look only at pairs whose turn has come: all that are the
//! largest at both grains get their colours, and then the next pair of each of these grains is looked at.

use crate::simd::{Instructions, Lanes, Vectorised};
use crate::team::{self, BLOCK, SharedColumn, block_count, block_range};

/// The colour of pairs that find none free: they are solved one after the other.
pub const REST: u8 = 64;

/// Somebody else writes the colour.
pub const NOBODY: u32 = u32::MAX;

/// Pairs that a member of the team colours at a time.
const CHUNK: usize = 128;

/// A partner of a grain.
#[derive(Clone, Copy, Debug)]
pub struct Coloured {
    /// The other grain.
    pub other: u32,
    /// The pair, for who writes its colour; else [`NOBODY`].
    pub pair: u32,
}

/// The pairs of the grains of a block, of each grain those with the largest keys first.
#[derive(Clone, Debug, Default)]
struct ColourBlock {
    partners: Vec<Coloured>,
    ids: [Vec<u32>; 2],
    keys: Vec<u64>,
    sorted: Vec<(u64, Coloured)>,
}

/// How far a grain is.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// Colours that it has, a bit each.
    used: u64,
    /// Partner in the pair with the largest key that is left; [`NOBODY`] where none is.
    next: u32,
    /// Place of that pair among the partners of its block, and the end of the grain's.
    head: u32,
    end: u32,
    /// Round in which it came to this pair.
    round: u32,
}

/// Memory for colouring.
#[derive(Clone, Debug, Default)]
pub struct Colouring {
    blocks: Vec<ColourBlock>,
    progress: Vec<Progress>,
    /// One grain of each pair whose turn it is.
    ready: Vec<u32>,
    next: Vec<Vec<u32>>,
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
    /// Colours the pairs of grains. `list` gives the partners of a grain, with the number of the pair where this grain
    /// is to write its colour; `id` are the ids and `held` tells who never moves.
    pub fn colour(
        &mut self,
        instructions: Instructions,
        id: &[u32],
        held: impl Fn(usize) -> bool + Sync,
        list: impl Fn(usize, &mut Vec<Coloured>) + Sync,
        colours: &mut [u8],
    ) {
        let count = id.len();
        self.blocks.resize_with(block_count(count), ColourBlock::default);
        let none = Progress { used: 0, next: NOBODY, head: 0, end: 0, round: 0 };
        self.progress.clear();
        self.progress.resize(count, none);
        let (blocks, progress) = (&mut self.blocks[..], &mut self.progress[..]);
        team::for_each_block(count, 1, (team::PerBlock(blocks), progress), |b, (block, progress)| {
            block.begin();
            for (i, own) in block_range(b, count).zip(progress.iter_mut()) {
                own.head = block.partners.len() as u32;
                if !held(i) {
                    list(i, &mut block.partners);
                }
                own.end = block.partners.len() as u32;
                block.note_ids(id, i, own.head as usize);
            }
            block.sort(instructions, progress);
        });
        self.begin_rounds(&held);
        let colours = SharedColumn::of(colours);
        let mut round = 0;
        while !self.ready.is_empty() {
            round += 1;
            self.run_round(round, &held, |pair, colour| {
                // SAFETY: a pair gets its colour once.
                unsafe { *colours.get_mut(pair as usize) = colour };
            });
        }
    }

    /// Finds the pairs that are the largest at both of their grains from the beginning.
    fn begin_rounds(&mut self, held: &(impl Fn(usize) -> bool + Sync)) {
        let Self { blocks, progress, ready, next } = self;
        let (blocks, progress) = (blocks.len(), &progress[..]);
        next.resize_with(next.len().max(blocks), Vec::new);
        team::for_each_mut(&mut next[..blocks], team::QUICK, |b, next| {
            next.clear();
            for i in block_range(b, progress.len()) {
                push_if_ready(progress, i as u32, held, next);
            }
        });
        ready.clear();
        next[..blocks].iter().for_each(|next| ready.extend_from_slice(next));
    }

    /// Colours the pairs whose turn it is, and finds those that follow.
    fn run_round(
        &mut self,
        round: u32,
        held: &(impl Fn(usize) -> bool + Sync),
        write: impl Fn(u32, u8) + Sync,
    ) {
        let Self { blocks, progress, ready, next } = self;
        let chunks = ready.len().div_ceil(CHUNK);
        let chunk = |c: usize| &ready[c * CHUNK..ready.len().min((c + 1) * CHUNK)];
        let blocks = &blocks[..];
        let shared = SharedColumn::of(&mut progress[..]);
        team::for_each(chunks, 2, |c| {
            for &i in chunk(c) {
                // SAFETY: a grain is in one pair whose turn it is, so nobody else uses these two.
                unsafe { colour_pair(blocks, &shared, i, round, held, &write) };
            }
        });
        next.resize_with(next.len().max(chunks), Vec::new);
        let progress = &progress[..];
        team::for_each_mut(&mut next[..chunks], 2, |c, next| {
            next.clear();
            for &i in chunk(c) {
                let before = partner(blocks, i, progress[i as usize].head - 1).other;
                push_if_ready(progress, i, held, next);
                if !held(before as usize) {
                    push_if_ready(progress, before, held, next);
                }
            }
        });
        ready.clear();
        next[..chunks].iter().for_each(|next| ready.extend_from_slice(next));
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let of_block = |block: &ColourBlock| {
            8 * (block.partners.capacity() + block.keys.capacity() + block.ids[0].capacity())
        };
        self.blocks.iter().map(of_block).sum::<usize>() + size_of::<Progress>() * self.progress.capacity()
    }
}

fn partner(blocks: &[ColourBlock], grain: u32, at: u32) -> Coloured {
    blocks[grain as usize / BLOCK].partners[at as usize]
}

/// Notes a grain whose next pair is the next of its partner, too. Where both came to it in the same round, the first does.
fn push_if_ready(progress: &[Progress], grain: u32, held: &impl Fn(usize) -> bool, ready: &mut Vec<u32>) {
    let own = &progress[grain as usize];
    if own.next == NOBODY {
        return;
    }
    let other = &progress[own.next as usize];
    let first = other.round != own.round || grain < own.next;
    if other.next == grain && first || held(own.next as usize) {
        ready.push(grain);
    }
}

/// Gives a grain's next pair a colour.
///
/// # Safety
/// Nobody else may use the progress of the grain and its partner meanwhile.
unsafe fn colour_pair(
    blocks: &[ColourBlock],
    progress: &SharedColumn<Progress>,
    grain: u32,
    round: u32,
    held: &impl Fn(usize) -> bool,
    write: &impl Fn(u32, u8),
) {
    // SAFETY: the caller promises that nobody else uses it.
    let own = unsafe { progress.get_mut(grain as usize) };
    let Coloured { other, mut pair } = partner(blocks, grain, own.head);
    let colour;
    if held(other as usize) {
        colour = own.used.trailing_ones() as u8;
    } else {
        // SAFETY: as above.
        let at_other = unsafe { progress.get_mut(other as usize) };
        colour = (own.used | at_other.used).trailing_ones() as u8;
        if pair == NOBODY {
            pair = partner(blocks, other, at_other.head).pair;
        }
        at_other.advance(&blocks[other as usize / BLOCK], colour, round);
    }
    own.advance(&blocks[grain as usize / BLOCK], colour, round);
    write(pair, colour);
}

impl Progress {
    /// Goes on to the next pair.
    fn advance(&mut self, block: &ColourBlock, colour: u8, round: u32) {
        self.used |= 1u64.checked_shl(u32::from(colour)).unwrap_or(0);
        self.head += 1;
        self.next = if self.head < self.end { block.partners[self.head as usize].other } else { NOBODY };
        self.round = round;
    }
}

impl ColourBlock {
    fn begin(&mut self) {
        self.partners.clear();
        self.ids.iter_mut().for_each(Vec::clear);
    }

    /// Lower and higher ids of the pairs of a grain, whose entries begin at `first`.
    fn note_ids(&mut self, id: &[u32], grain: usize, first: usize) {
        let own = id[grain];
        let [low, high] = &mut self.ids;
        for partner in &self.partners[first..] {
            let other = id[partner.other as usize];
            low.push(own.min(other));
            high.push(own.max(other));
        }
    }

    /// Finds keys, and puts the pairs of every grain into their order.
    fn sort(&mut self, instructions: Instructions, progress: &mut [Progress]) {
        let Self { partners, ids, keys, sorted } = self;
        instructions.run(Keys { ids, keys: &mut *keys });
        for own in progress {
            let range = own.head as usize..own.end as usize;
            let (keys, partners) = (&keys[range.clone()], &mut partners[range]);
            sorted.clear();
            sorted.extend(keys.iter().copied().zip(partners.iter().copied()));
            sorted.sort_unstable_by_key(|(key, _)| std::cmp::Reverse(*key));
            partners.iter_mut().zip(sorted.iter()).for_each(|(place, (_, partner))| *place = *partner);
            own.next = partners.first().map_or(NOBODY, |first| first.other);
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
        let mut colours = vec![u8::MAX; pairs.len()];
        let list = |i: usize, partners: &mut Vec<Coloured>| {
            for &j in &near[i] {
                let writes = (i as u32) < j || held[j as usize];
                let pair = number(i as u32, j).unwrap() as u32;
                partners.push(Coloured { other: j, pair: if writes { pair } else { NOBODY } });
            }
        };
        let team = Team::new(threads).unwrap();
        team.install(|| {
            Colouring::default().colour(Instructions::best(), id, |i| held[i], list, &mut colours);
        });
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
