//! Compact neighbour lists: sixteen particles side by side.
//!
//! Particles are taken in groups of sixteen, one per lane. A group's list is a sequence of slots; in each slot, every
//! lane holds one neighbour of its particle, or nothing. A pass over pairs works on whole slots, so that every
//! instruction serves sixteen particles, sums need no reduction, and the order of each particle's sum does not depend
//! on the width of the processor's registers. A pair takes eight bytes: two of index, relative to the slot's first
//! neighbour, and six for its kernel gradient.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

use glam::Vec4;
use rayon::prelude::*;

use super::blocks::{BLOCK, block_count, block_range};
use super::cells::{CellIndex, Walk};
use super::domain::Domain;
use crate::simd::{Instructions, LANES, Lanes, Vectorised};

/// One neighbour for each of sixteen particles.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Index of the neighbour, less the slot's base; 0 in lanes without one.
    pub delta: [u16; LANES],
    /// Kernel gradients of the pairs along x, y, z in the solver's units; must be 0 in lanes without a neighbour.
    pub gradient: [[i16; LANES]; 3],
}

impl Slot {
    const EMPTY: Self = Self { delta: [0; LANES], gradient: [[0; LANES]; 3] };
}

/// Largest distance of two neighbours in one slot, in places in memory.
const REACH_OF_SLOT: u32 = u16::MAX as u32;

/// The neighbours of the particles of one block, without the particles themselves.
#[derive(Clone, Debug, Default)]
pub struct NeighborBlock {
    /// First slot of every group, and the end of the last.
    first: Vec<u32>,
    /// Lowest neighbour of every slot.
    base: Vec<u32>,
    /// Lanes of every slot that hold a neighbour, as bits.
    mask: Vec<u16>,
    /// At least as many slots as there are bases.
    slots: Vec<Slot>,
    pairs: usize,
    /// All neighbours lie from the first to before the second.
    extent: (u32, u32),
}

impl NeighborBlock {
    /// The slots of the block's `g`-th group.
    #[inline(always)]
    pub fn group(&self, g: usize) -> Group<'_> {
        let range = self.first[g] as usize..self.first[g + 1] as usize;
        Group { base: &self.base[range.clone()], mask: &self.mask[range.clone()], slots: &self.slots[range] }
    }

    /// The slots of the block's `g`-th group, with gradients to be written.
    #[inline(always)]
    pub fn group_mut(&mut self, g: usize) -> (&[u32], &[u16], &mut [Slot]) {
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

    /// Makes room for more slots and returns the first one's number.
    fn begin(&mut self, count: usize) -> usize {
        let at = self.base.len();
        if self.slots.len() < at + count {
            let needed = (at + count).max(at + at / 8);
            self.slots.reserve_exact(needed - self.slots.len());
            self.slots.resize(needed, Slot::EMPTY);
        }
        at
    }

    fn bytes(&self) -> usize {
        4 * (self.first.capacity() + self.base.capacity())
            + 2 * self.mask.capacity()
            + size_of::<Slot>() * self.slots.capacity()
    }
}

/// The slots of sixteen particles.
#[derive(Clone, Copy)]
pub struct Group<'a> {
    /// Lowest neighbour of every slot.
    pub base: &'a [u32],
    /// Lanes that hold a neighbour, as bits.
    pub mask: &'a [u16],
    /// The slots.
    pub slots: &'a [Slot],
}

/// Neighbour lists of all particles.
#[derive(Clone, Debug, Default)]
pub struct NeighborLists {
    /// Lists per block.
    pub blocks: Vec<NeighborBlock>,
    count: usize,
    coordinates: Coordinates,
}

impl NeighborLists {
    /// Lists every pair nearer than `reach` [m]; particles must be sorted by `cells`.
    pub fn build(
        &mut self,
        cells: &CellIndex,
        domain: &Domain,
        reach: f32,
        position: &[Vec4],
        instructions: Instructions,
    ) {
        let (search, blocks) = self.begin(cells, domain, reach, position, instructions);
        blocks.par_iter_mut().enumerate().for_each(|(b, block)| search.build(b, block));
    }

    /// Makes ready to build the lists block by block.
    pub fn begin<'a>(
        &'a mut self,
        cells: &'a CellIndex,
        domain: &'a Domain,
        reach: f32,
        position: &[Vec4],
        instructions: Instructions,
    ) -> (BlockSearch<'a>, &'a mut [NeighborBlock]) {
        self.count = position.len();
        self.blocks.resize_with(block_count(position.len()), NeighborBlock::default);
        self.coordinates.fill(position);
        let search = BlockSearch {
            cells,
            domain,
            reach,
            count: self.count,
            coordinates: &self.coordinates,
            instructions,
        };
        (search, &mut self.blocks)
    }

    /// The number of particles. Every neighbour in the lists is below it.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The neighbours of a particle.
    pub fn of(&self, particle: usize) -> impl Iterator<Item = usize> + '_ {
        self.blocks[particle / BLOCK].of(particle % BLOCK)
    }

    /// Number of neighbours of a particle.
    pub fn neighbor_count(&self, particle: usize) -> usize {
        self.blocks[particle / BLOCK].count(particle % BLOCK)
    }

    /// Number of neighbours of all particles together.
    pub fn total(&self) -> usize {
        self.blocks.iter().map(|block| block.pairs).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let coordinates: usize = self.coordinates.axis.iter().map(|axis| 4 * axis.capacity()).sum();
        coordinates + self.blocks.iter().map(NeighborBlock::bytes).sum::<usize>()
    }
}

