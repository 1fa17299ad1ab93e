//! Grains by cells of the size that a measure looks at: who is near whom.

use glam::Vec3;
use rayon::prelude::*;

use crate::neighbors::Permutation;
use crate::upsample::Grain;

/// Most cells per grain; sparse grains get larger cells.
const CELLS_PER_GRAIN: f64 = 24.0;

/// Cells over the room of some grains, x first.
#[derive(Clone, Debug, Default)]
struct Cells {
    /// Lowest corner \[m\].
    origin: Vec3,
    /// Side of a cell \[m\].
    side: f32,
    /// Cells along each axis.
    count: [u32; 3],
}

impl Cells {
    /// Cells of at least a side \[m\] over grains.
    fn over(grains: &[Grain], least_side: f32) -> Self {
        let places = grains.iter().map(|grain| Vec3::from(grain.position));
        let (low, high) =
            places.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let size = (high - low).max(Vec3::ZERO);
        let most = CELLS_PER_GRAIN * grains.len() as f64 + 4096.0;
        let cells = |side: f32| ((size / side).floor() + 1.0).as_dvec3();
        let mut side = least_side;
        while cells(side).element_product() > most {
            side *= 1.1;
        }
        Self { origin: low, side, count: cells(side).as_uvec3().to_array() }
    }

    fn len(&self) -> usize {
        self.count.iter().map(|&c| c as usize).product()
    }

    /// The cell of a point; those outside belong to the nearest one.
    fn cell(&self, x: Vec3) -> [u32; 3] {
        let last = Vec3::from(self.count.map(|c| c as f32)) - 1.0;
        ((x - self.origin) / self.side).floor().clamp(Vec3::ZERO, last).as_uvec3().to_array()
    }

    fn key(&self, x: Vec3) -> u64 {
        let [x, y, z] = self.cell(x).map(u64::from);
        let [nx, ny, _] = self.count.map(u64::from);
        (z * ny + y) * nx + x
    }
}

/// Grains sorted by cells.
#[derive(Debug)]
pub struct GrainsByCell {
    cells: Cells,
    /// First grain of each cell, and the number of grains at the end.
    start: Vec<u32>,
    /// The grains.
    pub grain: Vec<Grain>,
}

impl GrainsByCell {
    /// Sorts grains, in a stable order, by cells of at least a side \[m\].
    pub fn new(grains: &[Grain], least_side: f32) -> Self {
        let cells = Cells::over(grains, least_side);
        let keys = grains.par_iter().with_min_len(4096).map(|grain| cells.key(grain.position.into()));
        let mut key: Vec<u64> = keys.collect();
        let (mut order, mut grain, mut scratch) = (Permutation::default(), grains.to_vec(), Vec::new());
        order.sort(&mut key, u64::BITS - (cells.len() as u64).leading_zeros());
        order.apply(&mut grain, &mut scratch);
        let mut start = vec![0; cells.len() + 1];
        key.iter().for_each(|&k| start[k as usize + 1] += 1);
        (0..cells.len()).for_each(|cell| start[cell + 1] += start[cell]);
        Self { cells, start, grain }
    }

    /// The grains in and around the cell of a point: all that are within a side of it.
    pub fn around(&self, x: Vec3, mut out: impl FnMut(&[Grain])) {
        let [x, y, z] = self.cells.cell(x);
        let [nx, ny, nz] = self.cells.count;
        let (from, to) = (x.saturating_sub(1), (x + 1).min(nx - 1));
        for z in z.saturating_sub(1)..=(z + 1).min(nz - 1) {
            for y in y.saturating_sub(1)..=(y + 1).min(ny - 1) {
                let row = (z as usize * ny as usize + y as usize) * nx as usize;
                let range = self.start[row + from as usize]..self.start[row + to as usize + 1];
                out(&self.grain[range.start as usize..range.end as usize]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn all_grains_within_a_side_are_around_however_sparse_they_are() {
        for (count, size) in [(1u32, 0.0), (700, 1.0), (700, 40.0)] {
            let mut random = Random::new(3);
            let mut place = || [random.unit() * size, random.unit() * size, random.unit() * 0.2 * size];
            let grains: Vec<Grain> =
                (0..count).map(|id| Grain { position: place(), id, ..Grain::default() }).collect();
            let by_cell = GrainsByCell::new(&grains, 0.2);
            assert_eq!(by_cell.grain.len(), grains.len());
            for grain in &grains {
                let x = Vec3::from(grain.position);
                let near = |other: &&Grain| x.distance(other.position.into()) < 0.2;
                let mut found = 0;
                by_cell.around(x, |others| found += others.iter().filter(near).count());
                assert_eq!(found, grains.iter().filter(near).count());
            }
        }
    }
}
