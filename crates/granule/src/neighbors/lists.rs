//! Neighbour lists of all particles, and the search for them, block by block.

use std::cell::RefCell;
use std::ops::Range;

use glam::Vec4;

use super::cells::{CellIndex, Walk};
use super::domain::Domain;
use super::levels::{LevelIndex, listed_radius};
use super::radii::{BuildByRadii, Candidates, RadiiSearch};
use super::slots::{LaneLists, NeighborBlock, Payload};
use crate::simd::{Instructions, LANES, Lanes, Vectorised};
use crate::team::{self, BLOCK, QUICK, block_count, block_range};

/// Neighbour lists of all particles.
#[derive(Clone, Debug, Default)]
pub struct NeighborLists<P = ()> {
    /// Lists per block.
    pub blocks: Vec<NeighborBlock<P>>,
    count: usize,
    coordinates: Coordinates,
}

impl<P: Payload> NeighborLists<P> {
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
        team::for_each_mut(blocks, 1, |b, block| search.build(b, block));
    }

    /// Makes ready to build the lists block by block.
    pub fn begin<'a>(
        &'a mut self,
        cells: &'a CellIndex,
        domain: &'a Domain,
        reach: f32,
        position: &[Vec4],
        instructions: Instructions,
    ) -> (BlockSearch<'a>, &'a mut [NeighborBlock<P>]) {
        self.count = position.len();
        self.blocks.resize_with(block_count(position.len()), NeighborBlock::default);
        self.coordinates.fill(position);
        // The search relies on it.
        assert_eq!(cells.particle_count(), position.len(), "particles are sorted by these cells");
        let pairs = Pairs::Within { cells, reach };
        let (count, coordinates) = (self.count, &self.coordinates);
        (BlockSearch { pairs, domain, count, coordinates, instructions }, &mut self.blocks)
    }

    /// Makes ready to list, block by block, every pair nearer than both radii and the skin; particles must be sorted by
    /// `levels`.
    pub fn begin_by_radii<'a>(
        &'a mut self,
        levels: &'a LevelIndex,
        domain: &'a Domain,
        position: &[Vec4],
        instructions: Instructions,
    ) -> (BlockSearch<'a>, &'a mut [NeighborBlock<P>]) {
        self.count = position.len();
        self.blocks.resize_with(block_count(position.len()), NeighborBlock::default);
        self.coordinates.fill(position);
        self.coordinates.fill_radii(domain, position);
        // The search relies on it.
        assert_eq!(levels.particle_count(), position.len(), "particles are sorted by these levels");
        let pairs = Pairs::ByRadii { levels };
        let (count, coordinates) = (self.count, &self.coordinates);
        (BlockSearch { pairs, domain, count, coordinates, instructions }, &mut self.blocks)
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
        self.coordinates.bytes() + self.blocks.iter().map(NeighborBlock::bytes).sum::<usize>()
    }
}

/// Coordinates as separate columns, so that distances of many candidates are found at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Coordinates {
    /// Sixteen numbers longer than there are particles.
    pub(super) axis: [Vec<f32>; 3],
    /// Radii that particles are listed with \[m\], likewise; empty unless they matter.
    pub(super) radius: Vec<f32>,
}

impl Coordinates {
    fn fill(&mut self, position: &[Vec4]) {
        let count = position.len();
        self.axis.iter_mut().for_each(|axis| axis.resize(count + LANES, 0.0));
        let axes = self.axis.each_mut().map(|axis| &mut axis[..count]);
        team::for_each_block(count, QUICK, axes, |b, axes| {
            for (k, axis) in axes.into_iter().enumerate() {
                axis.iter_mut().zip(&position[b * BLOCK..]).for_each(|(entry, x)| *entry = x[k]);
            }
        });
    }

    fn fill_radii(&mut self, domain: &Domain, position: &[Vec4]) {
        self.radius.resize(position.len() + LANES, 0.0);
        let radius = &mut self.radius[..position.len()];
        team::for_each_block(position.len(), QUICK, radius, |b, radius| {
            let rows = radius.iter_mut().zip(&position[b * BLOCK..]);
            rows.for_each(|(entry, x)| *entry = listed_radius(domain, *x));
        });
    }

    fn bytes(&self) -> usize {
        4 * (self.axis.iter().map(Vec::capacity).sum::<usize>() + self.radius.capacity())
    }
}

thread_local! {
    static SCRATCH: RefCell<(LaneLists, Candidates)> = RefCell::default();
}

/// A search for neighbours, block by block.
#[derive(Clone, Copy)]
pub struct BlockSearch<'a> {
    pairs: Pairs<'a>,
    domain: &'a Domain,
    count: usize,
    coordinates: &'a Coordinates,
    instructions: Instructions,
}

/// Which pairs are listed.
#[derive(Clone, Copy)]
enum Pairs<'a> {
    /// Those nearer than a distance \[m\].
    Within { cells: &'a CellIndex, reach: f32 },
    /// Those nearer than both radii and the skin.
    ByRadii { levels: &'a LevelIndex },
}

struct BuildBlock<'a, P> {
    search: DistanceSearch<'a>,
    block: &'a mut NeighborBlock<P>,
    range: Range<usize>,
    found: &'a mut LaneLists,
}

impl<P: Payload> Vectorised for BuildBlock<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { search, block, range, found } = self;
        block.clear();
        let periodic = search.domain.is_periodic();
        let mut walk = Walk::new(search.cells, range.start);
        for group in range.clone().step_by(LANES) {
            found.clear();
            for i in group..(group + LANES).min(range.end) {
                let ranges = walk.around(i);
                found.prepare(ranges);
                found.count[i - group] = if periodic {
                    search.find::<L, true>(i, ranges, found, i - group)
                } else {
                    search.find::<L, false>(i, ranges, found, i - group)
                };
            }
            block.push_group::<L>(found);
        }
    }
}

impl BlockSearch<'_> {
    /// Builds the lists of a block.
    pub fn build<P: Payload>(&self, b: usize, block: &mut NeighborBlock<P>) {
        let range = block_range(b, self.count);
        let Self { domain, coordinates, .. } = *self;
        SCRATCH.with_borrow_mut(|(found, candidates)| match self.pairs {
            Pairs::Within { cells, reach } => {
                let search = DistanceSearch { cells, domain, reach, coordinates };
                self.instructions.run(BuildBlock { search, block, range, found });
            }
            Pairs::ByRadii { levels } => {
                let search = RadiiSearch { levels, domain, coordinates };
                self.instructions.run(BuildByRadii { search, block, range, found, candidates });
            }
        });
    }
}

/// What lists up to a distance are made from.
#[derive(Clone, Copy)]
struct DistanceSearch<'a> {
    cells: &'a CellIndex,
    domain: &'a Domain,
    reach: f32,
    coordinates: &'a Coordinates,
}

impl DistanceSearch<'_> {
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
            let mut lists = NeighborLists::<()>::default();
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
