//! Grains on the fine mesh compared with what guides are worth.

use rayon::prelude::*;

use super::{BEYOND, FineMesh, MOST_ALONG, NONE, WHOLE};
use crate::simd::{Instructions, LANES, Lanes, Vectorised, load};
use crate::upsample::mover::MoverSettings;
use crate::upsample::nodes::{ALONG, BLOCK, Nodes, SHARED};
use crate::upsample::sampling::VOLUME_PER_GRAIN;
use crate::upsample::spreading::SURFACE;
use crate::upsample::weights::ramp;

impl FineMesh {
    /// Compares grains with what guides are worth, at the own nodes of every part that stirs; 0 at the others.
    pub(super) fn compare(&mut self, nodes: &Nodes, settings: &MoverSettings, instructions: Instructions) {
        let full = self.side.powi(3) / (VOLUME_PER_GRAIN as f32 * settings.radius.powi(3));
        let unit = 1.0 / (WHOLE * full);
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
                instructions.run(Compare { mesh: self, part, sum, excess, cover: &cover, unit });
            },
        );
        self.excess = excess;
    }

    /// Whether any grain reads the own nodes of a part: one of its cell, or of the cells before it.
    fn is_read(&self, part: usize) -> bool {
        let holds = |part: u32| self.holds.get(part as usize).is_some_and(|holds| *holds);
        holds(part as u32) || self.before[part].iter().any(|&part| holds(part))
    }

    /// Grains at the own nodes of a part: those of its cell and those that the cells before it have there.
    #[inline(always)]
    pub(super) fn collect(&self, part: usize, sum: &mut [u32]) {
        let (n, m, size) = (self.along as usize, self.shared(), self.part_size());
        sum.copy_from_slice(&self.tally[part * size..(part + 1) * size]);
        for (step, &other) in BEYOND.iter().zip(&self.before[part]) {
            if other == NONE {
                continue;
            }
            let tally = &self.tally[other as usize * size..(other as usize + 1) * size];
            let [x, y, z] = step.map(|s| if s == 1 { 1 } else { n });
            // From the farthest nodes of the cell before to the nearest of this one.
            let from = step[0] as usize * n + step[1] as usize * n * m + step[2] as usize * n * m * m;
            for z in 0..z {
                for y in 0..y {
                    let row = (z * m + y) * m;
                    let (sum, tally) = (&mut sum[row..row + x], &tally[row + from..row + from + x]);
                    for (sum, tally) in sum.iter_mut().zip(tally) {
                        *sum += tally;
                    }
                }
            }
        }
    }

    /// Gathers the farthest nodes of parts from those that own them; 0 where there is none.
    pub(super) fn share(&mut self) {
        let (n, m, size) = (self.along as usize, self.shared(), self.part_size());
        let mut face = std::mem::take(&mut self.face);
        let faces = faces(m);
        face.resize(self.cell_of_part.len() * faces, 0.0);
        face.par_chunks_mut(faces).with_min_len(32).zip(self.excess.par_chunks(size)).for_each(
            |(face, excess)| {
                face[..m * m].copy_from_slice(&excess[..m * m]);
                for z in 0..m {
                    let plane = &excess[z * m * m..(z + 1) * m * m];
                    face[(m + z) * m..(m + z + 1) * m].copy_from_slice(&plane[..m]);
                    for y in 0..m {
                        face[2 * m * m + z * m + y] = plane[y * m];
                    }
                }
            },
        );
        let near =
            |part: u32| (part != NONE).then(|| &face[part as usize * faces..(part as usize + 1) * faces]);
        let (after, nothing) = (&self.after, vec![0.0; faces]);
        self.excess.par_chunks_mut(size).with_min_len(32).enumerate().for_each(|(part, excess)| {
            let nothing = &nothing[..];
            let [x, y, xy, z, xz, yz, xyz] = after[part].map(|part| near(part).unwrap_or(nothing));
            for k in 0..n {
                let plane = &mut excess[k * m * m..(k + 1) * m * m];
                for (j, number) in x[2 * m * m + k * m..][..n].iter().enumerate() {
                    plane[j * m + n] = *number;
                }
                plane[n * m..n * m + n].copy_from_slice(&y[(m + k) * m..][..n]);
                plane[n * m + n] = xy[(m + k) * m];
            }
            let plane = &mut excess[n * m * m..];
            for j in 0..n {
                plane[j * m..j * m + n].copy_from_slice(&z[j * m..][..n]);
                plane[j * m + n] = xz[j * m];
            }
            plane[n * m..n * m + n].copy_from_slice(&yz[..n]);
            plane[n * m + n] = xyz[0];
        });
        self.face = face;
    }
}

