//! What guides say about every place, on nodes: grains read it from the eight around them.
//!
//! Nodes stand three to a cell of the guides along each axis, a guide's radius apart, where guides are in the cell or
//! beside it. A block holds the nodes of a cell and those of the next cells' near faces, so that the eight around any
//! point of the cell are in one block.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use rayon::prelude::*;

use super::contact::Wall;
use super::guides::{Deformation, Guide, GuideGrid};
use super::mover::{Fault, FrameInput, MoverSettings};
use super::sixteen::{Columns, numbers, parts_of, scaled};
use super::weights::{beyond_wall, coverage, guided_share, published_share, weight};
use crate::simd::{Instructions, LANES, Lanes, Vectorised};

/// Nodes of a cell along an axis.
pub const ALONG: usize = 3;
/// Nodes of a cell.
pub const OWN: usize = ALONG * ALONG * ALONG;
/// Nodes of a block along an axis.
pub const SHARED: usize = ALONG + 1;
/// Nodes of a block.
pub const BLOCK: usize = SHARED * SHARED * SHARED;
/// No block.
pub const NONE: u32 = u32::MAX;
/// Steps from a node of a block to the eight around a point beyond it.
pub const STEPS: [usize; 8] = [0, 1, 4, 5, 16, 17, 20, 21];
/// Walls that blocks tell apart; later ones are near everywhere.
const TOLD_WALLS: u32 = 32;

/// Share from which on all of the motion is the guides'; the shares of eight nodes are rounded.
pub const ALL: f32 = 0.9999;

/// What guides say at a node; nothing where none is near.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Node {
    /// Weighted mean of the guides' ways, deformations included [m].
    pub way: [f32; 3],
    /// Share of a grain's motion that guides have.
    pub share: f32,
    /// Weighted mean of their velocities [m/s].
    pub velocity: [f32; 3],
    /// 1 where guides are near, 0 elsewhere.
    pub known: f32,
}

/// What guides say at sixteen points.
pub(super) struct SaidAll<L> {
    /// The ways of what is there [m].
    pub way: [L; 3],
    /// Share of a grain's motion that guides have.
    pub share: L,
    /// Velocities [m/s].
    pub velocity: [L; 3],
}

/// Where sixteen points are among nodes.
pub(super) struct Places {
    /// The block, or the one beyond the last, which has no guides.
    pub block: [u32; LANES],
    /// The node of the block before the point along every axis.
    pub corner: [u32; LANES],
    /// How far the point is beyond it, in distances of nodes.
    pub beyond: Columns,
}

/// Where a point is among nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The block.
    pub block: usize,
    /// The node of the block before the point along every axis.
    pub corner: usize,
    /// How far the point is beyond it, in distances of nodes.
    pub beyond: Vec3,
}

/// Blocks of nodes.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// Lowest corner of the cells [m].
    pub origin: Vec3,
    /// Side of a cell [m].
    pub side: f32,
    /// Cells along each axis.
    pub count: [u32; 3],
    /// Block of each cell, or [`NONE`].
    pub block_of_cell: Vec<u32>,
    /// Cell of each block, ascending.
    pub cell_of_block: Vec<u32>,
    /// Blocks of the 27 cells around that of each block, or [`NONE`]: by `(z + 1) 9 + (y + 1) 3 + x + 1`.
    pub neighbors: Vec<[u32; 27]>,
    /// Middle of each block [m].
    pub center: Vec<[f32; 3]>,
    /// Whether any guide around a block moves.
    pub stirs: Vec<bool>,
    /// Walls that may be within reach of a grain in the block: a bit each, the last for all from there on.
    pub walls: Vec<u32>,
    /// Distance of the middle of each block from the nearest wall at the frame's start [m].
    pub room: Vec<f32>,
    /// How much of the room around each own node guides fill, and what they say there.
    pub own: Vec<[(f32, Node); OWN]>,
    /// Nodes of blocks.
    pub node: Vec<[Node; BLOCK]>,
}

