//! Cells of the size of fine grains: who is near whom, for what is measured on them.

use glam::Vec3;
use rayon::prelude::*;

use super::grain::Grain;
use super::guides::GuideGrid;
use crate::neighbors::Permutation;

/// Most cells per grain; sparse grains get larger cells.
const CELLS_PER_GRAIN: f64 = 24.0;

/// Cells of at least a diameter over the room that guides have, x first.
#[derive(Clone, Debug, Default)]
pub struct FineCells {
    /// Lowest corner [m].
    pub origin: Vec3,
    /// Side of a cell [m].
    pub side: f32,
    /// Cells along each axis; there is one more beyond the last, for grains outside.
    pub count: [u32; 3],
}

impl FineCells {
    /// Cells for so many grains of a diameter [m] among guides.
    pub fn new(guides: &GuideGrid, diameter: f32, grain_count: usize) -> Self {
        let size = Vec3::from(guides.count.map(|c| c as f32)) * guides.side;
        let most = CELLS_PER_GRAIN * grain_count as f64 + 4096.0;
        let mut side = diameter;
        let cells = |side: f32| (size / side).ceil().max(Vec3::ONE).as_dvec3();
        while cells(side).element_product() > most {
            side *= 1.1;
        }
        Self { origin: guides.origin, side, count: cells(side).as_uvec3().to_array() }
    }

    /// Number of cells without the one for grains outside.
    pub fn len(&self) -> usize {
        self.count.iter().map(|&c| c as usize).product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of the cell of a point; the last one outside.
    #[inline]
    pub fn key(&self, x: Vec3) -> u32 {
        match self.cell(x) {
            Some([x, y, z]) => (z * self.count[1] + y) * self.count[0] + x,
            None => self.len() as u32,
        }
    }

    /// The cell of a point inside.
    #[inline]
    pub fn cell(&self, x: Vec3) -> Option<[u32; 3]> {
        let cell = ((x - self.origin) / self.side).floor();
        let end = Vec3::from(self.count.map(|c| c as f32));
        (cell.cmpge(Vec3::ZERO).all() && cell.cmplt(end).all()).then(|| cell.as_uvec3().to_array())
    }
}

/// Grains sorted by fine cells.
#[derive(Debug, Default)]
pub struct FineSort {
    /// The cells.
    pub cells: FineCells,
    /// First grain of each cell, and the number of grains inside at the end.
    pub start: Vec<u32>,
    key: Vec<u64>,
    order: Permutation,
    scratch: Vec<Grain>,
}

impl FineSort {
    /// Sorts grains by cell, in a stable order.
    pub fn sort(&mut self, cells: FineCells, grains: &mut Vec<Grain>) {
        let keys = grains.par_iter().with_min_len(4096).map(|g| u64::from(cells.key(g.position.into())));
        keys.collect_into_vec(&mut self.key);
        let bits = 64 - (cells.len() as u64).leading_zeros();
        self.order.sort(&mut self.key, bits);
        self.order.apply(grains, &mut self.scratch);
        self.start.clear();
        self.start.resize(cells.len() + 1, 0);
        let inside = self.key.partition_point(|&k| k < cells.len() as u64);
        let mut cell = 0;
        for (k, &key) in self.key[..inside].iter().enumerate() {
            while cell <= key as usize {
                self.start[cell] = k as u32;
                cell += 1;
            }
        }
        self.start[cell..].fill(inside as u32);
        self.cells = cells;
    }

    /// Number of grains inside the cells.
    pub fn inside(&self) -> usize {
        self.start.last().map_or(0, |&end| end as usize)
    }

    /// Ranges of grains in and around the cell of a point: the rows of a cube of three cells.
    #[inline]
    pub fn around(&self, x: Vec3, mut out: impl FnMut(std::ops::Range<usize>)) {
        let Some([x, y, z]) = self.cells.cell(x) else { return };
        let [nx, ny, nz] = self.cells.count;
        let (from, to) = (x.saturating_sub(1), (x + 1).min(nx - 1));
        for z in z.saturating_sub(1)..=(z + 1).min(nz - 1) {
            for y in y.saturating_sub(1)..=(y + 1).min(ny - 1) {
                let row = ((z * ny + y) * nx) as usize;
                let range = self.start[row + from as usize]..self.start[row + to as usize + 1];
                if !range.is_empty() {
                    out(range.start as usize..range.end as usize);
                }
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.start.capacity()
            + 8 * self.key.capacity()
            + 32 * self.scratch.capacity()
            + self.order.bytes()
    }
}