/// Numbers at the three nearest faces of a part with so many nodes along an axis: that along z, those along y and x.
fn faces(along: usize) -> usize {
    3 * along * along
}

/// Compares the grains at the own nodes of a part with what guides are worth there.
struct Compare<'a> {
    mesh: &'a FineMesh,
    part: usize,
    sum: &'a mut [u32],
    excess: &'a mut [f32],
    cover: &'a [f32; BLOCK],
    /// A full mass per whole grain.
    unit: f32,
}

impl Compare<'_> {
    /// What guides are worth at sixteen nodes along x, from the numbers at the block's nodes along it. There may be fewer
    /// in the row: what lies beyond is compared again in rows to come, or replaced by what the next parts own.
    #[inline(always)]
    fn target<L: Lanes>(&self, row: &[f32; SHARED], first: usize) -> L {
        let part = |k: usize| load::<L>(&self.mesh.along_x[k], first) * L::splat(row[k]);
        ramp(part(0) + part(1) + part(2) + part(3), SURFACE)
    }
}

/// Whole numbers below two to the power of 31 as lanes.
#[inline(always)]
fn whole<L: Lanes>(numbers: &[u32; LANES]) -> L {
    let mut whole = [0.0; LANES];
    for k in 0..LANES {
        whole[k] = numbers[k] as i32 as f32;
    }
    L::from_array(&whole)
}

impl FineMesh {
    /// Where a node of a part is along an axis: the node of the block before it, and how far it is beyond that.
    #[inline(always)]
    fn place(&self, node: usize, axis: usize) -> (usize, f32) {
        let at = ((node as f32 - self.offset[axis]) * (ALONG as f32 / self.along as f32)).max(0.0);
        let corner = (at as usize).min(ALONG - 1);
        (corner, at - corner as f32)
    }

    /// Parts of the block's nodes along x at those of a part.
    pub(super) fn parts_along_x(&self) -> [[f32; MOST_ALONG as usize]; SHARED] {
        let mut parts = [[0.0; MOST_ALONG as usize]; SHARED];
        for (node, (corner, t)) in (0..self.along as usize).map(|node| (node, self.place(node, 0))) {
            (parts[corner][node], parts[corner + 1][node]) = (1.0 - t, t);
        }
        parts
    }
}

impl Vectorised for Compare<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.mesh.collect(self.part, self.sum);
        if self.cover.iter().all(|&c| c >= SURFACE[1]) {
            for (excess, sum) in self.excess.iter_mut().zip(&*self.sum) {
                *excess = *sum as i32 as f32 * self.unit - 1.0;
            }
            return;
        }
        let (n, m) = (self.mesh.along as usize, self.mesh.shared());
        let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
        for k in 0..n {
            let (corner, t) = self.mesh.place(k, 2);
            let mut plane = [0.0; SHARED * SHARED];
            for (i, plane) in plane.iter_mut().enumerate() {
                let low = corner * SHARED * SHARED + i;
                *plane = mix(self.cover[low], self.cover[low + SHARED * SHARED], t);
            }
            for j in 0..n {
                let (corner, t) = self.mesh.place(j, 1);
                let mut row = [0.0; SHARED];
                for (i, row) in row.iter_mut().enumerate() {
                    *row = mix(plane[corner * SHARED + i], plane[(corner + 1) * SHARED + i], t);
                }
                let start = (k * m + j) * m;
                for first in (0..n).step_by(LANES) {
                    let target = self.target::<L>(&row, first);
                    let (sum, excess) = (&self.sum[start + first..], &mut self.excess[start + first..]);
                    match (sum.first_chunk(), excess.first_chunk_mut::<LANES>()) {
                        (Some(sum), Some(excess)) => {
                            *excess = (whole::<L>(sum) * L::splat(self.unit) - target).to_array();
                        }
                        _ => {
                            let target = target.to_array();
                            for i in 0..n - first {
                                excess[i] = sum[i] as i32 as f32 * self.unit - target[i];
                            }
                        }
                    }
                }
            }
        }
    }
}