impl Nodes {
    /// Finds the blocks around guides; `reach` [m] is how far walls may be from grains that meet them.
    pub fn lay(&mut self, frame: &FrameInput, reach: f32) {
        let grid = frame.guides;
        (self.origin, self.side, self.count) = (grid.origin, grid.side, grid.count);
        self.find_blocks(grid);
        self.find_neighbors();
        let near = |center: &[f32; 3]| near_walls(frame.walls, Vec3::from(*center), grid.side, reach);
        let centers = self.center.par_iter().with_min_len(64);
        centers.map(near).unzip_into_vecs(&mut self.walls, &mut self.room);
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
        let [x, y, z] = [cell % nx, cell / nx % ny, cell / nx / ny];
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

    /// Numbers the cells that have guides or lie beside such.
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
        self.stirs.clear();
        for (cell, mark) in near.into_iter().enumerate().filter(|(_, mark)| *mark > 0) {
            self.block_of_cell[cell] = self.cell_of_block.len() as u32;
            self.cell_of_block.push(cell as u32);
            self.stirs.push(mark == 3);
        }
    }

    /// Lowest corner of a cell [m].
    pub fn corner(&self, cell: u32) -> Vec3 {
        let [nx, ny, _] = self.count;
        let cell = Vec3::new((cell % nx) as f32, (cell / nx % ny) as f32, (cell / nx / ny) as f32);
        self.origin + self.side * cell
    }

    /// Middle of a cell [m].
    #[inline(always)]
    pub fn middle(&self, cell: u32) -> Vec3 {
        self.corner(cell) + 0.5 * self.side
    }

    /// Distance of nodes [m].
    pub fn spacing(&self) -> f32 {
        self.side / ALONG as f32
    }

    /// The block of the cell so many cells off a block's own, at most one along each axis; none where there is none.
    #[inline]
    pub fn beside(&self, block: usize, [x, y, z]: [i32; 3]) -> Option<usize> {
        let found = self.neighbors[block][((z + 1) * 9 + (y + 1) * 3 + x + 1) as usize];
        (found != NONE).then_some(found as usize)
    }

    /// Asks the guides at every node.
    pub fn ask(
        &mut self,
        settings: &MoverSettings,
        frame: &FrameInput,
        deformation: &[Deformation],
        instructions: Instructions,
    ) {
        let mut own = std::mem::take(&mut self.own);
        let asked = Asking { settings, frame, deformation, instructions, nodes: self };
        let blocks = (0..self.cell_of_block.len()).into_par_iter().with_min_len(8);
        let answers = blocks.map_init(Vec::new, |candidate, block| asked.block(block, candidate));
        answers.collect_into_vec(&mut own);
        self.own = own;
    }

    /// Gathers the nodes of blocks from the own nodes of cells.
    pub fn share(&mut self) {
        let mut node = std::mem::take(&mut self.node);
        let blocks = (0..self.cell_of_block.len()).into_par_iter().with_min_len(64);
        blocks.map(|block| self.gathered(block, |(_, node)| *node)).collect_into_vec(&mut node);
        // The one of grains that are in none.
        node.push([Node::default(); BLOCK]);
        self.node = node;
    }

    /// Numbers of a block's nodes, each from the cell whose own it is; nothing where that has no block.
    pub fn gathered<T: Copy + Default>(&self, block: usize, of: impl Fn(&(f32, Node)) -> T) -> [T; BLOCK] {
        let mut out = [T::default(); BLOCK];
        for part in 0..8 {
            let step = [part & 1, part >> 1 & 1, part >> 2];
            let Some(other) = self.beside(block, step.map(|s| s as i32)) else { continue };
            let range = |s: usize| if s == 1 { ALONG..SHARED } else { 0..ALONG };
            for z in range(step[2]) {
                for y in range(step[1]) {
                    for x in range(step[0]) {
                        let own = (z % ALONG * ALONG + y % ALONG) * ALONG + x % ALONG;
                        out[(z * SHARED + y) * SHARED + x] = of(&self.own[other][own]);
                    }
                }
            }
        }
        out
    }