/// Coordinates as separate columns, so that distances of many candidates are found at once.
#[derive(Clone, Debug, Default)]
struct Coordinates {
    /// Sixteen numbers longer than there are particles.
    axis: [Vec<f32>; 3],
}

impl Coordinates {
    fn fill(&mut self, position: &[Vec4]) {
        for (k, axis) in self.axis.iter_mut().enumerate() {
            axis.resize(position.len() + LANES, 0.0);
            let columns = axis.par_iter_mut().zip(position.par_iter()).with_min_len(4096);
            columns.for_each(|(slot, x)| *slot = x[k]);
        }
    }
}

thread_local! {
    static SCRATCH: RefCell<LaneLists> = RefCell::default();
}

/// Neighbours of sixteen particles as they are found, one list after the other.
#[derive(Default)]
struct LaneLists {
    /// Room per lane.
    stride: usize,
    index: Vec<u32>,
    count: [u32; LANES],
    /// Lowest candidate of all lanes, and one past the highest.
    extent: (u32, u32),
}

impl LaneLists {
    /// Makes room for these candidates.
    #[inline(always)]
    fn prepare(&mut self, ranges: &[(u32, u32)]) {
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

/// A search for neighbours, block by block.
#[derive(Clone, Copy)]
pub struct BlockSearch<'a> {
    cells: &'a CellIndex,
    domain: &'a Domain,
    reach: f32,
    count: usize,
    coordinates: &'a Coordinates,
    instructions: Instructions,
}

struct BuildBlock<'a> {
    search: BlockSearch<'a>,
    block: &'a mut NeighborBlock,
    range: Range<usize>,
    found: &'a mut LaneLists,
}

impl Vectorised for BuildBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { search, block, range, found } = self;
        block.first.clear();
        block.base.clear();
        block.mask.clear();
        block.pairs = 0;
        block.first.push(0);
        block.extent = (u32::MAX, 0);
        let periodic = search.domain.is_periodic();
        let mut walk = Walk::new(search.cells, range.start);
        for group in range.clone().step_by(LANES) {
            found.count = [0; LANES];
            found.extent = (u32::MAX, 0);
            for i in group..(group + LANES).min(range.end) {
                let ranges = walk.around(i);
                found.prepare(ranges);
                found.count[i - group] = if periodic {
                    search.find::<L, true>(i, ranges, found, i - group)
                } else {
                    search.find::<L, false>(i, ranges, found, i - group)
                };
            }
            block.extent.0 = block.extent.0.min(found.extent.0);
            block.extent.1 = block.extent.1.max(found.extent.1);
            fill_slots::<L>(found, block);
            block.first.push(block.base.len() as u32);
        }
    }
}

impl BlockSearch<'_> {
    /// Builds the lists of a block.
    pub fn build(&self, b: usize, block: &mut NeighborBlock) {
        let range = block_range(b, self.count);
        SCRATCH.with_borrow_mut(|found| {
            self.instructions.run(BuildBlock { search: *self, block, range, found });
        });
    }

    /// Writes the neighbours of particle `i` to a lane and returns how many.
    #[inline(always)]
    fn find<L: Lanes, const PERIODIC: bool>(
        &self,
        i: usize,
        ranges: &[(u32, u32)],
        found: &mut LaneLists,
        lane: usize,
    ) -> u32 {
        let [x, y, z] = &self.coordinates.axis;
        let own = [L::splat(x[i]), L::splat(y[i]), L::splat(z[i])];
        let reach_squared = L::splat(self.reach * self.reach);
        let out = &mut found.index[lane * found.stride..(lane + 1) * found.stride];
        let mut count = 0;
        for &(from, to) in ranges {
            let mut first = from;
            while first < to {
                let mut near = self.squared_distances::<L, PERIODIC>(own, first).below(reach_squared);
                let left = to - first;
                if left < LANES as u32 {
                    near &= (1 << left) - 1;
                }
                let itself = (i as u32).wrapping_sub(first);
                if itself < LANES as u32 {
                    near &= !(1 << itself);
                }
                debug_assert!(count + LANES <= out.len());
                // SAFETY: `reserve` has made room for all candidates and sixteen more.
                count += unsafe { L::push_indices(first, near, out.as_mut_ptr().add(count)) };
                first += LANES as u32;
            }
        }
        count as u32
    }

    /// Squared distances from a point to the sixteen particles from `first` on.
    #[inline(always)]
    fn squared_distances<L: Lanes, const PERIODIC: bool>(&self, point: [L; 3], first: u32) -> L {
        let first = first as usize;
        let mut d = [0, 1, 2].map(|k| {
            let axis = &self.coordinates.axis[k];
            debug_assert!(first + LANES <= axis.len());
            // SAFETY: `first` is a particle, and the columns are sixteen numbers longer than there are particles.
            point[k] - L::from_array(unsafe { &*axis.as_ptr().add(first).cast() })
        });
        if PERIODIC {
            d = self.domain.nearest_image(d);
        }
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    }
}

