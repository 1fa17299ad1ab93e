//! The sparse grid of nodes on which the motion of guides is interpolated; grains read it from the eight nodes around them.
//!
//! Nodes stand three to a cell of the guides along each axis, a guide's radius apart, where guides are in the cell or
//! next to it. A block holds the nodes of a cell and those of the next cells' near faces, so that the eight around any
//! point of the cell are in one block.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use rayon::prelude::*;

use super::advector::FrameInput;
use super::contact::Wall;
use super::grain_lanes::{columns_of_rows, scaled, trilinear_weights};
use super::guide_grid::GuideGrid;
use crate::boundary::MOST_SLOPE;
use crate::simd::{LANES, Lanes};

/// Nodes of a cell along an axis.
pub const ALONG: usize = 3;
/// Nodes of a cell.
pub const OWN: usize = ALONG * ALONG * ALONG;
/// Nodes of a block along an axis.
pub const ALONG_BLOCK: usize = ALONG + 1;
/// Nodes of a block.
pub const BLOCK: usize = ALONG_BLOCK * ALONG_BLOCK * ALONG_BLOCK;
/// No block.
pub const NONE: u32 = u32::MAX;
/// Steps from a node of a block to the eight around a point beyond it.
pub const CORNER_STEPS: [usize; 8] = [0, 1, 4, 5, 16, 17, 20, 21];
/// Walls that a block's bits tell apart; the last bit stands for all later ones.
pub(super) const WALL_BITS: u32 = 32;

/// Share above which the motion is taken as the guides' alone: eight shares of 1 add up to 1 only to rounding, and 1e-4 is
/// far above that.
pub const FULL_SHARE: f32 = 0.9999;

/// Interpolated motion of the guides at a node; zero where none is near. Aligned so that no node straddles two cache
/// lines.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Node {
    /// Weighted mean of the guides' displacements, deformations included \[m\].
    pub displacement: [f32; 3],
    /// Share of a grain's motion that guides have.
    pub share: f32,
    /// Weighted mean of their velocities [m/s].
    pub velocity: [f32; 3],
    /// 1 where guides are near, 0 elsewhere.
    pub known: f32,
}

/// Interpolated motion of the guides at sixteen points.
pub(super) struct GuideMotion<L> {
    /// Displacement during the frame \[m\].
    pub displacement: [L; 3],
    /// Share of a grain's motion that guides have.
    pub share: L,
    /// Velocities [m/s].
    pub velocity: [L; 3],
}

/// Which nodes are around sixteen points.
pub(super) struct NodeLocation<L> {
    /// The block, or the one beyond the last, which has no guides.
    pub block: [u32; LANES],
    /// The node of the block before the point, along each axis.
    pub corners: [[u32; LANES]; 3],
    /// How far the point is beyond it, in node spacings.
    pub beyond: [L; 3],
}

/// Blocks of nodes.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// Lowest corner of the cells \[m\].
    pub origin: Vec3,
    /// Side of a cell \[m\].
    pub side: f32,
    /// Cells along each axis.
    pub count: [u32; 3],
    /// Block of each cell, or [`NONE`].
    pub block_of_cell: Vec<u32>,
    /// Cell of each block, ascending.
    pub cell_of_block: Vec<u32>,
    /// Blocks of the 27 cells around that of each block, or [`NONE`]: by `(z + 1) 9 + (y + 1) 3 + x + 1`.
    pub neighbors: Vec<[u32; 27]>,
    /// Middle of each block \[m\].
    pub center: Vec<[f32; 3]>,
    /// Whether any guide around a block moves: only active blocks are shifted and counted.
    pub active: Vec<bool>,
    /// Walls that may be within reach of a grain in the block: a bit each, the last for all from there on.
    pub walls: Vec<u32>,
    /// Distance of the middle of each block from the nearest wall at the frame's start \[m\].
    pub center_clearance: Vec<f32>,
    /// Walls that may be within reach of grains or guides at the block's nodes at the frame's start, as bits.
    pub walls_near_nodes: Vec<u32>,
    /// Distance of each own node from the nearest of these walls at the frame's start \[m\]; infinite where there are none.
    pub wall_distance: Vec<[f32; OWN]>,
    /// Part of the volume around each own node that guides fill.
    pub cover: Vec<[f32; OWN]>,
    /// Interpolated motion at each own node.
    pub own: Vec<[Node; OWN]>,
    /// Nodes of blocks.
    pub node: Vec<[Node; BLOCK]>,
}

