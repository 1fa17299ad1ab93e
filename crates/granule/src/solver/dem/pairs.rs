//! Pairs of grains that may touch: half a neighbour list, and the way back from the partner.

use crate::contacts::{ContactMemory, Partner, keeps_pair};
use crate::neighbors::NeighborLists;
use crate::team::{self, block_count, block_range};

/// A pair that does not touch.
pub const APART: u32 = u32::MAX;

/// Force and torques of a contact, four numbers each.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default)]
pub struct PairLoad {
    /// Force on the keeper of the pair \[N\], and the radius of contact \[m\].
    pub force: [f32; 4],
    /// Torque on the keeper [N m], and the force along the normal \[N\].
    pub torque_i: [f32; 4],
    /// Torque on its partner [N m], and the force along the normal \[N\].
    pub torque_j: [f32; 4],
}

/// The pairs that the particles of one block keep, in the order of the contact memory.
#[derive(Clone, Debug, Default)]
pub struct PairBlock {
    /// The keeper's place in the block.
    pub keeper: Vec<u16>,
    /// The partner's place among all particles.
    pub other: Vec<u32>,
    /// Where the pair's load is, or [`APART`].
    pub slot: Vec<u32>,
    /// Pairs that are near enough to touch.
    pub near: Vec<u32>,
    /// Loads of those, and some more room.
    pub load: Vec<PairLoad>,
}

/// A pair, seen from the partner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Return {
    /// Block of the keeper.
    pub block: u32,
    /// Number of the pair there.
    pub pair: u32,
}

/// All pairs.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Pairs per block of keepers.
    pub blocks: Vec<PairBlock>,
    /// First of the pairs that a particle is the partner in, and the end of the last particle's.
    pub first: Vec<u32>,
    /// These pairs, in the order of their keepers.
    pub back: Vec<Return>,
}

impl Pairs {
    /// Lists the pairs of particles in a new order, and takes over what contacts remember. `skip` tells of pairs that never
    /// touch: two members of one rigid grain, or two that are held.
    pub fn rebuild(
        &mut self,
        lists: &NeighborLists,
        id: &[u32],
        sources: &[u32],
        memory: &mut ContactMemory<[f32; 8]>,
        skip: impl Fn(usize, usize) -> bool + Sync,
    ) {
        let count = id.len();
        let skip = &skip;
        let kept = |i: usize| lists.of(i).filter(move |&j| keeps_pair(id[i], id[j]) && !skip(i, j));
        memory.rebuild(sources, |i, contacts| {
            kept(i).for_each(|j| contacts.carry(Partner::particle(id[j])));
        });
        self.blocks.resize_with(block_count(count), PairBlock::default);
        let states = memory.blocks();
        team::for_each_mut(&mut self.blocks, 1, |b, block| {
            block.keeper.clear();
            block.other.clear();
            for (k, i) in block_range(b, count).enumerate() {
                block.other.extend(kept(i).map(|j| j as u32));
                block.keeper.resize(block.other.len(), k as u16);
            }
            block.slot.clear();
            let touched = states[b].states().iter().map(|state| if *state == [0.0; 8] { APART } else { 0 });
            block.slot.extend(touched);
        });
        self.find_way_back(count);
    }

    /// Lists, for every particle, the pairs that others keep with it.
    fn find_way_back(&mut self, count: usize) {
        self.first.clear();
        self.first.resize(count + 1, 0);
        let Self { blocks, first, back } = self;
        for other in blocks.iter().flat_map(|block| &block.other) {
            first[*other as usize + 1] += 1;
        }
        for i in 0..count {
            first[i + 1] += first[i];
        }
        back.clear();
        back.resize(first[count] as usize, Return::default());
        let mut next = first.clone();
        for (b, block) in blocks.iter().enumerate() {
            for (pair, other) in block.other.iter().enumerate() {
                let at = &mut next[*other as usize];
                back[*at as usize] = Return { block: b as u32, pair: pair as u32 };
                *at += 1;
            }
        }
    }

    /// The pairs that others keep with a particle, which touch, by their loads.
    #[inline]
    pub fn loads_from_others(&self, particle: usize) -> impl Iterator<Item = &PairLoad> {
        let range = self.first[particle] as usize..self.first[particle + 1] as usize;
        self.back[range].iter().filter_map(|back| {
            let block = &self.blocks[back.block as usize];
            block.load.get(block.slot[back.pair as usize] as usize)
        })
    }

    /// Number of pairs that are near enough to touch.
    pub fn near_count(&self) -> usize {
        self.blocks.iter().map(|block| block.near.len()).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let of_block = |block: &PairBlock| {
            2 * block.keeper.capacity()
                + 4 * (block.other.capacity() + block.slot.capacity() + block.near.capacity())
                + size_of::<PairLoad>() * block.load.capacity()
        };
        self.blocks.iter().map(of_block).sum::<usize>() + 4 * self.first.capacity() + 8 * self.back.capacity()
    }
}
