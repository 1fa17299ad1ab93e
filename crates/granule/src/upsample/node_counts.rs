//! Counts of grains at the nodes of the guides, each at the node nearest to it.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::grain::Grain;
use super::nodes::{ALONG, NONE, Nodes, OWN};
use crate::neighbors::Domain;
use crate::simd::{Instructions, LANES, Lanes, Vectorised};

/// Grains within so many node spacings beyond an end of a period count there, too: the two nodes of a block's halo, and half
/// a spacing for the nearest of them.
const IMAGE_NODES: f32 = 2.5;

/// Grains that a thread takes at once.
const CHUNK: usize = 4096;

/// A block's own nodes and one more, so that four are there from the start of every row on.
pub(super) const PADDED_OWN: usize = OWN + 1;

/// Steps to sixteen records from the first of them.
pub(super) const SIXTEEN: [u16; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Numbers of a grain.
const NUMBERS: usize = 8;
const _: () = assert!(size_of::<Grain>() == 4 * NUMBERS);

/// Calls for a point and for its periodic images within `reach` \[m\] of the domain.
#[inline(always)]
pub(super) fn with_images(domain: &Domain, x: Vec3, reach: f32, mut each: impl FnMut(Vec3)) {
    each(x);
    if !domain.is_periodic() {
        return;
    }
    let mut places = [x; 8];
    let mut count = 1;
    for axis in 0..3 {
        let Some((origin, length)) = domain.period(axis) else { continue };
        let at = x[axis] - origin;
        let shift = if at < reach {
            length
        } else if at > length - reach {
            -length
        } else {
            continue;
        };
        for k in 0..count {
            places[count + k] = places[k];
            places[count + k][axis] += shift;
        }
        count *= 2;
    }
    places[1..count].iter().for_each(|place| each(*place));
}

/// Counts of grains at nodes.
#[derive(Debug, Default)]
pub struct NodeCounts {
    /// Grains at the own nodes of every block, and of one more, which has none.
    pub(super) count: Vec<[AtomicU32; PADDED_OWN]>,
}

impl NodeCounts {
    /// Counts grains. Whole numbers, so that their order does not matter.
    pub fn count(&mut self, nodes: &Nodes, grains: &[Grain], domain: &Domain, instructions: Instructions) {
        let blocks = nodes.cell_of_block.len() + 1;
        self.count.resize_with(blocks, || [const { AtomicU32::new(0) }; PADDED_OWN]);
        self.count.iter_mut().flatten().for_each(|count| *count.get_mut() = 0);
        let alone = rayon::current_num_threads() == 1;
        let counting = Counting { nodes, count: &self.count, alone };
        grains.par_chunks(CHUNK).for_each(|grains| {
            instructions.run(CountGrains { counting, grains });
        });
        if domain.is_periodic() {
            let reach = IMAGE_NODES * nodes.spacing();
            grains.par_iter().with_min_len(CHUNK).for_each(|grain| {
                let x = Vec3::from(grain.position);
                with_images(domain, x, reach, |image| {
                    if image != x {
                        counting.add_one(image);
                    }
                });
            });
        }
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        size_of::<[AtomicU32; PADDED_OWN]>() * self.count.capacity()
    }
}

/// Where grains are counted.
#[derive(Clone, Copy)]
struct Counting<'a> {
    nodes: &'a Nodes,
    count: &'a [[AtomicU32; PADDED_OWN]],
    /// Whether no other thread counts.
    alone: bool,
}

impl Counting<'_> {
    /// Counts a grain at a node of a cell.
    #[inline(always)]
    fn add(&self, cell: u32, own: u32) {
        let block = self.nodes.block_of_cell[cell as usize];
        if block == NONE {
            return;
        }
        let count = &self.count[block as usize][own as usize];
        if self.alone {
            count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        } else {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The cell of a node, and which of its own it is.
    #[inline(always)]
    fn owner(&self, node: [u32; 3]) -> (u32, u32) {
        const N: u32 = ALONG as u32;
        let [nx, ny, _] = self.nodes.count;
        let [x, y, z] = [node[0] / N, node[1] / N, node[2] / N];
        let own = ((node[2] - z * N) * N + node[1] - y * N) * N + node[0] - x * N;
        ((z * ny + y) * nx + x, own)
    }

    /// Nodes along each axis.
    #[inline(always)]
    fn end(&self) -> [f32; 3] {
        let [x, y, z] = self.nodes.count;
        [x as f32 * ALONG as f32, y as f32 * ALONG as f32, z as f32 * ALONG as f32]
    }

    fn add_one(&self, x: Vec3) {
        let at = (x - self.nodes.origin) * (1.0 / self.nodes.spacing()) + 0.5;
        if at.cmpge(Vec3::ZERO).all() && at.cmplt(Vec3::from(self.end())).all() {
            // Not negative, so that whole parts are below.
            let (cell, own) = self.owner(at.to_array().map(|at| at as u32));
            self.add(cell, own);
        }
    }
}

/// Counts some grains.
struct CountGrains<'a> {
    counting: Counting<'a>,
    grains: &'a [Grain],
}

impl Vectorised for CountGrains<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (groups, rest) = self.grains.as_chunks::<LANES>();
        groups.iter().for_each(|group| self.counting.add_sixteen::<L>(group));
        rest.iter().for_each(|grain| self.counting.add_one(grain.position.into()));
    }
}

impl Counting<'_> {
    #[inline(always)]
    fn add_sixteen<L: Lanes>(&self, grains: &[Grain; LANES]) {
        // SAFETY: sixteen grains of eight numbers each are there.
        let position = unsafe { L::gather4::<NUMBERS>(grains.as_ptr().cast(), 0, &SIXTEEN) };
        let (origin, inverse) = (self.nodes.origin.to_array(), L::splat(1.0 / self.nodes.spacing()));
        let (zero, end) = (L::splat(0.0), self.end());
        let mut inside = (1 << LANES) - 1;
        let mut node = [[0i32; LANES]; 3];
        for k in 0..3 {
            let at = (position[k] - L::splat(origin[k])) * inverse + L::splat(0.5);
            inside &= !at.below(zero) & at.below(L::splat(end[k]));
            let at = at.at_least(zero).at_most(L::splat(end[k])).to_array();
            for lane in 0..LANES {
                // SAFETY: between 0 and the number of nodes, which is far below what fits.
                node[k][lane] = unsafe { at[lane].to_int_unchecked() };
            }
        }
        let (mut cell, mut own) = ([0; LANES], [0; LANES]);
        for k in 0..LANES {
            (cell[k], own[k]) = self.owner([node[0][k] as u32, node[1][k] as u32, node[2][k] as u32]);
        }
        for k in 0..LANES {
            if inside >> k & 1 == 1 {
                self.add(cell[k], own[k]);
            }
        }
    }
}