impl Nodes {
    /// Builds the blocks around guides; `reach` [m] is how far walls may be from grains that meet them.
    pub fn build(&mut self, frame: &FrameInput, reach: f32) {
        let grid = frame.guides;
        (self.origin, self.side, self.count) = (grid.origin, grid.side, grid.count);
        self.find_blocks(grid);
        self.find_neighbors();
        self.find_walls(frame.walls, reach);
    }

    /// Finds the walls near every block.
    fn find_walls(&mut self, walls: &[Wall], reach: f32) {
        let count = self.center.len();
        self.walls.resize(count, 0);
        self.walls_near_nodes.resize(count, 0);
        self.center_clearance.resize(count, 0.0);
        let bits = self.walls.par_iter_mut().zip(&mut self.walls_near_nodes);
        let blocks = self.center.par_iter().zip(&mut self.center_clearance).zip(bits).with_min_len(64);
        blocks.for_each(|((center, clearance), (bits, near))| {
            (*bits, *near, *clearance) = near_walls(walls, Vec3::from(*center), self.side, reach);
        });
    }

    /// Finds the middle of every block, and the blocks around it.
    fn find_neighbors(&mut self) {
        let (mut center, mut neighbors) =
            (std::mem::take(&mut self.center), std::mem::take(&mut self.neighbors));
        let cells = self.cell_of_block.par_iter().with_min_len(256);
        let around = |&cell: &u32| (self.middle(cell).to_array(), self.around(cell));
        cells.map(around).unzip_into_vecs(&mut center, &mut neighbors);
        (self.center, self.neighbors) = (center, neighbors);
    }

    /// Blocks of the 27 cells around one.
    fn around(&self, cell: u32) -> [u32; 27] {
        let mut out = [NONE; 27];
        let [nx, ny, nz] = self.count;
        let [x, y, z] = self.coordinates(cell);
        // From the cell before to that after, as far as there are cells.
        let range = |c: u32, n: u32| u32::from(c == 0)..3 - u32::from(c + 1 == n);
        for dz in range(z, nz) {
            for dy in range(y, ny) {
                let row = ((z + dz - 1) * ny + y + dy - 1) * nx + x;
                for dx in range(x, nx) {
                    out[(dz * 9 + dy * 3 + dx) as usize] = self.block_of_cell[(row + dx - 1) as usize];
                }
            }
        }
        out
    }

    /// Numbers the cells that have guides or are next to one that has.
    fn find_blocks(&mut self, grid: &GuideGrid) {
        let cell_count = grid.start.len().saturating_sub(1);
        let mut near = vec![0u8; cell_count];
        let [nx, ny, _] = grid.count.map(|c| c as usize);
        for cell in 0..cell_count {
            let guides = grid.start[cell] as usize..grid.start[cell + 1] as usize;
            if guides.is_empty() {
                continue;
            }
            let mark = if grid.guide[guides].iter().any(|guide| guide.moves > 0.0) { 3 } else { 1 };
            for z in 0..3 {
                for y in 0..3 {
                    // Guides are in inner cells only, so all these are cells.
                    let row = cell + z * nx * ny + y * nx - nx * ny - nx - 1;
                    near[row..row + 3].iter_mut().for_each(|cell| *cell |= mark);
                }
            }
        }
        self.block_of_cell.clear();
        self.block_of_cell.resize(cell_count, NONE);
        self.cell_of_block.clear();
        self.active.clear();
        for (cell, mark) in near.into_iter().enumerate().filter(|(_, mark)| *mark > 0) {
            self.block_of_cell[cell] = self.cell_of_block.len() as u32;
            self.cell_of_block.push(cell as u32);
            self.active.push(mark == 3);
        }
    }

    /// Number of a cell along each axis.
    #[inline(always)]
    pub fn coordinates(&self, cell: u32) -> [u32; 3] {
        let [nx, ny, _] = self.count;
        [cell % nx, cell / nx % ny, cell / nx / ny]
    }

    /// The cell of the guides whose 27 neighbours hold all guides near a block: the block's own, or the next inner one for a cell of
    /// the rim.
    #[inline(always)]
    pub fn inner_cell(&self, block: usize) -> [u32; 3] {
        let cell = self.coordinates(self.cell_of_block[block]);
        let inner = |k: usize| cell[k].clamp(1, self.count[k] - 2);
        [inner(0), inner(1), inner(2)]
    }

