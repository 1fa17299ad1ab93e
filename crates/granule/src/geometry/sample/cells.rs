//! Points sorted into cubic cells, to find those that are near.

use glam::{IVec3, UVec3, Vec3};
use rayon::prelude::*;

use crate::geometry::mesh::Bounds;

/// Points by cell.
pub(super) struct Cells {
    origin: Vec3,
    side: f32,
    count: UVec3,
    /// First entry of each cell in `item`, and the end of the last.
    start: Vec<u32>,
    item: Vec<u32>,
}

impl Cells {
    /// Sorts points into cells of a side [m]; points outside the bounds go to the outermost cells.
    pub fn new(position: &[Vec3], bounds: Bounds, side: f32) -> Self {
        let count = (bounds.size() / side).ceil().max(Vec3::ONE).as_uvec3();
        let mut cells = Self { origin: bounds.min, side, count, start: Vec::new(), item: Vec::new() };
        let key: Vec<u32> = position.iter().map(|p| cells.index(cells.cell(*p))).collect();
        let mut start = vec![0_u32; (count.x * count.y * count.z) as usize + 1];
        key.iter().for_each(|&k| start[k as usize + 1] += 1);
        for k in 1..start.len() {
            start[k] += start[k - 1];
        }
        let mut next = start.clone();
        cells.item = vec![0; position.len()];
        for (point, &k) in key.iter().enumerate() {
            cells.item[next[k as usize] as usize] = point as u32;
            next[k as usize] += 1;
        }
        cells.start = start;
        cells
    }

    fn cell(&self, point: Vec3) -> UVec3 {
        ((point - self.origin) / self.side).floor().as_uvec3().min(self.count - UVec3::ONE)
    }

    fn index(&self, cell: UVec3) -> u32 {
        (cell.z * self.count.y + cell.y) * self.count.x + cell.x
    }

    /// Points in the cells around a place; all that are nearer than a side are among them.
    pub fn around(&self, point: Vec3) -> impl Iterator<Item = u32> + '_ {
        let center = self.cell(point).as_ivec3();
        let low = (center - 1).max(IVec3::ZERO).as_uvec3();
        let high = (center + 1).min(self.count.as_ivec3() - 1).as_uvec3();
        let rows = (low.z..=high.z).flat_map(move |z| (low.y..=high.y).map(move |y| (y, z)));
        rows.flat_map(move |(y, z)| {
            let from = self.start[self.index(UVec3::new(low.x, y, z)) as usize];
            let to = self.start[self.index(UVec3::new(high.x, y, z)) as usize + 1];
            self.item[from as usize..to as usize].iter().copied()
        })
    }

    /// For every point the others that are nearer than a side, in order.
    pub fn lists(&self, position: &[Vec3]) -> Vec<Vec<u32>> {
        let reach = self.side * self.side;
        (0..position.len())
            .into_par_iter()
            .with_min_len(256)
            .map(|i| {
                let near =
                    |j: &u32| *j as usize != i && position[*j as usize].distance_squared(position[i]) < reach;
                self.around(position[i]).filter(near).collect()
            })
            .collect()
    }
}