    /// Where a point is; none outside of all blocks.
    #[inline(always)]
    pub fn locate(&self, x: Vec3) -> Option<Place> {
        let at = (x - self.origin) / self.side;
        let end = Vec3::from(self.count.map(|c| c as f32));
        if !(at.cmpge(Vec3::ZERO).all() && at.cmplt(end).all()) {
            return None;
        }
        // Not negative, so that whole parts are below.
        let cell = [at.x as i32 as u32, at.y as i32 as u32, at.z as i32 as u32];
        let [nx, ny, _] = self.count;
        let block = self.block_of_cell[((cell[2] * ny + cell[1]) * nx + cell[0]) as usize];
        if block == NONE {
            return None;
        }
        let inside = (at - Vec3::new(cell[0] as f32, cell[1] as f32, cell[2] as f32)) * ALONG as f32;
        let last = ALONG as i32 - 1;
        let corner = [(inside.x as i32).min(last), (inside.y as i32).min(last), (inside.z as i32).min(last)];
        let beyond = inside - Vec3::new(corner[0] as f32, corner[1] as f32, corner[2] as f32);
        let corner = corner.map(|c| c as usize);
        let corner = (corner[2] * SHARED + corner[1]) * SHARED + corner[0];
        Some(Place { block: block as usize, corner, beyond })
    }

    /// Where sixteen points are; beyond the last block outside of all.
    #[inline(always)]
    pub(super) fn locate_all(&self, x: &Columns) -> Places {
        let mut place = Places { block: [0; LANES], corner: [0; LANES], beyond: [[0.0; LANES]; 3] };
        let mut outside = [0u32; LANES];
        let inverse = 1.0 / self.side;
        let (mut cells, mut nodes) = (1u32, 1u32);
        for axis in 0..3 {
            let (origin, end) = (self.origin[axis], self.count[axis] as f32);
            for k in 0..LANES {
                let at = (x[axis][k] - origin) * inverse;
                outside[k] |= u32::from(!(at >= 0.0 && at < end));
                // Not negative, so that whole parts are below.
                let cell = at as i32;
                let inside = (at - cell as f32) * ALONG as f32;
                let corner = (inside as i32).min(ALONG as i32 - 1);
                place.beyond[axis][k] = inside - corner as f32;
                place.block[k] = place.block[k].wrapping_add((cell as u32).wrapping_mul(cells));
                place.corner[k] = place.corner[k].wrapping_add((corner as u32).wrapping_mul(nodes));
            }
            cells *= self.count[axis];
            nodes *= SHARED as u32;
        }
        let last = self.cell_of_block.len() as u32;
        for k in 0..LANES {
            let cell = place.block[k] as usize;
            let block = if outside[k] == 0 { self.block_of_cell[cell] } else { NONE };
            // A block without guides follows the last.
            place.block[k] = block.min(last);
        }
        place
    }