    /// Lowest corner of a cell [m].
    #[inline(always)]
    pub fn corner(&self, cell: u32) -> Vec3 {
        self.origin + self.side * Vec3::from(self.coordinates(cell).map(|c| c as f32))
    }

    /// Middle of a cell [m].
    #[inline(always)]
    pub fn middle(&self, cell: u32) -> Vec3 {
        self.corner(cell) + 0.5 * self.side
    }

    /// Distance between nodes [m].
    pub fn spacing(&self) -> f32 {
        self.side / ALONG as f32
    }

    /// Gathers the nodes of every block, those that it shares with the next cells included, from the cells that own them.
    pub fn gather_blocks(&mut self) {
        let mut node = std::mem::take(&mut self.node);
        node.resize(self.cell_of_block.len(), [Node::default(); BLOCK]);
        let blocks = node.par_iter_mut().with_min_len(64).enumerate();
        blocks.for_each(|(block, out)| self.gather(block, &self.own, out));
        // The one of grains that are in none.
        node.push([Node::default(); BLOCK]);
        self.node = node;
    }

    /// Numbers of a block's nodes, each from the cell whose own it is; nothing where that has no block.
    #[inline(always)]
    pub fn gather<T: Copy + Default>(&self, block: usize, of: &[[T; OWN]], out: &mut [T; BLOCK]) {
        let neighbors = &self.neighbors[block];
        let own = |k: usize| of.get(neighbors[k] as usize);
        for (row, out) in out.as_chunks_mut::<ALONG_BLOCK>().0.iter_mut().enumerate() {
            let (y, z) = (row % ALONG_BLOCK, row / ALONG_BLOCK);
            // The cell itself is the fourteenth of those around it.
            let cell = 13 + 9 * (z / ALONG) + 3 * (y / ALONG);
            let first = (z % ALONG * ALONG + y % ALONG) * ALONG;
            match own(cell) {
                Some(own) => out[..ALONG].copy_from_slice(&own[first..first + ALONG]),
                None => out[..ALONG].fill(T::default()),
            }
            out[ALONG] = own(cell + 1).map_or(T::default(), |own| own[first]);
        }
    }

    /// Which nodes are around sixteen points; the block after the last for points outside all blocks.
    #[inline(always)]
    pub(super) fn locate_all<L: Lanes>(&self, x: &[L; 3]) -> NodeLocation<L> {
        let (zero, inverse) = (L::splat(0.0), L::splat(1.0 / self.side));
        let (mut inside, mut beyond) = (u32::MAX, [zero; 3]);
        let (mut block, mut corners) = ([0u32; LANES], [[0u32; LANES]; 3]);
        let mut cells = 1u32;
        for axis in 0..3 {
            let at = (x[axis] - L::splat(self.origin[axis])) * inverse;
            inside &= at.below(L::splat(self.count[axis] as f32)) & !at.below(zero);
            let cell = at.to_u32();
            let mut whole = [0.0; LANES];
            for k in 0..LANES {
                whole[k] = cell[k] as i32 as f32;
                block[k] = block[k].wrapping_add(cell[k].wrapping_mul(cells));
            }
            let within = (at - L::from_array(&whole)) * L::splat(ALONG as f32);
            corners[axis] = within.at_most(L::splat(ALONG as f32 - 1.0)).to_u32();
            for k in 0..LANES {
                whole[k] = corners[axis][k] as i32 as f32;
            }
            beyond[axis] = within - L::from_array(&whole);
            cells *= self.count[axis];
        }
        let last = self.cell_of_block.len() as u32;
        for (k, block) in block.iter_mut().enumerate() {
            let found = if inside >> k & 1 == 1 { self.block_of_cell[*block as usize] } else { NONE };
            // The block after the last has no guides.
            *block = found.min(last);
        }
        NodeLocation { block, corners, beyond }
    }

    /// The block of a point; none outside of all.
    #[cfg(test)]
    pub(super) fn block_at(&self, x: Vec3) -> Option<usize> {
        let location = self.locate_all::<crate::simd::Portable>(&crate::simd::splat3(x.to_array()));
        let block = location.block[0] as usize;
        (block < self.cell_of_block.len()).then_some(block)
    }

