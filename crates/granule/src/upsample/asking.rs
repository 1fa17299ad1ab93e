//! What guides say at the own nodes of blocks.

use glam::{Mat3, Vec3};
use rayon::prelude::*;

use super::contact::Wall;
use super::deformation::Deformation;
use super::mover::{Fault, FrameInput, MoverSettings};
use super::nodes::{Node, Nodes, OWN, TOLD_WALLS};
use super::weights::{beyond_wall, coverage, guided_share, published_share, weight};
use crate::simd::{Instructions, LANES, Lanes, Vectorised, first_lanes};

/// First nodes of the two groups of sixteen that a block's own are asked in; some belong to both.
pub(super) const GROUPS: [usize; 2] = [0, OWN - LANES];

/// Blocks that a thread takes at once.
const CHUNK: usize = 16;

impl Nodes {
    /// Asks the guides at every node.
    pub fn ask(
        &mut self,
        settings: &MoverSettings,
        frame: &FrameInput,
        deformation: &[Deformation],
        instructions: Instructions,
    ) {
        let (mut own, mut cover, mut wall_distance) = (
            std::mem::take(&mut self.own),
            std::mem::take(&mut self.cover),
            std::mem::take(&mut self.wall_distance),
        );
        let count = self.cell_of_block.len();
        own.resize(count, [Node::default(); OWN]);
        cover.resize(count, [0.0; OWN]);
        wall_distance.resize(count, [0.0; OWN]);
        let asking = Asking { settings, frame, deformation, instructions, nodes: self };
        let chunks = own.par_chunks_mut(CHUNK).zip(cover.par_chunks_mut(CHUNK));
        let chunks = chunks.zip(wall_distance.par_chunks_mut(CHUNK)).enumerate();
        chunks.for_each_init(Vec::new, |candidate, (chunk, ((own, cover), wall_distance))| {
            let first = chunk * CHUNK;
            for (k, distance) in wall_distance.iter_mut().enumerate() {
                asking.measure_walls(first + k, distance);
            }
            instructions.run(AskBlocks { asking: &asking, first, candidate, own, cover, wall_distance });
        });
        (self.own, self.cover, self.wall_distance) = (own, cover, wall_distance);
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

/// Asks at the nodes of some blocks that follow each other.
struct AskBlocks<'a> {
    asking: &'a Asking<'a>,
    first: usize,
    candidate: &'a mut Vec<u32>,
    own: &'a mut [[Node; OWN]],
    cover: &'a mut [[f32; OWN]],
    wall_distance: &'a [[f32; OWN]],
}

impl Vectorised for AskBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let asking = self.asking;
        for (k, (own, cover)) in self.own.iter_mut().zip(self.cover).enumerate() {
            let block = self.first + k;
            let count = asking.find_candidates::<L>(block, self.candidate);
            let candidates = &self.candidate[..count];
            let x = asking.places(block).map(|group| group.map(|axis| L::from_array(&axis)));
            let sums = if asking.nodes.stirs[block] {
                asking.gather::<L>(&x, candidates)
            } else {
                asking.gather_resting::<L>(&x, candidates)
            };
            let near_walls = asking.nodes.beside_walls[block] != 0;
            for (sums, first) in sums.into_iter().zip(GROUPS) {
                let distance = near_walls.then(|| lanes_from::<L>(&self.wall_distance[k], first));
                asking.answer(&sums, distance, &mut own[first..], &mut cover[first..]);
            }
        }
    }
}

#[inline(always)]
fn lanes_from<L: Lanes>(numbers: &[f32; OWN], first: usize) -> L {
    crate::simd::load(numbers, first)
}

/// Sums over the guides around sixteen nodes.
///
/// ```text
/// u(x) = sum_j w_j (u_j + A_j (x - x_j)) / sum_j w_j      v(x) = sum_j w_j v_j / sum_j w_j
/// ```
#[derive(Clone, Copy)]
struct Sums<L> {
    weight: L,
    largest: L,
    carrying: L,
    way: [L; 3],
    velocity: [L; 3],
}

