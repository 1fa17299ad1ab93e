//! Who may touch whom: of the neighbours of a grain those whose pairs it keeps, and that it may meet on its way.
//!
//! Neighbours lie side by side for sixteen grains, and so they are looked at: one of each at a time.

use std::ops::Range;

use glam::Vec4;

use crate::contacts::keeps_pair;
use crate::neighbors::{Domain, NeighborBlock};
use crate::simd::{LANES, Lanes, Vectorised};
use crate::team::{self, BLOCK, block_count, block_range};

use super::groups::PairInput;
use super::path::{Capsule, meet};

/// Of no body.
const FREE: u16 = u16::MAX;

/// What tells who may be a partner of a grain, close together.
#[derive(Clone, Copy, Debug)]
struct GrainMark {
    id: u32,
    /// Number of the body that it is a particle of.
    body: u16,
    held: bool,
    /// Whether it is listed along a way.
    has_way: bool,
}

impl GrainMark {
    fn of(input: &PairInput, i: usize) -> Self {
        let material = input.material[i];
        let body = if input.laws.of_body(material) { material } else { FREE };
        Self { id: input.id[i], body, held: input.held(i), has_way: !input.path[i].is_short() }
    }

    /// Whether a grain keeps the memory of its pair with another one. Particles of one body never touch each other.
    #[inline(always)]
    fn keeps(self, other: Self) -> bool {
        let never = self.held & other.held | (self.body == other.body) & (self.body != FREE);
        keeps_pair(self.id, other.id) & !never
    }
}

/// Who may touch whom.
#[derive(Clone, Debug, Default)]
pub struct Partners {
    /// By blocks of the grains that keep the pairs.
    pub blocks: Vec<PartnerBlock>,
    marks: Vec<GrainMark>,
    capsules: Vec<Capsule>,
}

/// Who may touch whom, of the grains of a block: the partners whose pairs they keep.
#[derive(Clone, Debug, Default)]
pub struct PartnerBlock {
    /// First partner of every grain, and the end of the last one's.
    first: Vec<u32>,
    kept: Vec<u32>,
    /// The same of sixteen grains, as they are found: one list after the other.
    found: Vec<u32>,
}

impl Partners {
    /// Finds all partners.
    pub fn list(&mut self, input: &PairInput) {
        let count = input.id.len();
        let Self { blocks, marks, capsules } = self;
        team::fill(marks, count, |i| GrainMark::of(input, i));
        team::fill(capsules, count, |i| input.path[i].capsule(input.domain, input.listed[i]));
        let grains = Grains { domain: input.domain, listed: input.listed, marks, capsules };
        blocks.resize_with(block_count(count), PartnerBlock::default);
        team::for_each_mut(blocks, 1, |b, block| {
            let (neighbors, range) = (&input.lists.blocks[b], block_range(b, count));
            input.instructions.run(ListPartners { grains, neighbors, range, block });
        });
    }

    /// Partners whose pairs a grain keeps.
    pub fn of(&self, i: usize) -> &[u32] {
        let block = &self.blocks[i / BLOCK];
        &block.kept[block.range_of(i % BLOCK)]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let of_block = |block: &PartnerBlock| {
            4 * (block.first.capacity() + block.kept.capacity() + block.found.capacity())
        };
        self.blocks.iter().map(of_block).sum::<usize>()
            + size_of::<GrainMark>() * self.marks.capacity()
            + size_of::<Capsule>() * self.capsules.capacity()
    }
}

impl PartnerBlock {
    /// All partners, grain by grain.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }

    /// Where the partners of the block's `k`-th grain are among them.
    pub fn range_of(&self, k: usize) -> Range<usize> {
        self.first[k] as usize..self.first[k + 1] as usize
    }
}

/// What is known of all grains.
#[derive(Clone, Copy)]
struct Grains<'a> {
    domain: &'a Domain,
    listed: &'a [Vec4],
    marks: &'a [GrainMark],
    capsules: &'a [Capsule],
}

