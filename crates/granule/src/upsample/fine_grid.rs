//! Particle shifting on a sparse grid of about a grain's diameter, where guides move: it keeps grains apart from each other.
//!
//! A part of the grid belongs to every active cell of the guides, and to those before one. It holds the nodes of
//! its cell and, once more, those of the next cells' near faces, so that the eight around any point are in one part.

mod counting;
mod excess;
#[cfg(test)]
mod tests;

use glam::Vec3;
use rayon::prelude::*;

use super::advector::AdvectionSettings;
use super::grain::Grain;
use super::grain_lanes::{lanes_of, scaled, square};
use super::nodes::{NONE, Nodes};
use crate::simd::{Instructions, LANES, Lanes};
use excess::PlaneParts;

/// Side of a fine cell, in radii of a grain: a diameter, the scale of pairs.
const FINE_SIDE: f32 = 2.0;
/// Most fine cells along a cell of the guides. A bound on memory: grains below 0.05 radii of a guide get larger fine cells.
const MOST_ALONG: u32 = 32;
/// Shift in a frame at a gradient of a full mass per fine cell, in fine cells: as [`NODE_SHIFT`](super::shifting::NODE_SHIFT),
/// the largest that \[LXSR12\] allow. It is what brings the variance of neighbours from 67 to 1.57 of blue noise.
pub const FINE_SHIFT: f32 = 0.5;
/// Longest such shift, in radii of a grain. A choice: two grains that part by it are a radius farther from each other.
pub const MOST_FINE_SHIFT: f32 = 0.5;

/// One grain in the fixed-point numbers of the fine grid: 12 bits of fraction, and 2^20 grains fit into a node's 32.
pub const FIXED_POINT_ONE: f32 = 4096.0;

/// Steps to the seven cells beyond one along any axes.
const BEYOND: [[u32; 3]; 7] = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]];

/// Concentration of the grains on a sparse grid of about their diameter, where guides move. It lies elsewhere every frame, so
/// that grains do not line up with it.
#[derive(Debug, Default)]
pub struct FineGrid {
    origin: Vec3,
    /// Side of a fine cell \[m\], and its inverse.
    side: f32,
    inverse_side: f32,
    /// Fine cells along a cell of the guides, and what their numbers are multiplied with to be divided by it.
    along: u32,
    divisor: u64,
    /// Where the grid lies in this frame, in fine cells.
    offset: Vec3,
    /// Weights of the guides' nodes at those of the fine grid.
    plane_parts: PlaneParts,
    count: [u32; 3],
    /// Part of the grid of each cell of the guides, or [`NONE`].
    part_of_cell: Vec<u32>,
    /// Cell of each part.
    cell_of_part: Vec<u32>,
    /// Block of each part; [`NONE`] for those of cells that are not active.
    block_of_part: Vec<u32>,
    /// Grains at each node of a part, from points in its cell: whole ones are `WHOLE`.
    tally: Vec<u32>,
    /// Whether there are grains in the cell of each part.
    holds: Vec<bool>,
    /// Excess of grains at the nodes of each part, relative to a full mass.
    excess: Vec<f32>,
    /// Parts of the cells before that of each part and of those after it, along [`BEYOND`]; [`NONE`] where there is none.
    before: Vec<[u32; 7]>,
    after: Vec<[u32; 7]>,
    /// Part of each point, and the first and last of each chunk of them.
    part_of_point: Vec<u32>,
    span: Vec<[u32; 2]>,
    /// Images of grains beyond the ends of periods.
    image: Vec<Grain>,
}

/// Where sixteen points are on the fine grid: the cell of the guides, or [`NONE`], the node before the point and how far
/// it is beyond that.
struct FineLocation<L> {
    cell: [u32; LANES],
    local: [u32; LANES],
    beyond: [L; 3],
}

impl FineGrid {
    /// Counts grains where guides move, and compares them with what the guides are worth.
    pub fn count(
        &mut self,
        nodes: &Nodes,
        grains: &[Grain],
        settings: &AdvectionSettings,
        frame: u64,
        instructions: Instructions,
    ) {
        self.build(nodes, settings, frame);
        self.tally.resize(self.cell_of_part.len() * self.part_size(), 0);
        self.tally.par_chunks_mut(1 << 16).for_each(|tally| tally.fill(0));
        self.holds.clear();
        self.holds.resize(self.cell_of_part.len(), false);
        self.add(grains, instructions);
        if settings.domain.is_periodic() {
            self.add_images(grains, settings, instructions);
        }
        self.find_excess(nodes, settings, instructions);
        self.share();
    }

