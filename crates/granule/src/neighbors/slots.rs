//! Slots: the neighbours of sixteen particles side by side, and what a solver keeps per pair.
//!
//! Particles are taken in groups of sixteen, one per lane. A group's list is a sequence of slots; in each slot, every
//! lane holds one neighbour of its particle, or nothing. A pass over pairs works on whole slots, so that every
//! instruction serves sixteen particles, sums need no reduction, and the order of each particle's sum does not depend
//! on the width of the processor's registers. A pair takes two bytes of index, relative to the slot's first neighbour,
//! and whatever its solver adds.

use std::ops::RangeInclusive;

use crate::simd::{LANES, Lanes};
use crate::team::BLOCK;

/// What a solver keeps per pair, for the sixteen pairs of a slot: `()` for nothing, `[[i16; LANES]; 3]` for gradients.
///
/// New slots hold the default. A slot that is used again keeps what is in it: who has a payload writes it after every
/// build, for lanes without a neighbour, too.
pub trait Payload: Copy + Default + Send + Sync {}

impl<P: Copy + Default + Send + Sync> Payload for P {}

/// One neighbour for each of sixteen particles.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Slot<P = ()> {
    /// Index of the neighbour, less the slot's base; 0 in lanes without one.
    pub delta: [u16; LANES],
    /// What the solver keeps of these pairs.
    pub payload: P,
}

/// Largest distance of two neighbours in one slot, in places in memory.
const REACH_OF_SLOT: u32 = u16::MAX as u32;

/// The neighbours of the particles of one block, without the particles themselves.
#[derive(Clone, Debug, Default)]
pub struct NeighborBlock<P = ()> {
    /// First slot of every group, and the end of the last.
    first: Vec<u32>,
    /// Lowest neighbour of every slot.
    base: Vec<u32>,
    /// Lanes of every slot that hold a neighbour, as bits.
    mask: Vec<u16>,
    /// At least as many slots as there are bases.
    slots: Vec<Slot<P>>,
    /// Number of neighbours of all particles of the block.
    pub(super) pairs: usize,
    /// All neighbours lie from the first to before the second.
    extent: (u32, u32),
}

impl<P: Payload> NeighborBlock<P> {
    /// The slots of the block's `g`-th group.
    #[inline(always)]
    pub fn group(&self, g: usize) -> Group<'_, P> {
        let range = self.first[g] as usize..self.first[g + 1] as usize;
        Group { base: &self.base[range.clone()], mask: &self.mask[range.clone()], slots: &self.slots[range] }
    }

    /// The slots of the block's `g`-th group, with payloads to be written.
    #[inline(always)]
    pub fn group_mut(&mut self, g: usize) -> (&[u32], &[u16], &mut [Slot<P>]) {
        let range = self.first[g] as usize..self.first[g + 1] as usize;
        (&self.base[range.clone()], &self.mask[range.clone()], &mut self.slots[range])
    }

    /// The blocks that the neighbours of this one lie in.
    pub fn neighbor_blocks(&self) -> RangeInclusive<usize> {
        self.extent.0 as usize / BLOCK..=(self.extent.1.max(1) - 1) as usize / BLOCK
    }

    /// Number of neighbours of the block's `k`-th particle.
    pub fn count(&self, k: usize) -> usize {
        self.group(k / LANES).mask.iter().filter(|mask| **mask >> (k % LANES) & 1 == 1).count()
    }

    /// The neighbours of the block's `k`-th particle, ascending per row of cells.
    pub fn of(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        let (group, lane) = (self.group(k / LANES), k % LANES);
        (0..group.base.len())
            .filter(move |&s| group.mask[s] >> lane & 1 == 1)
            .map(move |s| group.base[s] as usize + group.slots[s].delta[lane] as usize)
    }

    /// Forgets all neighbours.
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.base.clear();
        self.mask.clear();
        self.pairs = 0;
        self.first.push(0);
        self.extent = (u32::MAX, 0);
    }

    /// Adds the neighbours of the next sixteen particles.
    #[inline(always)]
    pub(super) fn push_group<L: Lanes>(&mut self, found: &LaneLists) {
        self.extent.0 = self.extent.0.min(found.extent.0);
        self.extent.1 = self.extent.1.max(found.extent.1);
        fill_slots::<L, P>(found, self);
        self.first.push(self.base.len() as u32);
    }

    /// Makes room for more slots and returns the first one's number.
    fn begin(&mut self, count: usize) -> usize {
        let at = self.base.len();
        if self.slots.len() < at + count {
            let needed = (at + count).max(at + at / 8);
            self.slots.reserve_exact(needed - self.slots.len());
            self.slots.resize(needed, Slot::default());
        }
        at
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.first.capacity() + self.base.capacity())
            + 2 * self.mask.capacity()
            + size_of::<Slot<P>>() * self.slots.capacity()
    }
}

/// The slots of sixteen particles.
#[derive(Clone, Copy)]
pub struct Group<'a, P = ()> {
    /// Lowest neighbour of every slot.
    pub base: &'a [u32],
    /// Lanes that hold a neighbour, as bits.
    pub mask: &'a [u16],
    /// The slots.
    pub slots: &'a [Slot<P>],
}

/// Neighbours of sixteen particles as they are found, one list after the other.
#[derive(Default)]
pub(super) struct LaneLists {
    /// Room per lane.
    pub(super) stride: usize,
    pub(super) index: Vec<u32>,
    pub(super) count: [u32; LANES],
    /// Lowest candidate of all lanes, and one past the highest.
    pub(super) extent: (u32, u32),
}

