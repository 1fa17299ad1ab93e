//! Compact neighbour lists, one per block of particles.

use std::ops::Range;

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::blocks::{BLOCK, block_count, block_range};
use super::cells::{Candidates, CellIndex};
use super::domain::Domain;

/// The neighbours of the particles of one block.
#[derive(Clone, Debug, Default)]
pub struct NeighborBlock {
    /// Where each particle's neighbours start, and the end of the last.
    offset: Vec<u32>,
    index: Vec<u32>,
}

impl NeighborBlock {
    /// The neighbours of the block's `k`-th particle, itself not among them.
    #[inline]
    pub fn of(&self, k: usize) -> &[u32] {
        &self.index[self.offset[k] as usize..self.offset[k + 1] as usize]
    }

    /// Where the neighbours of the block's `k`-th particle lie in the block's list.
    #[inline]
    pub fn span(&self, k: usize) -> std::ops::Range<usize> {
        self.offset[k] as usize..self.offset[k + 1] as usize
    }

    /// All neighbour indices of the block.
    pub fn indices(&self) -> &[u32] {
        &self.index
    }
}

/// Neighbour lists of all particles.
#[derive(Clone, Debug, Default)]
pub struct NeighborLists {
    blocks: Vec<NeighborBlock>,
    coordinates: Coordinates,
}

impl NeighborLists {
    /// Lists every pair nearer than `reach` [m]; particles must be sorted by `cells`.
    pub fn build(&mut self, cells: &CellIndex, domain: &Domain, reach: f32, position: &[Vec4]) {
        self.blocks.resize_with(block_count(position.len()), NeighborBlock::default);
        self.coordinates.fill(position);
        let coordinates = &self.coordinates;
        let periodic = domain.is_periodic();
        self.blocks.par_iter_mut().enumerate().for_each(|(b, block)| {
            let range = block_range(b, position.len());
            if periodic {
                build_block::<true>(block, range, cells, domain, reach, coordinates);
            } else {
                build_block::<false>(block, range, cells, domain, reach, coordinates);
            }
        });
    }

    /// The lists of a block.
    #[inline]
    pub fn block(&self, block: usize) -> &NeighborBlock {
        &self.blocks[block]
    }

    /// The neighbours of a particle.
    pub fn of(&self, particle: usize) -> &[u32] {
        self.blocks[particle / BLOCK].of(particle % BLOCK)
    }

    /// Number of neighbours of all particles together.
    pub fn total(&self) -> usize {
        self.blocks.iter().map(|block| block.index.len()).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|b| 4 * (b.index.capacity() + b.offset.capacity())).sum()
    }
}

/// Coordinates as separate columns, so that distances of many candidates are found at once.
#[derive(Clone, Debug, Default)]
struct Coordinates {
    axis: [Vec<f32>; 3],
}

impl Coordinates {
    fn fill(&mut self, position: &[Vec4]) {
        for (k, axis) in self.axis.iter_mut().enumerate() {
            position.par_iter().with_min_len(4096).map(|x| x[k]).collect_into_vec(axis);
        }
    }

    /// Squared distances from particle `i` to the candidates from `from` on.
    #[inline]
    fn squared_distances<const PERIODIC: bool>(
        &self,
        domain: &Domain,
        i: usize,
        from: usize,
        out: &mut [f32],
    ) {
        let [xs, ys, zs] = self.axis.each_ref().map(|axis| &axis[from..from + out.len()]);
        let [x, y, z] = self.axis.each_ref().map(|axis| axis[i]);
        for (k, out) in out.iter_mut().enumerate() {
            let mut d = Vec3::new(x - xs[k], y - ys[k], z - zs[k]);
            if PERIODIC {
                d = domain.nearest_image(d);
            }
            *out = d.x * d.x + d.y * d.y + d.z * d.z;
        }
    }
}

fn build_block<const PERIODIC: bool>(
    block: &mut NeighborBlock,
    range: Range<usize>,
    cells: &CellIndex,
    domain: &Domain,
    reach: f32,
    coordinates: &Coordinates,
) {
    const CHUNK: usize = 64;
    let reach_squared = reach * reach;
    let mut squares = [0.0f32; CHUNK];
    block.offset.clear();
    block.offset.push(0);
    let mut found = 0;
    let mut cell = cells.cell_of(range.start);
    let mut candidates = Candidates::new();
    cells.candidates(cell, &mut candidates);
    for i in range {
        if i >= cells.cell_end(cell) {
            cell += 1;
            cells.candidates(cell, &mut candidates);
        }
        for &(from, to) in candidates.as_slice() {
            let needed = found + (to - from) as usize;
            if block.index.len() < needed {
                block.index.resize(needed.next_power_of_two(), 0);
            }
            for first in (from..to).step_by(CHUNK) {
                let squares = &mut squares[..CHUNK.min((to - first) as usize)];
                coordinates.squared_distances::<PERIODIC>(domain, i, first as usize, squares);
                for (j, &square) in (first..).zip(squares.iter()) {
                    // Written always, kept only if near: cheaper than a branch that is hard to predict.
                    block.index[found] = j;
                    found += ((square < reach_squared) & (j as usize != i)) as usize;
                }
            }
        }
        block.offset.push(found as u32);
    }
    block.index.truncate(found);
}

#[cfg(test)]
mod tests {
    use super::super::{Permutation, brute_force_neighbors};
    use super::*;
    use proptest::prelude::*;

    /// Sorts the particles, builds lists, and returns them sorted per particle with the sorted positions.
    fn lists(points: &[Vec3], domain: &Domain, reach: f32) -> (Vec<Vec4>, Vec<Vec<u32>>) {
        let mut position: Vec<Vec4> = points.iter().map(|p| p.extend(0.0)).collect();
        let (mut cells, mut key, mut order) = (CellIndex::default(), Vec::new(), Permutation::default());
        cells.assign(domain, reach, &position, &mut key);
        order.sort(&mut key, cells.key_bits());
        order.apply(&mut position);
        cells.index(&key);
        let mut lists = NeighborLists::default();
        lists.build(&cells, domain, reach, &position);
        let found = (0..position.len())
            .map(|i| {
                let mut list = lists.of(i).to_vec();
                list.sort_unstable();
                list
            })
            .collect();
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