    fn build(&mut self, nodes: &Nodes, settings: &AdvectionSettings, frame: u64) {
        self.origin = nodes.origin;
        self.count = nodes.count;
        self.along = fine_cells_along(nodes.side, settings.spread);
        self.divisor = (1u64 << 32) / u64::from(self.along) + 1;
        self.side = nodes.side / self.along as f32;
        self.inverse_side = 1.0 / self.side;
        self.offset = offset(frame);
        let mut plane_parts = std::mem::take(&mut self.plane_parts);
        plane_parts.build(self.along as usize, |node, axis| self.place(node, axis));
        self.plane_parts = plane_parts;
        self.part_of_cell.clear();
        self.part_of_cell.resize(nodes.block_of_cell.len(), NONE);
        self.find_parts(nodes);
    }

    /// Numbers the active cells, and those before them.
    fn find_parts(&mut self, nodes: &Nodes) {
        let marked = 0;
        for (&cell, _) in nodes.cell_of_block.iter().zip(&nodes.active).filter(|(_, active)| **active) {
            self.part_of_cell[cell as usize] = marked;
            for step in BEYOND {
                if let Some(before) = neighbor_cell(cell, step, self.count, false) {
                    self.part_of_cell[before as usize] = marked;
                }
            }
        }
        self.cell_of_part.clear();
        self.block_of_part.clear();
        for (cell, part) in self.part_of_cell.iter_mut().enumerate().filter(|(_, part)| **part == marked) {
            let block = nodes.block_of_cell[cell];
            let active = block != NONE && nodes.active[block as usize];
            *part = self.cell_of_part.len() as u32;
            self.cell_of_part.push(cell as u32);
            self.block_of_part.push(if active { block } else { NONE });
        }
        let (mut before, mut after) = (std::mem::take(&mut self.before), std::mem::take(&mut self.after));
        let sides = |&cell: &u32| (self.neighbor_parts(cell, false), self.neighbor_parts(cell, true));
        self.cell_of_part.par_iter().with_min_len(256).map(sides).unzip_into_vecs(&mut before, &mut after);
        (self.before, self.after) = (before, after);
    }

    /// Parts of the cells along [`BEYOND`].
    fn neighbor_parts(&self, cell: u32, after: bool) -> [u32; 7] {
        let mut parts = [NONE; 7];
        for (part, step) in parts.iter_mut().zip(BEYOND) {
            *part = neighbor_cell(cell, step, self.count, after).map_or(NONE, |cell| self.part(cell));
        }
        parts
    }

    /// Nodes of a part along an axis.
    fn shared(&self) -> usize {
        self.along as usize + 1
    }

    fn part_size(&self) -> usize {
        self.shared().pow(3)
    }

    /// Where sixteen points are.
    #[inline(always)]
    fn locate<L: Lanes>(&self, x: &[L; 3]) -> FineLocation<L> {
        let zero = L::splat(0.0);
        let (mut inside, mut beyond) = (u32::MAX, [zero; 3]);
        let (mut cell, mut local) = ([0u32; LANES], [0u32; LANES]);
        let (mut cells, mut nodes) = (1, 1);
        for axis in 0..3 {
            let at = (x[axis] - L::splat(self.origin[axis])) * L::splat(self.inverse_side)
                + L::splat(self.offset[axis]);
            let end = (self.count[axis] * self.along) as f32 - 1.0;
            inside &= at.below(L::splat(end)) & !at.below(zero);
            let first = at.to_u32();
            let mut whole = [0.0; LANES];
            for k in 0..LANES {
                whole[k] = first[k] as i32 as f32;
                let before = ((u64::from(first[k]) * self.divisor) >> 32) as u32;
                cell[k] = cell[k].wrapping_add(before.wrapping_mul(cells));
                let left = first[k].wrapping_sub(before.wrapping_mul(self.along));
                local[k] = local[k].wrapping_add(left.wrapping_mul(nodes));
            }
            beyond[axis] = at - L::from_array(&whole);
            cells *= self.count[axis];
            nodes *= self.along + 1;
        }
        for (k, cell) in cell.iter_mut().enumerate() {
            *cell = if inside >> k & 1 == 1 { *cell } else { NONE };
        }
        FineLocation { cell, local, beyond }
    }

    /// The part of a cell; none where there is none, and for none.
    #[inline(always)]
    fn part(&self, cell: u32) -> u32 {
        self.part_of_cell.get(cell as usize).copied().unwrap_or(NONE)
    }