impl LaneLists {
    /// Forgets all neighbours.
    pub(super) fn clear(&mut self) {
        self.count = [0; LANES];
        self.extent = (u32::MAX, 0);
    }

    /// Room for `most` more neighbours of a lane and sixteen that are written and not kept.
    #[inline(always)]
    pub(super) fn room(&mut self, lane: usize, most: usize) -> &mut [u32] {
        let count = self.count[lane] as usize;
        if self.stride < count + most + LANES {
            self.reserve(count + most);
        }
        &mut self.index[lane * self.stride + count..(lane + 1) * self.stride]
    }

    /// Keeps the first `count` of what was written to the room of a lane, which ascends.
    #[inline(always)]
    pub(super) fn add(&mut self, lane: usize, count: usize) {
        if count > 0 {
            let from = lane * self.stride + self.count[lane] as usize;
            let (first, last) = (self.index[from], self.index[from + count - 1]);
            self.extent = (self.extent.0.min(first), self.extent.1.max(last + 1));
            self.count[lane] += count as u32;
        }
    }

    /// Makes room for these candidates.
    #[inline(always)]
    pub(super) fn prepare(&mut self, ranges: &[(u32, u32)]) {
        let mut most = 0;
        for &(from, to) in ranges {
            most += (to - from) as usize;
            self.extent = (self.extent.0.min(from), self.extent.1.max(to));
        }
        if self.stride < most + LANES {
            self.reserve(most);
        }
    }

    /// Makes room for `most` neighbours per lane and sixteen more that are written and not kept.
    #[cold]
    fn reserve(&mut self, most: usize) {
        let stride = (most + LANES).next_power_of_two();
        let mut index = vec![0; stride * LANES];
        for (old, new) in self.index.chunks(self.stride.max(1)).zip(index.chunks_mut(stride)) {
            new[..old.len()].copy_from_slice(old);
        }
        (self.stride, self.index) = (stride, index);
    }
}

/// Turns the lists of sixteen particles into slots.
#[inline(always)]
fn fill_slots<L: Lanes, P: Payload>(found: &LaneLists, block: &mut NeighborBlock<P>) {
    let most = found.count.iter().copied().max().unwrap_or(0) as usize;
    let (lowest, end) = found.extent;
    // No row at all has no extent.
    if end.saturating_sub(lowest) > REACH_OF_SLOT {
        return fill_slots_far(found, block);
    }
    let at = block.begin(most);
    block.base.resize(at + most, lowest);
    block.mask.resize(at + most, 0);
    for k in 0..most {
        // SAFETY: every lane has room for the longest list.
        let (delta, mask) = unsafe { L::take_row(&found.index, found.stride, k, &found.count, lowest) };
        block.slots[at + k].delta = delta;
        block.mask[at + k] = mask as u16;
    }
    block.pairs += found.count.iter().sum::<u32>() as usize;
}

/// As [`fill_slots`], for neighbours far apart in memory: one that is too far off for its slot waits for a later one;
/// the order within each lane stays.
#[cold]
fn fill_slots_far<P: Payload>(found: &LaneLists, block: &mut NeighborBlock<P>) {
    let mut cursor = [0u32; LANES];
    loop {
        let next: [u32; LANES] = std::array::from_fn(|lane| {
            let place = lane * found.stride + cursor[lane] as usize;
            if cursor[lane] < found.count[lane] { found.index[place] } else { u32::MAX }
        });
        let base = next.into_iter().min().unwrap_or(u32::MAX);
        if base == u32::MAX {
            return;
        }
        let mut slot = [0u16; LANES];
        let mut mask = 0u16;
        for lane in 0..LANES {
            let fits = next[lane] != u32::MAX && next[lane] - base <= REACH_OF_SLOT;
            slot[lane] = if fits { (next[lane] - base) as u16 } else { 0 };
            cursor[lane] += fits as u32;
            mask |= (fits as u16) << lane;
        }
        let at = block.begin(1);
        block.slots[at].delta = slot;
        block.base.push(base);
        block.mask.push(mask);
        block.pairs += mask.count_ones() as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    #[test]
    fn a_pair_takes_two_bytes_and_what_its_solver_adds() {
        assert_eq!(size_of::<Slot>(), 2 * LANES);
        assert_eq!(size_of::<Slot<[[i16; LANES]; 3]>>(), 8 * LANES);
    }

    #[test]
    fn neighbours_far_apart_in_memory_wait_for_another_slot() {
        let mut found = LaneLists::default();
        found.reserve(4);
        found.count[..3].copy_from_slice(&[2, 3, 1]);
        for (lane, list) in [vec![5, 90_000], vec![70_000, 70_001, 900_000], vec![40]].iter().enumerate() {
            found.index[lane * found.stride..][..list.len()].copy_from_slice(list);
        }
        found.extent = (5, 900_001);
        let mut block = NeighborBlock::<()>::default();
        block.clear();
        block.push_group::<Portable>(&found);
        assert_eq!(block.of(0).collect::<Vec<_>>(), [5, 90_000]);
        assert_eq!(block.of(1).collect::<Vec<_>>(), [70_000, 70_001, 900_000]);
        assert_eq!(block.of(2).collect::<Vec<_>>(), [40]);
        assert_eq!((block.count(3), block.pairs), (0, 6));
    }
}
