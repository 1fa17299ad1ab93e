//! Pairs of grains that may touch: half a neighbour list, and the way back from the partner.

use glam::{DVec3, Vec4};

use crate::contacts::{ContactMemory, Partner, keeps_pair};
use crate::neighbors::NeighborLists;
use crate::simd::LANES;
use crate::team::{self, BLOCK, block_count, block_range};

/// Force \[N\] and torque [N m] on a grain, and the number of its contacts.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub struct GrainLoad {
    /// The force, and 0.
    pub force: Vec4,
    /// The torque, and the number of contacts.
    pub torque: Vec4,
}

impl GrainLoad {
    /// Adds another load.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// The pairs that the particles of one block keep, in the order of the contact memory; the last one is repeated until there are
/// whole groups of sixteen.
#[derive(Clone, Debug, Default)]
pub struct PairBlock {
    /// The keeper's place in the block.
    pub keeper: Vec<u16>,
    /// The partner's place among all particles.
    pub other: Vec<u32>,
    /// Which of the block's sums is the partner's: its place in the block, or [`BLOCK`] and its place among the guests.
    pub slot: Vec<u32>,
    /// Whether some of a group of sixteen may remember something.
    pub touched: Vec<bool>,
    /// Partners from other blocks, in memory order.
    pub guests: Vec<u32>,
    /// Stress of the contacts times the volume \[J\], where it was asked for.
    pub stress: DVec3,
}

/// All pairs, and the loads that blocks of them put on grains.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Pairs per block of keepers.
    pub blocks: Vec<PairBlock>,
    /// First of the sums of every block, and the end of the last one's.
    pub offset: Vec<u32>,
    /// What the pairs of a block do: to each of its particles, then to each of its guests.
    pub sums: Vec<GrainLoad>,
    /// First of the sums that a particle has in other blocks, and the end of the last particle's.
    first: Vec<u32>,
    /// These sums, in the order of blocks.
    back: Vec<u32>,
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
        team::for_each_mut(&mut self.blocks, 1, |b, block| {
            block.keeper.clear();
            block.other.clear();
            for (k, i) in block_range(b, count).enumerate() {
                block.other.extend(kept(i).map(|j| j as u32));
                block.keeper.resize(block.other.len(), k as u16);
            }
            block.find_guests(b);
            block.fill_groups();
        });
        self.offset.clear();
        self.offset.push(0);
        for block in &self.blocks {
            let sums = (BLOCK + block.guests.len()) as u32;
            self.offset.push(self.offset[self.offset.len() - 1] + sums);
        }
        // What is there is written before it is read.
        self.sums.resize(self.offset[self.blocks.len()] as usize, GrainLoad::default());
        self.find_way_back(count);
    }

    /// Number of particles that pairs were listed for.
    pub fn particles(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Lists, for every particle, where it is a guest.
    fn find_way_back(&mut self, count: usize) {
        let Self { blocks, offset, first, back, .. } = self;
        first.clear();
        first.resize(count + 1, 0);
        for guest in blocks.iter().flat_map(|block| &block.guests) {
            first[*guest as usize + 1] += 1;
        }
        for i in 0..count {
            first[i + 1] += first[i];
        }
        back.clear();
        back.resize(first[count] as usize, 0);
        let mut next = first.clone();
        for (block, first_sum) in blocks.iter().zip(offset) {
            for (sum, guest) in (*first_sum + BLOCK as u32..).zip(&block.guests) {
                let at = &mut next[*guest as usize];
                back[*at as usize] = sum;
                *at += 1;
            }
        }
    }

    /// What the pairs of a block do to its own particles.
    #[inline]
    pub fn loads_of_block(&self, block: usize) -> &[GrainLoad] {
        let first = self.offset[block] as usize;
        &self.sums[first..first + BLOCK]
    }

    /// What the pairs of other blocks do to a particle.
    #[inline]
    pub fn loads_from_others(&self, particle: usize) -> impl Iterator<Item = &GrainLoad> {
        let range = self.first[particle] as usize..self.first[particle + 1] as usize;
        self.back[range].iter().map(|&sum| &self.sums[sum as usize])
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let of_block = |block: &PairBlock| {
            let words = block.other.capacity() + block.slot.capacity() + block.guests.capacity();
            2 * block.keeper.capacity() + 4 * words + block.touched.capacity()
        };
        self.blocks.iter().map(of_block).sum::<usize>()
            + size_of::<GrainLoad>() * self.sums.capacity()
            + 4 * (self.offset.capacity() + self.first.capacity() + self.back.capacity())
    }
}

impl PairBlock {
    /// Finds the partners from other blocks, and where the loads on partners go.
    fn find_guests(&mut self, block: usize) {
        let own = |j: u32| j as usize / BLOCK == block;
        self.guests.clear();
        self.guests.extend(self.other.iter().filter(|j| !own(**j)));
        self.guests.sort_unstable();
        self.guests.dedup();
        self.slot.clear();
        let guests = &self.guests;
        self.slot.extend(self.other.iter().map(|&j| {
            let place = if own(j) { j as usize % BLOCK } else { BLOCK + guests.partition_point(|g| *g < j) };
            place as u32
        }));
    }

    /// Repeats the last pair until groups are whole; all of them may have touched.
    fn fill_groups(&mut self) {
        let groups = self.other.len().div_ceil(LANES);
        let last = self.other.len().saturating_sub(1);
        let padded = LANES * groups;
        self.keeper.resize(padded, self.keeper.get(last).copied().unwrap_or_default());
        self.other.resize(padded, self.other.get(last).copied().unwrap_or_default());
        self.slot.resize(padded, self.slot.get(last).copied().unwrap_or_default());
        self.touched.clear();
        self.touched.resize(groups, true);
    }
}