impl<L: Lanes> Sums<L> {
    #[inline(always)]
    fn nothing() -> Self {
        let zero = L::splat(0.0);
        Self { weight: zero, largest: zero, carrying: zero, way: [zero; 3], velocity: [zero; 3] }
    }
}

impl Asking<'_> {
    /// Places of a block's own nodes in two groups [m].
    #[inline(always)]
    fn places(&self, block: usize) -> [[[f32; LANES]; 3]; 2] {
        let low = self.nodes.corner(self.nodes.cell_of_block[block]).to_array();
        let spacing = self.nodes.spacing();
        let mut places = [[[0.0; LANES]; 3]; 2];
        for (group, first) in places.iter_mut().zip(GROUPS) {
            for ((axis, low), step) in group.iter_mut().zip(low).zip([1, 3, 9]) {
                for (k, x) in axis.iter_mut().enumerate() {
                    *x = low + spacing * ((first + k) / step % 3) as f32;
                }
            }
        }
        places
    }

    /// Guides that are within their support of the box around a block's own nodes: how many, at the start of the list.
    #[inline(always)]
    fn find_candidates<L: Lanes>(&self, block: usize, candidate: &mut Vec<u32>) -> usize {
        let (grid, nodes) = (self.frame.guides, self.nodes);
        let cell = nodes.coordinates(nodes.cell_of_block[block]);
        let inner = [0, 1, 2].map(|k| cell[k].clamp(1, nodes.count[k] - 2));
        let rows = grid.rows_around(inner);
        let most = rows.iter().map(|[from, to]| (to - from) as usize).sum::<usize>() + LANES;
        if candidate.len() < most {
            candidate.resize(2 * most, 0);
        }
        let low = nodes.corner(nodes.cell_of_block[block]);
        let high = low + 2.0 * nodes.spacing();
        let (low, high) = (low.to_array().map(L::splat), high.to_array().map(L::splat));
        let (reach, zero) = (L::splat(grid.support * grid.support), L::splat(0.0));
        let mut count = 0;
        for [from, to] in rows {
            for first in (from as usize..to as usize).step_by(LANES) {
                let p = grid.columns.position::<L>(first);
                let beyond = |k: usize| (low[k] - p[k]).at_least(p[k] - high[k]).at_least(zero);
                let d = [beyond(0), beyond(1), beyond(2)];
                let near = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).below(reach);
                let near = near & first_lanes(to as usize - first);
                // SAFETY: the list has room for all guides of the rows and sixteen more.
                count += unsafe { L::push_indices(first as u32, near, candidate.as_mut_ptr().add(count)) };
            }
        }
        count
    }

    /// Sums at the nodes of a block around which something moves.
    #[inline(always)]
    fn gather<L: Lanes>(&self, x: &[[L; 3]; 2], candidates: &[u32]) -> [Sums<L>; 2] {
        let support = self.frame.guides.support;
        let inverse = L::splat(1.0 / (support * support));
        let mut sums = [Sums::<L>::nothing(); 2];
        for &j in candidates {
            let (guide, affine) = (&self.frame.guides.guide[j as usize], &self.deformation[j as usize]);
            for (sums, x) in sums.iter_mut().zip(x) {
                let p = guide.position;
                let d = [x[0] - L::splat(p[0]), x[1] - L::splat(p[1]), x[2] - L::splat(p[2])];
                let w = weight((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inverse);
                sums.weight = sums.weight + w;
                sums.largest = sums.largest.at_least(w);
                sums.carrying = sums.carrying + w * L::splat(affine.rows[0][3]);
                for k in 0..3 {
                    let row = &affine.rows[k];
                    let own = L::splat(guide.displacement[k])
                        + L::splat(row[0]) * d[0]
                        + L::splat(row[1]) * d[1]
                        + L::splat(row[2]) * d[2];
                    sums.way[k] = sums.way[k] + w * own;
                    sums.velocity[k] = sums.velocity[k] + w * L::splat(guide.velocity[k]);
                }
            }
        }
        sums
    }

    /// The same where nothing moves: guides have no ways, no velocities, and carry nothing.
    #[inline(always)]
    fn gather_resting<L: Lanes>(&self, x: &[[L; 3]; 2], candidates: &[u32]) -> [Sums<L>; 2] {
        let support = self.frame.guides.support;
        let inverse = L::splat(1.0 / (support * support));
        let mut sums = [Sums::<L>::nothing(); 2];
        for &j in candidates {
            let p = self.frame.guides.guide[j as usize].position;
            for (sums, x) in sums.iter_mut().zip(x) {
                let d = [x[0] - L::splat(p[0]), x[1] - L::splat(p[1]), x[2] - L::splat(p[2])];
                let w = weight((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inverse);
                sums.weight = sums.weight + w;
                sums.largest = sums.largest.at_least(w);
            }
        }
        sums
    }

    /// What sums mean at sixteen nodes with distances from walls [m], where some are near; at the start of what is given.
    #[inline(always)]
    fn answer<L: Lanes>(&self, sums: &Sums<L>, distance: Option<L>, own: &mut [Node], cover: &mut [f32]) {
        let (zero, sum) = (L::splat(0.0), sums.weight);
        let mean = |of: L| zero.if_below(sum, of / sum, zero);
        // A wall beside the grain is no missing guide.
        let wall = distance.map_or(zero, |d| beyond_wall(d / L::splat(self.frame.guides.support)));
        let share = if self.settings.fault == Some(Fault::PublishedShare) {
            let (sum, largest) = (sum.to_array(), sums.largest.to_array());
            let mut share = [0.0; LANES];
            for k in 0..LANES {
                share[k] = published_share(sum[k], largest[k]);
            }
            L::from_array(&share)
        } else {
            guided_share(sum, sums.largest, sums.carrying, wall)
        };
        let known = zero.if_below(sum, L::splat(1.0), zero);
        let [x, y, z] = sums.way.map(mean);
        let [u, v, w] = sums.velocity.map(mean);
        crate::simd::store(&mut cover[..LANES], 0, coverage(sum, zero));
        let own: &mut [f32] = bytemuck::cast_slice_mut(&mut own[..LANES]);
        // SAFETY: sixteen nodes of eight numbers each are there.
        unsafe {
            L::to_rows([x, y, z, share], own.as_mut_ptr(), 8);
            L::to_rows([u, v, w, known], own.as_mut_ptr().add(4), 8);
        }
    }

    /// Distances of a block's own nodes from the nearest wall at the frame's start [m].
    fn measure_walls(&self, block: usize, distance: &mut [f32; OWN]) {
        distance.fill(f32::INFINITY);
        let bits = self.nodes.beside_walls[block];
        if bits == 0 {
            return;
        }
        let places = self.places(block);
        for (k, wall) in self.frame.walls.iter().enumerate() {
            if bits >> (k as u32).min(TOLD_WALLS - 1) & 1 == 0 {
                continue;
            }
            for (group, first) in places.iter().zip(GROUPS) {
                let found = start_distances(wall, group, self.instructions);
                for (distance, found) in distance[first..].iter_mut().zip(found) {
                    *distance = distance.min(found);
                }
            }
        }
    }
}

/// Distances of sixteen points from where a wall is at the frame's start [m].
fn start_distances(wall: &Wall, x: &[[f32; LANES]; 3], instructions: Instructions) -> [f32; LANES] {
    let pose = &wall.start;
    let turned = Mat3::from_quat(pose.rotation.conjugate());
    let mut local = [[0.0; LANES]; 3];
    for k in 0..LANES {
        let place = turned * (Vec3::new(x[0][k], x[1][k], x[2][k]) - pose.translation);
        (local[0][k], local[1][k], local[2][k]) = (place.x, place.y, place.z);
    }
    wall.sdf.distances(&local, instructions)
}