    /// Lower bounds of the distances of sixteen points from the walls at the frame's start, cut off at `reach` [m].
    #[inline(always)]
    pub(super) fn wall_clearance_at<L: Lanes>(&self, location: &NodeLocation<L>, reach: f32) -> L {
        // The nearest of the block's own nodes, or a near one.
        let (mut own, mut square) = ([0u32; LANES], L::splat(0.0));
        let (half, mut nodes) = (L::splat(0.5), 1);
        for axis in 0..3 {
            let next = half.below(location.beyond[axis]);
            let mut step = [0.0; LANES];
            for k in 0..LANES {
                let corner = location.corners[axis][k];
                let next = next >> k & u32::from(corner + 1 < ALONG as u32);
                own[k] += (corner + next) * nodes;
                step[k] = next as i32 as f32;
            }
            let off = location.beyond[axis] - L::from_array(&step);
            square = square + off * off;
            nodes *= ALONG as u32;
        }
        let mut clearance = [f32::NEG_INFINITY; LANES];
        for k in 0..LANES {
            if let Some(distance) = self.wall_distance.get(location.block[k] as usize) {
                clearance[k] = distance[(own[k] as usize).min(OWN - 1)];
            }
        }
        L::from_array(&clearance).at_most(L::splat(reach))
            - L::splat(MOST_SLOPE * self.spacing()) * square.root()
    }

    /// Interpolates the motion of the guides at sixteen points: trilinearly between the eight nodes around each.
    #[inline(always)]
    pub(super) fn guide_motion_at<L: Lanes>(&self, location: &NodeLocation<L>) -> GuideMotion<L> {
        let mut parts = [[0.0; LANES]; 8];
        for (numbers, part) in parts.iter_mut().zip(trilinear_weights(&location.beyond)) {
            *numbers = part.to_array();
        }
        let mut sums = [[0.0f32; 8]; LANES];
        for (k, sum) in sums.iter_mut().enumerate() {
            let [x, y, z] = [location.corners[0][k], location.corners[1][k], location.corners[2][k]];
            let corner = (((z << 2 | y) << 2 | x) as usize).min(BLOCK - CORNER_STEPS[7] - 1);
            let near = &self.node[location.block[k] as usize][corner..corner + CORNER_STEPS[7] + 1];
            for c in 0..8 {
                let numbers: &[f32; 8] = bytemuck::cast_ref(&near[CORNER_STEPS[c]]);
                for i in 0..8 {
                    sum[i] += parts[c][k] * numbers[i];
                }
            }
        }
        let [[x, y, z, share], [vx, vy, vz, known]] = columns_of_rows::<L>(&sums);
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let known = zero.if_below(known, one / known, zero);
        GuideMotion {
            displacement: scaled([x, y, z], known),
            share: L::splat(FULL_SHARE).if_below(share, one, share),
            velocity: scaled([vx, vy, vz], known),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * (self.block_of_cell.capacity() + self.cell_of_block.capacity())
            + size_of::<[u32; 27]>() * self.neighbors.capacity()
            + size_of::<[f32; 3]>() * self.center.capacity()
            + self.active.capacity()
            + 4 * (self.walls.capacity()
                + self.walls_near_nodes.capacity()
                + self.center_clearance.capacity())
            + size_of::<[f32; OWN]>() * (self.wall_distance.capacity() + self.cover.capacity())
            + size_of::<[Node; OWN]>() * self.own.capacity()
            + size_of::<[Node; BLOCK]>() * self.node.capacity()
    }
}

/// Bits of the walls that come within reach \[m\] of a cube around a point, at the start or the end of a frame or between,
/// those of walls that are within reach or the support of guides (the cube's side) at the start, and the point's distance
/// \[m\] from the nearest wall at the start.
fn near_walls(walls: &[Wall], center: Vec3, side: f32, reach: f32) -> (u32, u32, f32) {
    let half = 0.5 * side * 3.0f32.sqrt();
    let near_reach = MOST_SLOPE * half + reach.max(side);
    let (mut bits, mut near, mut nearest) = (0, 0, f32::INFINITY);
    for (k, wall) in walls.iter().enumerate() {
        let distance = wall.start_distance(center);
        nearest = nearest.min(distance);
        let bit = 1 << (k as u32).min(WALL_BITS - 1);
        if !wall.is_far(distance, center, half, reach) {
            bits |= bit;
        }
        if distance < near_reach {
            near |= bit;
        }
    }
    (bits, near, nearest)
}
