//! Excess of grains on the fine grid over what guides are worth.

use rayon::prelude::*;

use super::{BEYOND, FIXED_POINT_ONE, FineGrid, NONE};
use crate::simd::{Instructions, LANES, Lanes, Vectorised, load, store};
use crate::upsample::advector::AdvectionSettings;
use crate::upsample::grain_lanes::lanes_of;
use crate::upsample::nodes::{ALONG, ALONG_BLOCK, BLOCK, Nodes};
use crate::upsample::sampling::VOLUME_PER_GRAIN;
use crate::upsample::shifting::SURFACE_RAMP;
use crate::upsample::weights::ramp;

/// Nodes of a block in a plane.
const PLANE: usize = ALONG_BLOCK * ALONG_BLOCK;

/// Parts that the nodes of a block's plane have at the nodes of a part's plane.
#[derive(Debug, Default)]
pub(super) struct PlaneParts {
    /// For each of the block's nodes those at the part's, up to the last of its own: as many vectors as that takes.
    part: Vec<f32>,
    /// Which of the block's nodes have any at each sixteen nodes, as bits.
    any: Vec<u32>,
}

impl PlaneParts {
    /// For parts with `n` own nodes along an axis, whose positions among the nodes of the block `place` gives.
    pub(super) fn build(&mut self, n: usize, place: impl Fn(usize, usize) -> (usize, f32)) {
        let vectors = (n * (n + 1)).div_ceil(LANES);
        self.part.clear();
        self.part.resize(PLANE * vectors * LANES, 0.0);
        self.any.clear();
        self.any.resize(vectors, 0);
        for j in 0..n {
            let (row, v) = place(j, 1);
            for i in 0..n {
                let (column, u) = place(i, 0);
                let (at, first) = (j * (n + 1) + i, row * ALONG_BLOCK + column);
                let parts = [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v];
                for (node, part) in
                    [first, first + 1, first + ALONG_BLOCK, first + ALONG_BLOCK + 1].iter().zip(parts)
                {
                    self.part[node * vectors * LANES + at] = part;
                    self.any[at / LANES] |= 1 << node;
                }
            }
        }
    }

    /// What the numbers at a block's nodes are at sixteen of the part's.
    #[inline(always)]
    fn at<L: Lanes>(&self, plane: &[f32; PLANE], vector: usize) -> L {
        let size = self.any.len() * LANES;
        let mut sum = L::splat(0.0);
        for node in lanes_of(self.any[vector]) {
            sum = sum + L::splat(plane[node]) * load(&self.part, node * size + vector * LANES);
        }
        sum
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.part.capacity() + self.any.capacity())
    }
}

/// Numbers of all parts, each of which may be changed while others are read elsewhere.
#[derive(Clone, Copy)]
struct Numbers(*mut f32);

// SAFETY: whoever goes through it says why no number is written and read or written at once.
unsafe impl Send for Numbers {}
// SAFETY: as above.
unsafe impl Sync for Numbers {}

impl Numbers {
    fn at(&self, number: usize) -> *mut f32 {
        self.0.wrapping_add(number)
    }
}

impl FineGrid {
    /// Compares grains with what guides are worth, at the own nodes of every active part that grains read; 0 in
    /// parts that are not active, and anything in those that no grain reads.
    pub(super) fn find_excess(
        &mut self,
        nodes: &Nodes,
        settings: &AdvectionSettings,
        instructions: Instructions,
    ) {
        let full = self.side.powi(3) / (VOLUME_PER_GRAIN as f32 * settings.spread.powi(3));
        let unit = 1.0 / (FIXED_POINT_ONE * full);
        let mut excess = std::mem::take(&mut self.excess);
        excess.resize(self.tally.len(), 0.0);
        let parts = excess.par_chunks_mut(self.part_size()).with_min_len(16).enumerate();
        parts.for_each_init(
            || vec![0u32; self.part_size()],
            |sum, (part, excess)| {
                let block = self.block_of_part[part];
                if block == NONE {
                    return excess.fill(0.0);
                }
                if !self.is_read(part) {
                    return;
                }
                let mut cover = [0.0; BLOCK];
                nodes.gather(block as usize, &nodes.cover, &mut cover);
                instructions.run(FindExcess { fine_grid: self, part, sum, excess, cover: &cover, unit });
            },
        );
        self.excess = excess;
    }

    /// Whether any grain reads the own nodes of a part: one of its cell, or of the cells before it.
    fn is_read(&self, part: usize) -> bool {
        let holds = |part: u32| self.holds.get(part as usize).is_some_and(|holds| *holds);
        holds(part as u32) || self.before[part].iter().any(|&part| holds(part))
    }

    /// Calls with the rows of nodes that a part shares with the one beyond it along some axes: the first node of the row
    /// there, where it is own, the first here, and how many there are.
    #[inline(always)]
    fn for_shared_rows(&self, [x, y, z]: [u32; 3], mut each: impl FnMut(usize, usize, usize)) {
        let (n, m) = (self.along as usize, self.shared());
        let along = |step: u32| if step == 1 { 1 } else { n };
        // From the nearest nodes of the part beyond to the farthest of this one.
        let far = (x as usize + (y as usize + z as usize * m) * m) * n;
        for k in 0..along(z) {
            for j in 0..along(y) {
                let row = (k * m + j) * m;
                each(row, row + far, along(x));
            }
        }
    }