/// Turns the lists of sixteen particles into slots.
#[inline(always)]
fn fill_slots<L: Lanes>(found: &LaneLists, block: &mut NeighborBlock) {
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
fn fill_slots_far(found: &LaneLists, block: &mut NeighborBlock) {
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
    use super::super::{Permutation, brute_force_neighbors};
    use super::*;
    use crate::simd::Portable;
    use glam::Vec3;
    use proptest::prelude::*;

    /// Sorts the particles, builds lists, and returns them sorted per particle with the sorted positions.
    fn lists(points: &[Vec3], domain: &Domain, reach: f32) -> (Vec<Vec4>, Vec<Vec<u32>>) {
        let mut position: Vec<Vec4> = points.iter().map(|p| p.extend(0.0)).collect();
        let (mut cells, mut key, mut order) = (CellIndex::default(), Vec::new(), Permutation::default());
        cells.assign(domain, reach, &position, &mut key);
        order.sort(&mut key, cells.key_bits());
        order.apply(&mut position, &mut Vec::new());
        cells.index(&key);
        let mut all = Instructions::ALL.into_iter().filter(|set| set.available()).map(|set| {
            let mut lists = NeighborLists::default();
            lists.build(&cells, domain, reach, &position, set);
            let total: usize = (0..position.len()).map(|i| lists.neighbor_count(i)).sum();
            assert_eq!(lists.total(), total);
            let sorted = |i: usize| {
                let mut list: Vec<u32> = lists.of(i).map(|j| j as u32).collect();
                list.sort_unstable();
                list
            };
            (0..position.len()).map(sorted).collect::<Vec<_>>()
        });
        let found = all.next().unwrap();
        all.for_each(|other| assert_eq!(other, found));
        (position, found)
    }

    fn check(points: &[Vec3], domain: &Domain, reach: f32) {
        let (position, found) = lists(points, domain, reach);
        assert_eq!(found, brute_force_neighbors(&position, domain, reach));
    }

    #[test]
    fn empty_and_single_particle_inputs() {
        check(&[], &Domain::default(), 0.1);
        check(&[Vec3::splat(3.0)], &Domain::default(), 0.1);
    }

    #[test]
    fn coincident_particles_are_neighbours_of_each_other() {
        check(&[Vec3::ONE; 5], &Domain::default(), 0.1);
    }

    #[test]
    fn strays_far_out_do_not_hide_pairs() {
        let far = Vec3::new(3.0e7, -4.0e8, 1.0e9);
        check(&[Vec3::ZERO, far, far, Vec3::splat(0.05), -far, -far], &Domain::default(), 0.1);
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
        let mut block = NeighborBlock { first: vec![0], ..NeighborBlock::default() };
        fill_slots::<Portable>(&found, &mut block);
        block.first.push(block.base.len() as u32);
        assert_eq!(block.of(0).collect::<Vec<_>>(), [5, 90_000]);
        assert_eq!(block.of(1).collect::<Vec<_>>(), [70_000, 70_001, 900_000]);
        assert_eq!(block.of(2).collect::<Vec<_>>(), [40]);
        assert_eq!((block.count(3), block.pairs), (0, 6));
    }

    fn cloud(spread: f32, offset: f32) -> impl Strategy<Value = Vec<Vec3>> {
        prop::collection::vec((0.0f32..1.0, 0.0f32..1.0, 0.0f32..1.0), 0..700)
            .prop_map(move |v| v.iter().map(|&(x, y, z)| Vec3::new(x, y, z) * spread + offset).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn lists_equal_brute_force(points in cloud(1.0, -0.5), reach in 0.02f32..0.6) {
            check(&points, &Domain::default(), reach);
        }

        #[test]
        fn lists_equal_brute_force_when_clustered(points in cloud(0.01, 0.0), more in cloud(2.0, -1.0)) {
            check(&[points, more].concat(), &Domain::default(), 0.1);
        }

        #[test]
        fn lists_equal_brute_force_far_from_the_origin(points in cloud(1.0, 60_000.0)) {
            check(&points, &Domain::default(), 0.1);
        }

        #[test]
        fn lists_equal_brute_force_with_periodic_axes(
            points in cloud(1.0, 0.0), reach in 0.05f32..0.5, x: bool, y: bool, z: bool,
        ) {
            let axis = |on: bool| on.then_some([0.0, 1.0]);
            check(&points, &Domain::new([axis(x), axis(y), axis(z)]), reach);
        }
    }
}