    /// What guides say at sixteen places.
    #[inline(always)]
    pub(super) fn said_at<L: Lanes>(&self, place: &Places) -> SaidAll<L> {
        let parts = parts_of(&place.beyond);
        let mut sums = [[[0.0f32; 4]; LANES]; 2];
        for k in 0..LANES {
            let corner = (place.corner[k] as usize).min(BLOCK - STEPS[7] - 1);
            let near = &self.node[place.block[k] as usize][corner..corner + STEPS[7] + 1];
            let mut sum = [0.0f32; 8];
            for c in 0..8 {
                let numbers: &[f32; 8] = bytemuck::cast_ref(&near[STEPS[c]]);
                for i in 0..8 {
                    sum[i] += parts[c][k] * numbers[i];
                }
            }
            sums[0][k].copy_from_slice(&sum[..4]);
            sums[1][k].copy_from_slice(&sum[4..]);
        }
        let [x, y, z, share] = L::from_rows(&sums[0]);
        let [vx, vy, vz, known] = L::from_rows(&sums[1]);
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let known = zero.if_below(known, one / known, zero);
        SaidAll {
            way: scaled([x, y, z], known),
            share: L::splat(ALL).if_below(share, one, share),
            velocity: scaled([vx, vy, vz], known),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * (self.block_of_cell.capacity() + self.cell_of_block.capacity())
            + size_of::<[u32; 27]>() * self.neighbors.capacity()
            + size_of::<[f32; 3]>() * self.center.capacity()
            + self.stirs.capacity()
            + 4 * (self.walls.capacity() + self.room.capacity())
            + size_of::<[(f32, Node); OWN]>() * self.own.capacity()
            + size_of::<[Node; BLOCK]>() * self.node.capacity()
    }
}

/// Shares of the eight nodes around a point.
#[inline(always)]
pub fn parts(t: Vec3) -> [f32; 8] {
    let s = 1.0 - t;
    let (a, b, c, d) = (s.y * s.z, t.y * s.z, s.y * t.z, t.y * t.z);
    [s.x * a, t.x * a, s.x * b, t.x * b, s.x * c, t.x * c, s.x * d, t.x * d]
}

/// Bits of the walls that come within reach [m] of a cube around a point, at the start or the end of a frame or between,
/// and the point's distance [m] from the nearest wall at the start.
fn near_walls(walls: &[Wall], center: Vec3, side: f32, reach: f32) -> (u32, f32) {
    let half = 0.5 * side * 3.0f32.sqrt();
    let (mut bits, mut nearest) = (0, f32::INFINITY);
    for (k, wall) in walls.iter().enumerate() {
        let distance = wall.start_distance(center);
        nearest = nearest.min(distance);
        if !wall.is_far(distance, center, half, reach) {
            bits |= 1 << (k as u32).min(TOLD_WALLS - 1);
        }
    }
    (bits, nearest)
}

/// Sums over candidates at sixteen nodes.
///
/// ```text
/// u(x) = sum_j w_j (u_j + A_j (x - x_j)) / sum_j w_j      v(x) = sum_j w_j v_j / sum_j w_j
/// ```
struct Gather<'a> {
    guide: &'a [Guide],
    deformation: &'a [Deformation],
    candidate: &'a [u32],
    x: &'a [[f32; LANES]; 3],
    inverse_support: f32,
}

/// What guides say at sixteen nodes.
#[derive(Clone, Copy, Default)]
struct Sums {
    sum: [f32; LANES],
    largest: [f32; LANES],
    carrying: [f32; LANES],
    way: [[f32; LANES]; 3],
    velocity: [[f32; LANES]; 3],
}

impl Vectorised for Gather<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Sums {
        let zero = L::splat(0.0);
        let x = [L::from_array(&self.x[0]), L::from_array(&self.x[1]), L::from_array(&self.x[2])];
        let (mut sum, mut largest, mut carrying) = (zero, zero, zero);
        let (mut way, mut velocity) = ([zero; 3], [zero; 3]);
        let inverse = L::splat(self.inverse_support * self.inverse_support);
        for &j in self.candidate {
            let (guide, affine) = (&self.guide[j as usize], &self.deformation[j as usize]);
            let d = [
                x[0] - L::splat(guide.position[0]),
                x[1] - L::splat(guide.position[1]),
                x[2] - L::splat(guide.position[2]),
            ];
            let w = weight((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inverse);
            sum = sum + w;
            largest = largest.at_least(w);
            carrying = carrying + w * L::splat(affine.rows[0][3]);
            for k in 0..3 {
                let row = &affine.rows[k];
                let own = L::splat(guide.displacement[k])
                    + L::splat(row[0]) * d[0]
                    + L::splat(row[1]) * d[1]
                    + L::splat(row[2]) * d[2];
                way[k] = way[k] + w * own;
                velocity[k] = velocity[k] + w * L::splat(guide.velocity[k]);
            }
        }
        Sums {
            sum: sum.to_array(),
            largest: largest.to_array(),
            carrying: carrying.to_array(),
            way: numbers(way),
            velocity: numbers(velocity),
        }
    }
}