    /// Grains at the own nodes of a part: those of its cell and those that the cells before it have there.
    #[inline(always)]
    pub(super) fn collect(&self, part: usize, sum: &mut [u32]) {
        let size = self.part_size();
        let sum = &mut sum[..size];
        sum.copy_from_slice(&self.tally[part * size..(part + 1) * size]);
        for (step, &other) in BEYOND.iter().zip(&self.before[part]) {
            if !self.holds.get(other as usize).is_some_and(|holds| *holds) {
                continue;
            }
            let tally = &self.tally[other as usize * size..(other as usize + 1) * size];
            self.for_shared_rows(*step, |own, shared, count| {
                if count == 1 {
                    sum[own] += tally[shared];
                } else {
                    let pairs = sum[own..own + count].iter_mut().zip(&tally[shared..shared + count]);
                    pairs.for_each(|(sum, tally)| *sum += tally);
                }
            });
        }
    }

    /// Gathers the farthest nodes of parts with grains from those that own them; 0 where there is none.
    pub(super) fn share(&mut self) {
        let size = self.part_size();
        let numbers = Numbers(self.excess.as_mut_ptr());
        let parts = self.holds.par_iter().zip(&self.after).with_min_len(32).enumerate();
        parts.filter(|(_, (holds, _))| **holds).for_each(|(part, (_, after))| {
            for (step, &other) in BEYOND.iter().zip(after) {
                self.for_shared_rows(*step, |own, shared, count| {
                    let to = numbers.at(part * size + shared);
                    // SAFETY: both rows lie within the numbers of their parts. Only nodes that are the farthest of their
                    // part along some axis are written, each once, and only such as are not are read.
                    unsafe {
                        if other == NONE {
                            to.write_bytes(0, count);
                        } else {
                            let from = numbers.at(other as usize * size + own);
                            (0..count).for_each(|k| *to.add(k) = *from.add(k));
                        }
                    }
                });
            }
        });
    }

    /// Where a node of a part is along an axis: the node of the block before it, and how far it is beyond that.
    #[inline(always)]
    pub(super) fn place(&self, node: usize, axis: usize) -> (usize, f32) {
        let at = ((node as f32 - self.offset[axis]) * (ALONG as f32 / self.along as f32)).max(0.0);
        let corner = (at as usize).min(ALONG - 1);
        (corner, at - corner as f32)
    }
}

/// Compares the grains at the own nodes of a part with what guides are worth there.
struct FindExcess<'a> {
    fine_grid: &'a FineGrid,
    part: usize,
    sum: &'a mut [u32],
    excess: &'a mut [f32],
    cover: &'a [f32; BLOCK],
    /// A full mass per whole grain.
    unit: f32,
}

impl FindExcess<'_> {
    /// What guides are worth at the block's nodes around a plane of the part.
    #[inline(always)]
    fn plane(&self, node: usize) -> [f32; PLANE] {
        let (corner, t) = self.fine_grid.place(node, 2);
        let mut plane = [0.0; PLANE];
        for (i, plane) in plane.iter_mut().enumerate() {
            let [low, high] = [self.cover[corner * PLANE + i], self.cover[(corner + 1) * PLANE + i]];
            *plane = low + t * (high - low);
        }
        plane
    }
}

/// Sixteen whole numbers below two to the power of 31; 0 beyond the end.
#[inline(always)]
fn whole<L: Lanes>(numbers: &[u32]) -> L {
    let mut whole = [0.0; LANES];
    match numbers.first_chunk::<LANES>() {
        Some(numbers) => {
            for k in 0..LANES {
                whole[k] = numbers[k] as i32 as f32;
            }
        }
        None => whole.iter_mut().zip(numbers).for_each(|(whole, number)| *whole = *number as i32 as f32),
    }
    L::from_array(&whole)
}

impl Vectorised for FindExcess<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.fine_grid.collect(self.part, self.sum);
        let unit = L::splat(self.unit);
        if self.cover.iter().all(|&c| c >= SURFACE_RAMP[1]) {
            for first in (0..self.sum.len()).step_by(LANES) {
                store(self.excess, first, whole::<L>(&self.sum[first..]) * unit - L::splat(1.0));
            }
            return;
        }
        let (n, m) = (self.fine_grid.along as usize, self.fine_grid.shared());
        for k in 0..n {
            let plane = self.plane(k);
            for vector in 0..self.fine_grid.plane_parts.any.len() {
                // What lies beyond the plane is compared again, or replaced by what the next parts own.
                let first = k * m * m + vector * LANES;
                let target = ramp(self.fine_grid.plane_parts.at::<L>(&plane, vector), SURFACE_RAMP);
                store(self.excess, first, whole::<L>(&self.sum[first..]) * unit - target);
            }
        }
    }
}
