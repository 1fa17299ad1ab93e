//! The search for neighbours: order by cell, and lists.

use glam::Vec4;

use crate::neighbors::{BlockSearch, CellIndex, Domain, NeighborBlock, NeighborLists, Permutation, Scratch};
use crate::simd::Instructions;

/// What a search needs to know.
#[derive(Clone, Copy, Debug)]
pub struct SearchSpace {
    /// Space.
    pub domain: Domain,
    /// Distance up to which pairs are listed [m].
    pub reach: f32,
    /// Instructions to use.
    pub instructions: Instructions,
    /// Whether all rows of cells are searched; false only in a negative control.
    pub all_rows: bool,
}

/// Cells, order and neighbour lists.
#[derive(Default)]
pub struct Search {
    cells: CellIndex,
    key: Vec<u64>,
    /// Neighbours per particle from a checkpoint, until lists are built.
    restored_count: Vec<u32>,
    /// Order of the last sort.
    pub order: Permutation,
    /// Memory for reordering columns.
    pub scratch: Scratch,
    /// Neighbour lists.
    pub lists: NeighborLists,
    /// Where each particle was in the lists, once some were removed since.
    listed: Option<Vec<u32>>,
}

impl Search {
    /// Finds the order of particles by cell.
    pub fn sort(&mut self, space: &SearchSpace, position: &[Vec4]) {
        self.restored_count.clear();
        self.cells.assign(&space.domain, space.reach, position, &mut self.key);
        self.order.sort(&mut self.key, self.cells.key_bits());
        self.cells.index(&self.key);
        self.listed = None;
    }

    /// Makes ready to list the neighbours of particles that are in order, block by block.
    pub fn find_neighbors<'a>(
        &'a mut self,
        space: &'a SearchSpace,
        position: &[Vec4],
    ) -> (BlockSearch<'a>, &'a mut [NeighborBlock]) {
        self.cells.search_all_rows(space.all_rows);
        self.lists.begin(&self.cells, &space.domain, space.reach, position, space.instructions)
    }

    /// Neighbours of a particle in the last step's lists; 0 for one added since.
    pub fn neighbor_count(&self, particle: usize) -> u32 {
        if let Some(count) = self.restored_count.get(particle) {
            return *count;
        }
        self.listed_as(particle).map_or(0, |k| self.lists.neighbor_count(k) as u32)
    }

    fn listed_as(&self, particle: usize) -> Option<usize> {
        let place = match &self.listed {
            Some(listed) => *listed.get(particle)? as usize,
            None => particle,
        };
        (place < self.key.len()).then_some(place)
    }

    /// Keeps track of the particles for which `keep` holds, so that their neighbour counts stay theirs.
    pub fn retain(&mut self, keep: &[bool]) {
        let place = |i: usize| self.listed_as(i).map_or(u32::MAX, |k| k as u32);
        self.listed = Some((0..keep.len()).filter(|&i| keep[i]).map(place).collect());
    }

    /// Takes over neighbour counts of a checkpoint; everything else is found anew in every step.
    pub fn restore(&mut self, neighbor_count: Vec<u32>) {
        *self = Self { restored_count: neighbor_count, ..Self::default() };
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.lists.bytes()
            + self.key.capacity() * 8
            + self.cells.bytes()
            + self.order.bytes()
            + self.scratch.bytes()
    }
}