/// All that it takes to ask the guides.
struct Asking<'a> {
    settings: &'a MoverSettings,
    frame: &'a FrameInput<'a>,
    deformation: &'a [Deformation],
    instructions: Instructions,
    nodes: &'a Nodes,
}

impl Asking<'_> {
    /// The own nodes of a block.
    fn block(&self, block: usize, candidate: &mut Vec<u32>) -> [(f32, Node); OWN] {
        let low = self.nodes.corner(self.nodes.cell_of_block[block]);
        // No node of the block is nearer to a wall.
        let nearest = self.nodes.room[block] - 0.5 * 3.0f32.sqrt() * self.nodes.side;
        let spacing = self.nodes.spacing();
        self.find_candidates(low, low + 2.0 * spacing, candidate);
        let mut own = [(0.0, Node::default()); OWN];
        for first in (0..OWN).step_by(LANES) {
            let mut x = [[0.0; LANES]; 3];
            let [xs, ys, zs] = &mut x;
            for (k, ((x, y), z)) in xs.iter_mut().zip(ys).zip(zs).enumerate() {
                let node = (first + k).min(OWN - 1);
                let steps = Vec3::new((node % 3) as f32, (node / 3 % 3) as f32, (node / 9) as f32);
                [*x, *y, *z] = (low + spacing * steps).to_array();
            }
            let sums = self.instructions.run(Gather {
                guide: &self.frame.guides.guide,
                deformation: self.deformation,
                candidate,
                x: &x,
                inverse_support: 1.0 / self.frame.guides.support,
            });
            for k in 0..LANES.min(OWN - first) {
                let place = Vec3::new(x[0][k], x[1][k], x[2][k]);
                own[first + k] = self.node(&sums, k, place, nearest);
            }
        }
        own
    }

    /// Guides that are within their support of a box.
    fn find_candidates(&self, low: Vec3, high: Vec3, candidate: &mut Vec<u32>) {
        let grid = self.frame.guides;
        let reach = grid.support * grid.support;
        candidate.clear();
        let middle = 0.5 * (low + high);
        grid.rows(middle, middle, |range| {
            for j in range {
                let p = Vec3::from(grid.guide[j].position);
                let beyond = (low - p).max(p - high).max(Vec3::ZERO);
                if beyond.length_squared() < reach {
                    candidate.push(j as u32);
                }
            }
        });
    }

    fn node(&self, sums: &Sums, k: usize, x: Vec3, nearest: f32) -> (f32, Node) {
        let (sum, largest, carrying) = (sums.sum[k], sums.largest[k], sums.carrying[k]);
        if sum <= 0.0 {
            return (0.0, Node::default());
        }
        let mean = |of: &[[f32; LANES]; 3]| [of[0][k] / sum, of[1][k] / sum, of[2][k] / sum];
        let share = self.share(x, sum, largest, carrying, nearest);
        let node = Node { way: mean(&sums.way), share, velocity: mean(&sums.velocity), known: 1.0 };
        (coverage(sum, 0.0), node)
    }

    /// The guides' share of the motion of grains at a node that is no nearer to a wall than told [m].
    fn share(&self, x: Vec3, sum: f32, largest: f32, carrying: f32, nearest: f32) -> f32 {
        if self.settings.fault == Some(Fault::PublishedShare) {
            return published_share(sum, largest);
        }
        let share = guided_share(sum, largest, carrying, 0.0);
        let support = self.frame.guides.support;
        if share == 1.0 || nearest >= support {
            return share;
        }
        // A wall beside the grain is no missing guide.
        let walls = self.frame.walls.iter();
        let nearest = walls.map(|wall| wall.start_distance(x)).fold(support, f32::min);
        guided_share(sum, largest, carrying, beyond_wall(nearest / support))
    }
}
