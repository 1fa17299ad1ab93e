//! Compact neighbour lists: sixteen particles side by side.
//!
//! Particles are taken in groups of sixteen, one per lane. A group's list is a sequence of slots; in each slot, every
//! lane holds one neighbour of its particle, or nothing. A pass over pairs works on whole slots, so that every
//! instruction serves sixteen particles, sums need no reduction, and the order of each particle's sum does not depend
//! on the width of the processor's registers. A pair takes eight bytes: two of index, relative to the slot's first
//! neighbour, and six for its kernel gradient.

use std::cell::RefCell;
use std::ops::Range;

use glam::Vec4;
use rayon::prelude::*;

use super::blocks::{BLOCK, block_count, block_range};
use super::cells::{CellIndex, Walk};
use super::domain::Domain;
use crate::simd::{Instructions, LANES, Lanes, Vectorised, load};

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

    fn push(&mut self, base: u32, mask: u16, delta: [u16; LANES]) {
        let at = self.base.len();
        if at == self.slots.len() {
            self.slots.resize((2 * at).max(64), Slot::EMPTY);
        }
        self.slots[at].delta = delta;
        self.base.push(base);
        self.mask.push(mask);
        self.pairs += mask.count_ones() as usize;
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
        self.count = position.len();
        self.blocks.resize_with(block_count(position.len()), NeighborBlock::default);
        self.coordinates.fill(position);
        let search = BlockSearch { cells, domain, reach, coordinates: &self.coordinates };
        self.blocks.par_iter_mut().enumerate().for_each(|(b, block)| {
            let range = block_range(b, position.len());
            SCRATCH.with_borrow_mut(|found| instructions.run(BuildBlock { search, block, range, found }));
        });
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
}

impl LaneLists {
    /// Makes room for `most` neighbours per lane and sixteen more that are written and not kept.
    fn reserve(&mut self, most: usize) {
        if self.stride >= most + LANES {
            return;
        }
        let stride = (most + LANES).next_power_of_two();
        let mut index = vec![0; stride * LANES];
        for (old, new) in self.index.chunks(self.stride.max(1)).zip(index.chunks_mut(stride)) {
            new[..old.len()].copy_from_slice(old);
        }
        (self.stride, self.index) = (stride, index);
    }
}

/// What the search in every block reads.
#[derive(Clone, Copy)]
struct BlockSearch<'a> {
    cells: &'a CellIndex,
    domain: &'a Domain,
    reach: f32,
    coordinates: &'a Coordinates,
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
        let periodic = search.domain.is_periodic();
        let mut walk = Walk::new(search.cells, range.start);
        for group in range.clone().step_by(LANES) {
            found.count = [0; LANES];
            for i in group..(group + LANES).min(range.end) {
                let ranges = walk.around(i);
                found.reserve(ranges.iter().map(|&(from, to)| (to - from) as usize).sum());
                found.count[i - group] = if periodic {
                    search.find::<L, true>(i, ranges, found, i - group)
                } else {
                    search.find::<L, false>(i, ranges, found, i - group)
                };
            }
            fill_slots(found, block);
            block.first.push(block.base.len() as u32);
        }
    }
}

impl BlockSearch<'_> {
    /// Writes the neighbours of particle `i` to a lane and returns how many.
    #[inline(always)]
    fn find<L: Lanes, const PERIODIC: bool>(
        &self,
        i: usize,
        ranges: &[(u32, u32)],
        found: &mut LaneLists,
        lane: usize,
    ) -> u32 {
        let axes = self.coordinates.axis.each_ref();
        let own = axes.map(|axis| L::splat(axis[i]));
        let reach_squared = L::splat(self.reach * self.reach);
        let out = &mut found.index[lane * found.stride..(lane + 1) * found.stride];
        let mut count = 0;
        for &(from, to) in ranges {
            for first in (from..to).step_by(LANES) {
                let mut d = [0, 1, 2].map(|k| own[k] - load::<L>(axes[k], first as usize));
                if PERIODIC {
                    d = self.domain.nearest_image(d);
                }
                let mut near = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).below(reach_squared);
                near &= u32::MAX >> (32 - (to - first).min(LANES as u32));
                let itself = (i as u32).wrapping_sub(first);
                if itself < LANES as u32 {
                    near &= !(1 << itself);
                }
                debug_assert!(count + LANES <= out.len());
                // SAFETY: `reserve` has made room for all candidates and sixteen more.
                count += unsafe { L::push_indices(first, near, out.as_mut_ptr().add(count)) };
            }
        }
        count as u32
    }
}

/// Turns the lists of sixteen particles into slots. A neighbour too far off in memory for its slot waits for a later
/// one; the order within each lane stays.
#[inline(always)]
fn fill_slots(found: &LaneLists, block: &mut NeighborBlock) {
    let mut cursor = [0u32; LANES];
    loop {
        let mut next = [u32::MAX; LANES];
        let mut base = u32::MAX;
        for lane in 0..LANES {
            let place = lane * found.stride + cursor[lane] as usize;
            let index = found.index[place];
            next[lane] = if cursor[lane] < found.count[lane] { index } else { u32::MAX };
            base = base.min(next[lane]);
        }
        if base == u32::MAX {
            return;
        }
        let mut delta = [0u16; LANES];
        let mut mask = 0u16;
        for lane in 0..LANES {
            let distance = next[lane] - base;
            let fits = distance <= REACH_OF_SLOT && next[lane] != u32::MAX;
            delta[lane] = if fits { distance as u16 } else { 0 };
            cursor[lane] += fits as u32;
            mask |= (fits as u16) << lane;
        }
        block.push(base, mask, delta);
    }
}
#[cfg(test)]
mod tests {
    use super::super::{Permutation, brute_force_neighbors};
    use super::*;
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
        let mut block = NeighborBlock { first: vec![0], ..NeighborBlock::default() };
        fill_slots(&found, &mut block);
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