/// Lists the partners of a block.
struct ListPartners<'a> {
    grains: Grains<'a>,
    neighbors: &'a NeighborBlock,
    range: Range<usize>,
    block: &'a mut PartnerBlock,
}

impl Vectorised for ListPartners<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { grains, neighbors, range, block: PartnerBlock { first, kept, found } } = self;
        first.clear();
        first.push(0);
        kept.clear();
        for (g, start) in range.clone().step_by(LANES).enumerate() {
            let group = neighbors.group(g);
            let room = group.base.len();
            found.resize(LANES * room, 0);
            let mut count = [0; LANES];
            let mut places = [start as u32; LANES];
            for (place, i) in places.iter_mut().zip(start..) {
                *place = i.min(range.end - 1) as u32;
            }
            let own = Sixteen::<L>::new(&grains, &places);
            for ((base, mask), slot) in group.base.iter().zip(group.mask).zip(group.slots) {
                // In lanes without a neighbour it is the lowest of the others.
                let mut places = [*base; LANES];
                for (place, delta) in places.iter_mut().zip(slot.delta) {
                    *place += u32::from(delta);
                }
                let mut left = own.partners(&grains, &places, u32::from(*mask));
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    found[lane * room + count[lane]] = places[lane];
                    count[lane] += 1;
                }
            }
            for lane in 0..LANES.min(range.end - start) {
                kept.extend_from_slice(&found[lane * room..lane * room + count[lane]]);
                first.push(kept.len() as u32);
            }
        }
    }
}

/// Sixteen grains: how they are listed, and what tells who may be their partners.
struct Sixteen<L> {
    marks: [GrainMark; LANES],
    /// Which are listed along ways, as bits.
    ways: u32,
    at: [L; 3],
    capsule: [L; 4],
}

impl<L: Lanes> Sixteen<L> {
    #[inline(always)]
    fn new(grains: &Grains, places: &[u32; LANES]) -> Self {
        let (mut marks, mut ways) = ([grains.marks[places[0] as usize]; LANES], 0);
        for lane in 0..LANES {
            marks[lane] = grains.marks[places[lane] as usize];
            ways |= u32::from(marks[lane].has_way) << lane;
        }
        let (at, capsule) = grains.listed_at(places);
        Self { marks, ways, at, capsule }
    }

    /// Which of sixteen neighbours, one of each grain, are partners whose pairs it keeps.
    #[inline(always)]
    fn partners(&self, grains: &Grains, places: &[u32; LANES], mask: u32) -> u32 {
        let (mut kept, mut ways) = (0, self.ways);
        for (lane, place) in places.iter().enumerate() {
            let other = grains.marks[*place as usize];
            kept |= u32::from(self.marks[lane].keeps(other)) << lane;
            ways |= u32::from(other.has_way) << lane;
        }
        kept &= mask;
        // Those without any way are as near as spheres are listed.
        if kept & ways == 0 {
            return kept;
        }
        let (at, capsule) = grains.listed_at(places);
        kept & (!ways | meet(grains.domain, (self.at, self.capsule), (at, capsule)))
    }
}

impl Grains<'_> {
    /// Where sixteen grains were listed, whose marks were looked at, and their capsules.
    #[inline(always)]
    fn listed_at<L: Lanes>(&self, places: &[u32; LANES]) -> ([L; 3], [L; 4]) {
        let count = self.marks.len();
        let (listed, capsules) = (&self.listed[..count], &self.capsules[..count]);
        debug_assert!(places.iter().all(|place| (*place as usize) < count));
        let (listed, capsules): (*const f32, *const f32) = (listed.as_ptr().cast(), capsules.as_ptr().cast());
        // SAFETY: columns have rows of four numbers for all grains that have marks, as these do.
        let ([x, y, z, _], capsule): ([L; 4], [L; 4]) = unsafe {
            (
                L::from_rows_at(|lane| listed.add(4 * places[lane] as usize)),
                L::from_rows_at(|lane| capsules.add(4 * places[lane] as usize)),
            )
        };
        ([x, y, z], capsule)
    }
}