    /// The parts of sixteen cells: grains side by side are mostly in the same one.
    #[inline(always)]
    fn parts(&self, cells: &[u32; LANES]) -> [u32; LANES] {
        let mut parts = [self.part(cells[0]); LANES];
        if *cells != [cells[0]; LANES] {
            for (part, &cell) in parts.iter_mut().zip(cells) {
                *part = self.part(cell);
            }
        }
        parts
    }

    /// Steps from a node of a part to the eight around a point beyond it.
    #[inline(always)]
    fn steps(&self) -> [usize; 8] {
        let y = self.shared();
        let z = y * y;
        [0, 1, y, y + 1, z, z + 1, z + y, z + y + 1]
    }

    /// Shifts [m] of sixteen grains in full motion down the gradient of the concentration, for grains where they were
    /// counted; any where bits are not set.
    #[inline(always)]
    pub fn shifts<L: Lanes>(&self, x: &[L; 3], radius: f32, wanted: u32) -> [L; 3] {
        let locations = self.locate(x);
        let (steps, size) = (self.steps(), self.part_size());
        let parts = self.parts(&locations.cell);
        let mut excess = [[0.0; LANES]; 8];
        for k in lanes_of(wanted) {
            if parts[k] != NONE {
                let start = parts[k] as usize * size + locations.local[k] as usize;
                let near = &self.excess[start..start + steps[7] + 1];
                for corner in 0..8 {
                    // SAFETY: no step is longer than the last, and so many are there.
                    excess[corner][k] = unsafe { *near.get_unchecked(steps[corner]) };
                }
            }
        }
        let mut e = [L::splat(0.0); 8];
        for corner in 0..8 {
            e[corner] = L::from_array(&excess[corner]);
        }
        let t = locations.beyond;
        let mix = |a: L, b: L, t: L| a + t * (b - a);
        let slope = [
            mix(mix(e[1] - e[0], e[3] - e[2], t[1]), mix(e[5] - e[4], e[7] - e[6], t[1]), t[2]),
            mix(mix(e[2] - e[0], e[3] - e[1], t[0]), mix(e[6] - e[4], e[7] - e[5], t[0]), t[2]),
            mix(mix(e[4] - e[0], e[5] - e[1], t[0]), mix(e[6] - e[2], e[7] - e[3], t[0]), t[1]),
        ];
        let displacement = scaled(slope, L::splat(-FINE_SHIFT * self.side));
        let length = square(displacement).root();
        let most = L::splat(MOST_FINE_SHIFT * radius);
        let scale = most.if_below(length, most / length, L::splat(1.0));
        scaled(displacement, scale)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * (self.part_of_cell.capacity() + self.cell_of_part.capacity() + self.block_of_part.capacity())
            + 4 * (self.tally.capacity() + self.excess.capacity())
            + self.plane_parts.bytes()
            + size_of::<[u32; 7]>() * (self.before.capacity() + self.after.capacity())
            + 4 * self.part_of_point.capacity()
            + self.holds.capacity()
            + 8 * self.span.capacity()
            + size_of::<Grain>() * self.image.capacity()
    }
}

/// The cell so many cells after a cell along each axis, or before it; none outside.
fn neighbor_cell(cell: u32, step: [u32; 3], [nx, ny, nz]: [u32; 3], after: bool) -> Option<u32> {
    let at = [cell % nx, cell / nx % ny, cell / nx / ny];
    let mut to = [0; 3];
    for axis in 0..3 {
        to[axis] = if after { at[axis] + step[axis] } else { at[axis].checked_sub(step[axis])? };
    }
    (to[0] < nx && to[1] < ny && to[2] < nz).then(|| (to[2] * ny + to[1]) * nx + to[0])
}

/// Fine cells of grains of a radius \[m\] along a cell of a side \[m\].
pub fn fine_cells_along(side: f32, radius: f32) -> u32 {
    ((side / (FINE_SIDE * radius)).round() as u32).clamp(1, MOST_ALONG)
}

/// Where the grid lies in a frame, in fine cells: an additive sequence of low discrepancy in three dimensions, whose steps are
/// the powers of the inverse of 1.2207, the real root of x^4 = x + 1 \[Rob18\].
pub fn offset(frame: u64) -> Vec3 {
    let part = |share: f64| (0.5 + (frame % (1 << 24)) as f64 * share).fract() as f32;
    Vec3::new(part(0.819_172_513_396_164_5), part(0.671_043_606_703_789_3), part(0.549_700_477_901_970_4))
        .min(Vec3::splat(0.999_999))
}
