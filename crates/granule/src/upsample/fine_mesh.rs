//! Grains on a mesh of about their diameter, where guides stir: it keeps them apart from each other.
//!
//! A part of the mesh belongs to every cell of the guides that stirs, and to those before one. It holds the nodes of
//! its cell and, once more, those of the next cells' near faces, so that the eight around any point are in one part.

use glam::Vec3;
use rayon::prelude::*;

use super::grain::Grain;
use super::mover::MoverSettings;
use super::nodes::{ALONG, BLOCK, NONE, Nodes, SHARED};
use super::sampling::VOLUME_PER_GRAIN;
use super::sixteen::{Columns, columns_of, lanes, parts_of, scaled, square};
use super::spreading::{SURFACE, with_images};
use super::weights::ramp;
use crate::simd::{Instructions, LANES, Lanes, Vectorised};

/// Side of a fine cell, in radii of a grain.
const FINE_SIDE: f32 = 2.0;
/// Most fine cells along a cell of the guides.
const MOST_ALONG: u32 = 32;
/// How far grains move apart in a frame at a slope of a full mass per fine cell, in fine cells.
pub const SPREADING: f32 = 0.5;
/// Longest such way, in radii of a grain.
pub const MOST_SPREADING: f32 = 0.5;

/// A whole grain on the fine mesh.
pub const WHOLE: f32 = 4096.0;

/// Points that are looked at together.
const CHUNK: usize = 1024;

/// Steps to the seven cells beyond one along any axes.
const BEYOND: [[u32; 3]; 7] = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]];

/// Grains on a mesh of about their diameter, where guides stir. It lies elsewhere every frame, so that grains do not
/// line up with it.
#[derive(Debug, Default)]
pub struct FineMesh {
    origin: Vec3,
    /// Side of a fine cell [m], and its inverse.
    side: f32,
    inverse_side: f32,
    /// Fine cells along a cell of the guides, and what their numbers are multiplied with to be divided by it.
    along: u32,
    divisor: u64,
    /// Where the mesh lies in this frame, in fine cells.
    offset: Vec3,
    count: [u32; 3],
    /// Part of the mesh of each cell of the guides, or [`NONE`].
    part_of_cell: Vec<u32>,
    /// Cell of each part.
    cell_of_part: Vec<u32>,
    /// Block of each part; [`NONE`] for those of cells that do not stir.
    block_of_part: Vec<u32>,
    /// Grains at each node of a part, from points in its cell: whole ones are [`WHOLE`].
    tally: Vec<u32>,
    /// Excess of grains at the nodes of each part, relative to a full mass.
    excess: Vec<f32>,
    /// The same at those nodes of the faces of cells that the cells before them need, see [`faces`].
    face: Vec<f32>,
    /// Parts of the cells before that of each part and of those after it, along [`BEYOND`]; [`NONE`] where there is none.
    before: Vec<[u32; 7]>,
    after: Vec<[u32; 7]>,
    /// Part of each point, and the first and last of each chunk of them.
    part_of_point: Vec<u32>,
    span: Vec<[u32; 2]>,
    /// Images of grains beyond the ends of periods.
    image: Vec<Grain>,
}

/// Where sixteen points are on the fine mesh: the cell of the guides, or [`NONE`], the node before the point and how far
/// it is beyond that.
struct FinePlaces {
    cell: [u32; LANES],
    local: [u32; LANES],
    beyond: Columns,
}

impl FineMesh {
    /// Counts grains where guides stir.
    pub fn count(
        &mut self,
        nodes: &Nodes,
        grains: &[Grain],
        settings: &MoverSettings,
        frame: u64,
        instructions: Instructions,
    ) {
        self.lay(nodes, settings, frame);
        self.tally.clear();
        self.tally.resize(self.cell_of_part.len() * self.part_size(), 0);
        self.add(grains, instructions);
        if settings.domain.is_periodic() {
            self.add_images(grains, settings, instructions);
        }
        self.compare(nodes, settings, instructions);
        self.share();
    }

    fn lay(&mut self, nodes: &Nodes, settings: &MoverSettings, frame: u64) {
        self.origin = nodes.origin;
        self.count = nodes.count;
        self.along = fine_cells_along(nodes.side, settings.radius);
        self.divisor = (1u64 << 32) / u64::from(self.along) + 1;
        self.side = nodes.side / self.along as f32;
        self.inverse_side = 1.0 / self.side;
        self.offset = offset(frame);
        self.part_of_cell.clear();
        self.part_of_cell.resize(nodes.block_of_cell.len(), NONE);
        self.find_parts(nodes);
    }

    /// Numbers the cells that stir, and those before them.
    fn find_parts(&mut self, nodes: &Nodes) {
        let marked = 0;
        for (&cell, _) in nodes.cell_of_block.iter().zip(&nodes.stirs).filter(|(_, stirs)| **stirs) {
            self.part_of_cell[cell as usize] = marked;
            for step in BEYOND {
                if let Some(before) = beside(cell, step, self.count, false) {
                    self.part_of_cell[before as usize] = marked;
                }
            }
        }
        self.cell_of_part.clear();
        self.block_of_part.clear();
        for (cell, part) in self.part_of_cell.iter_mut().enumerate().filter(|(_, part)| **part == marked) {
            let block = nodes.block_of_cell[cell];
            let stirs = block != NONE && nodes.stirs[block as usize];
            *part = self.cell_of_part.len() as u32;
            self.cell_of_part.push(cell as u32);
            self.block_of_part.push(if stirs { block } else { NONE });
        }
        let (mut before, mut after) = (std::mem::take(&mut self.before), std::mem::take(&mut self.after));
        let sides = |&cell: &u32| (self.parts_beside(cell, false), self.parts_beside(cell, true));
        self.cell_of_part.par_iter().with_min_len(256).map(sides).unzip_into_vecs(&mut before, &mut after);
        (self.before, self.after) = (before, after);
    }

    /// Parts of the cells along [`BEYOND`].
    fn parts_beside(&self, cell: u32, after: bool) -> [u32; 7] {
        let mut parts = [NONE; 7];
        for (part, step) in parts.iter_mut().zip(BEYOND) {
            *part = beside(cell, step, self.count, after).map_or(NONE, |cell| self.part(cell));
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
    fn locate(&self, x: &Columns) -> FinePlaces {
        let mut places = FinePlaces { cell: [0; LANES], local: [0; LANES], beyond: [[0.0; LANES]; 3] };
        let mut outside = [0u32; LANES];
        let (mut cells, mut nodes) = (1, 1);
        for axis in 0..3 {
            let (origin, offset) = (self.origin[axis], self.offset[axis]);
            let end = (self.count[axis] * self.along) as f32 - 1.0;
            for k in 0..LANES {
                let at = (x[axis][k] - origin) * self.inverse_side + offset;
                outside[k] |= u32::from(!(at >= 0.0 && at < end));
                // Whole parts are below, as nothing is negative.
                let first = at as i32 as u32;
                let cell = ((u64::from(first) * self.divisor) >> 32) as u32;
                places.beyond[axis][k] = at - first as i32 as f32;
                places.cell[k] = places.cell[k].wrapping_add(cell.wrapping_mul(cells));
                let local = first.wrapping_sub(cell.wrapping_mul(self.along));
                places.local[k] = places.local[k].wrapping_add(local.wrapping_mul(nodes));
            }
            cells *= self.count[axis];
            nodes *= self.along + 1;
        }
        for k in 0..LANES {
            places.cell[k] = if outside[k] == 0 { places.cell[k] } else { NONE };
        }
        places
    }

    /// The part of a cell; none where there is none, and for none.
    #[inline(always)]
    fn part(&self, cell: u32) -> u32 {
        self.part_of_cell.get(cell as usize).copied().unwrap_or(NONE)
    }

    /// Steps from a node of a part to the eight around a point beyond it.
    #[inline(always)]
    fn steps(&self) -> [usize; 8] {
        let y = self.shared();
        let z = y * y;
        [0, 1, y, y + 1, z, z + 1, z + y, z + y + 1]
    }

    /// Adds points to the parts in whose cells they are. Every thread has parts of its own, so that their numbers do not
    /// matter, and looks at the chunks of points that have some in them: few, as grains are nearly in order.
    fn add(&mut self, points: &[Grain], instructions: Instructions) {
        let (mut part, mut span, mut tally) = (
            std::mem::take(&mut self.part_of_point),
            std::mem::take(&mut self.span),
            std::mem::take(&mut self.tally),
        );
        let threads = rayon::current_num_threads();
        if threads == 1 {
            let range = [0, self.cell_of_part.len() as u32];
            instructions.run(AddPoints { mesh: self, points, sorted: None, range, tally: &mut tally });
        } else {
            part.resize(points.len(), NONE);
            span.resize(points.len().div_ceil(CHUNK), [0; 2]);
            let chunks = points.par_chunks(CHUNK).zip(part.par_chunks_mut(CHUNK)).zip(&mut span);
            chunks.with_min_len(4).for_each(|((points, part), span)| {
                *span = instructions.run(FindParts { mesh: self, points, part });
            });
            let range = self.cell_of_part.len().div_ceil(4 * threads).max(1);
            tally.par_chunks_mut(range * self.part_size()).enumerate().for_each(|(k, tally)| {
                let range = [(k * range) as u32, ((k + 1) * range) as u32];
                let sorted = Some((&part[..], &span[..]));
                instructions.run(AddPoints { mesh: self, points, sorted, range, tally });
            });
        }
        (self.part_of_point, self.span, self.tally) = (part, span, tally);
    }

    /// Adds the images of grains near the ends of periods.
    fn add_images(&mut self, grains: &[Grain], settings: &MoverSettings, instructions: Instructions) {
        let mut image = std::mem::take(&mut self.image);
        image.clear();
        for grain in grains {
            let x = Vec3::from(grain.position);
            with_images(&settings.domain, x, 2.0 * self.side, |place| {
                if place != x {
                    image.push(Grain { position: place.into(), ..*grain });
                }
            });
        }
        self.add(&image, instructions);
        self.image = image;
    }

    /// Compares grains with what guides are worth, at the own nodes of every part that stirs; 0 at the others.
    fn compare(&mut self, nodes: &Nodes, settings: &MoverSettings, instructions: Instructions) {
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
                let mut cover = [0.0; BLOCK];
                nodes.gather(block as usize, &nodes.cover, &mut cover);
                instructions.run(Compare { mesh: self, part, sum, excess, cover: &cover, unit });
            },
        );
        self.excess = excess;
    }

    /// Grains at the own nodes of a part: those of its cell and those that the cells before it have there.
    #[inline(always)]
    fn collect(&self, part: usize, sum: &mut [u32]) {
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
    fn share(&mut self) {
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
        let after = &self.after;
        self.excess.par_chunks_mut(size).with_min_len(32).enumerate().for_each(|(part, excess)| {
            let [x, y, xy, z, xz, yz, xyz] = after[part].map(near);
            let place = |i: usize, j: usize, k: usize| (k * m + j) * m + i;
            for j in 0..n {
                // The face of the cell after along x, those along y and z.
                for i in 0..n {
                    excess[place(n, i, j)] = x.map_or(0.0, |face| face[2 * m * m + j * m + i]);
                    excess[place(i, n, j)] = y.map_or(0.0, |face| face[(m + j) * m + i]);
                    excess[place(i, j, n)] = z.map_or(0.0, |face| face[j * m + i]);
                }
                excess[place(n, n, j)] = xy.map_or(0.0, |face| face[(m + j) * m]);
                excess[place(n, j, n)] = xz.map_or(0.0, |face| face[j * m]);
                excess[place(j, n, n)] = yz.map_or(0.0, |face| face[j]);
            }
            excess[place(n, n, n)] = xyz.map_or(0.0, |face| face[0]);
        });
        self.face = face;
    }

    /// The ways [m] of sixteen grains in full motion out of crowds; any where bits are not set.
    #[inline(always)]
    pub fn ways<L: Lanes>(&self, x: &Columns, radius: f32, wanted: u32) -> [L; 3] {
        let places = self.locate(x);
        let (steps, size) = (self.steps(), self.part_size());
        let mut excess = [[0.0; LANES]; 8];
        for k in 0..LANES {
            let part = if wanted >> k & 1 == 1 { self.part(places.cell[k]) } else { NONE };
            if part != NONE {
                let start = part as usize * size + places.local[k] as usize;
                let near = &self.excess[start..start + steps[7] + 1];
                for corner in 0..8 {
                    excess[corner][k] = near[steps[corner]];
                }
            }
        }
        let mut e = [L::splat(0.0); 8];
        for corner in 0..8 {
            e[corner] = L::from_array(&excess[corner]);
        }
        let t = lanes(&places.beyond);
        let mix = |a: L, b: L, t: L| a + t * (b - a);
        let slope = [
            mix(mix(e[1] - e[0], e[3] - e[2], t[1]), mix(e[5] - e[4], e[7] - e[6], t[1]), t[2]),
            mix(mix(e[2] - e[0], e[3] - e[1], t[0]), mix(e[6] - e[4], e[7] - e[5], t[0]), t[2]),
            mix(mix(e[4] - e[0], e[5] - e[1], t[0]), mix(e[6] - e[2], e[7] - e[3], t[0]), t[1]),
        ];
        let way = scaled(slope, L::splat(-SPREADING * self.side));
        let length = square(way).root();
        let most = L::splat(MOST_SPREADING * radius);
        let scale = most.if_below(length, most / length, L::splat(1.0));
        scaled(way, scale)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * (self.part_of_cell.capacity() + self.cell_of_part.capacity() + self.block_of_part.capacity())
            + 4 * (self.tally.capacity() + self.face.capacity() + self.excess.capacity())
            + size_of::<[u32; 7]>() * (self.before.capacity() + self.after.capacity())
            + 4 * self.part_of_point.capacity()
            + 8 * self.span.capacity()
            + size_of::<Grain>() * self.image.capacity()
    }
}

/// Finds the parts of points; gives the first and last of them.
struct FindParts<'a> {
    mesh: &'a FineMesh,
    points: &'a [Grain],
    part: &'a mut [u32],
}

impl Vectorised for FindParts<'_> {
    type Output = [u32; 2];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [u32; 2] {
        let mut span = [NONE, 0];
        for (points, part) in self.points.chunks(LANES).zip(self.part.chunks_mut(LANES)) {
            let places = self.mesh.locate(&columns_of(points));
            for (part, &cell) in part.iter_mut().zip(&places.cell) {
                *part = self.mesh.part(cell);
                if *part != NONE {
                    span = [span[0].min(*part), span[1].max(*part)];
                }
            }
        }
        span
    }
}

/// Adds the points of a range of parts to their tallies.
struct AddPoints<'a> {
    mesh: &'a FineMesh,
    points: &'a [Grain],
    /// Parts of the points, and the first and last of each chunk of them, where they are known.
    sorted: Option<(&'a [u32], &'a [[u32; 2]])>,
    range: [u32; 2],
    tally: &'a mut [u32],
}

impl Vectorised for AddPoints<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let [first, end] = self.range;
        let (steps, size) = (self.mesh.steps(), self.mesh.part_size());
        for (chunk, points) in self.points.chunks(CHUNK).enumerate() {
            let parts = match self.sorted {
                Some((_, span)) if span[chunk][0] >= end || span[chunk][1] < first => continue,
                Some((part, _)) => Some(&part[chunk * CHUNK..]),
                None => None,
            };
            for (group, points) in points.chunks(LANES).enumerate() {
                let known = parts.map(|parts| &parts[group * LANES..group * LANES + points.len()]);
                if known.is_some_and(|known| known.iter().all(|part| *part < first || *part >= end)) {
                    continue;
                }
                let places = self.mesh.locate(&columns_of(points));
                let amounts = amounts(&places.beyond);
                for k in 0..points.len() {
                    let part = known.map_or_else(|| self.mesh.part(places.cell[k]), |known| known[k]);
                    if part < first || part >= end {
                        continue;
                    }
                    let start = (part - first) as usize * size + places.local[k] as usize;
                    let near = &mut self.tally[start..start + steps[7] + 1];
                    for corner in 0..8 {
                        near[steps[corner]] += amounts[corner][k];
                    }
                }
            }
        }
    }
}

/// What points give to each of the eight nodes around them: whole ones are [`WHOLE`].
#[inline(always)]
fn amounts(beyond: &Columns) -> [[u32; LANES]; 8] {
    let parts = parts_of(beyond);
    let mut amounts = [[0; LANES]; 8];
    for corner in 0..8 {
        for k in 0..LANES {
            amounts[corner][k] = (parts[corner][k] * WHOLE + 0.5) as i32 as u32;
        }
    }
    amounts
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

impl Vectorised for Compare<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.mesh.collect(self.part, self.sum);
        if self.cover.iter().all(|&c| c >= SURFACE[1]) {
            for (excess, sum) in self.excess.iter_mut().zip(&*self.sum) {
                *excess = *sum as f32 * self.unit - 1.0;
            }
            return;
        }
        let (n, m) = (self.mesh.along as usize, self.mesh.shared());
        let step = ALONG as f32 / n as f32;
        // Where the nodes are along an axis: the node of the guides before them, and how far they are beyond it.
        let place = |at: usize, axis: usize| {
            let at = ((at as f32 - self.mesh.offset[axis]) * step).max(0.0);
            let corner = (at as usize).min(ALONG - 1);
            (corner, at - corner as f32)
        };
        let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
        for k in 0..n {
            let (corner, t) = place(k, 2);
            let mut plane = [0.0; SHARED * SHARED];
            for (i, plane) in plane.iter_mut().enumerate() {
                let low = corner * SHARED * SHARED + i;
                *plane = mix(self.cover[low], self.cover[low + SHARED * SHARED], t);
            }
            for j in 0..n {
                let (corner, t) = place(j, 1);
                let mut row = [0.0; SHARED];
                for (i, row) in row.iter_mut().enumerate() {
                    *row = mix(plane[corner * SHARED + i], plane[(corner + 1) * SHARED + i], t);
                }
                let start = (k * m + j) * m;
                for i in 0..n {
                    let (corner, t) = place(i, 0);
                    let cover = mix(row[corner], row[corner + 1], t);
                    self.excess[start + i] = self.sum[start + i] as f32 * self.unit - ramp(cover, SURFACE);
                }
            }
        }
    }
}

/// The cell so many cells after a cell along each axis, or before it; none outside.
fn beside(cell: u32, step: [u32; 3], [nx, ny, nz]: [u32; 3], after: bool) -> Option<u32> {
    let at = [cell % nx, cell / nx % ny, cell / nx / ny];
    let mut to = [0; 3];
    for axis in 0..3 {
        to[axis] = if after { at[axis] + step[axis] } else { at[axis].checked_sub(step[axis])? };
    }
    (to[0] < nx && to[1] < ny && to[2] < nz).then(|| (to[2] * ny + to[1]) * nx + to[0])
}

/// Fine cells of grains of a radius [m] along a cell of a side [m].
pub fn fine_cells_along(side: f32, radius: f32) -> u32 {
    ((side / (FINE_SIDE * radius)).round() as u32).clamp(1, MOST_ALONG)
}

/// Where the mesh lies in a frame, in fine cells: the additive sequence of least discrepancy in three dimensions.
pub fn offset(frame: u64) -> Vec3 {
    let part = |share: f64| (0.5 + (frame % (1 << 24)) as f64 * share).fract() as f32;
    Vec3::new(part(0.819_172_513_396_164_5), part(0.671_043_606_703_789_3), part(0.549_700_477_901_970_4))
        .min(Vec3::splat(0.999_999))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::neighbors::Domain;
    use crate::random::Random;
    use crate::upsample::{FrameInput, Guide, GuideGrid, deformations};

    /// Parts share nodes and are filled by different threads: the sum must be that of one large mesh.
    #[test]
    fn parts_together_are_one_mesh() {
        let mut random = Random::new(5);
        let mut point = |size: f32| Vec3::new(random.unit(), random.unit(), random.unit()) * size;
        let stray = Guide { position: [25.0; 3], ..Guide::default() };
        let moving = |x: Vec3| Guide { position: x.into(), moves: 1.0, ..Guide::default() };
        let guides = (0..60).map(|_| moving(point(12.0))).chain([stray]).collect();
        let grid = GuideGrid::new(guides, 1.0, &Domain::default());
        let grains: Vec<Grain> =
            (0..3000).map(|_| Grain { position: (point(20.0) - 4.0).into(), ..Grain::default() }).collect();
        let (radius, domain) = (0.3, Domain::default());
        let settings = MoverSettings { radius, guide_radius: 1.0, domain, friction: vec![], fault: None };
        let mut nodes = Nodes::default();
        let (gravity, walls, outlets) = (Vec3::ZERO, &[], &[]);
        let frame = FrameInput { frame: 3, dt: 0.1, gravity, guides: &grid, after: &grid, walls, outlets };
        nodes.lay(&frame, 1.0);
        let instructions = Instructions::best();
        nodes.ask(&settings, &frame, &deformations(&grid, &nodes, instructions), instructions);
        let mut mesh = FineMesh::default();
        mesh.count(&nodes, &grains, &settings, 3, Instructions::best());

        let mut expected: HashMap<[u32; 3], u32> = HashMap::new();
        for grain in &grains {
            let at = (Vec3::from(grain.position) - mesh.origin) / mesh.side + mesh.offset;
            let first = at.floor();
            for (k, part) in parts(at - first).into_iter().enumerate() {
                let step = Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32);
                let node = (first + step).max(Vec3::ZERO).as_uvec3().to_array();
                *expected.entry(node).or_default() += (part * WHOLE + 0.5) as u32;
            }
        }
        let n = mesh.along as usize;
        let (mut compared, mut sum) = (0, vec![0; n.pow(3)]);
        for part in (0..mesh.cell_of_part.len()).filter(|part| mesh.block_of_part[*part] != NONE) {
            let cell = mesh.cell_of_part[part];
            let [nx, ny, nz] = mesh.count;
            let corner = [cell % nx, cell / nx % ny, cell / nx / ny];
            if (0..3).any(|k| corner[k] == 0 || corner[k] + 1 == [nx, ny, nz][k]) {
                continue;
            }
            mesh.collect(part, &mut sum);
            for (k, sum) in sum.iter().enumerate() {
                let local = [k % n, k / n % n, k / n / n];
                let node = [0, 1, 2].map(|a| corner[a] * mesh.along + local[a] as u32);
                assert_eq!(*sum, expected.get(&node).copied().unwrap_or(0), "{node:?}");
                compared += 1;
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn a_grain_beside_a_crowd_goes_away_from_it_across_parts() {
        let moving = |k: usize| Guide {
            position: [2.0 * (k % 6) as f32, 2.0 * (k / 6 % 6) as f32, 2.0 * (k / 36) as f32],
            moves: 1.0,
            ..Guide::default()
        };
        let grid = GuideGrid::new((0..216).map(moving).collect(), 1.0, &Domain::default());
        let (radius, domain) = (0.3, Domain::default());
        let settings = MoverSettings { radius, guide_radius: 1.0, domain, friction: vec![], fault: None };
        let (gravity, walls, outlets) = (Vec3::ZERO, &[], &[]);
        let mut mean = Vec3::ZERO;
        for frame in 0..40 {
            let input = FrameInput { frame, dt: 0.1, gravity, guides: &grid, after: &grid, walls, outlets };
            let mut nodes = Nodes::default();
            nodes.lay(&input, 1.0);
            let instructions = Instructions::best();
            nodes.ask(&settings, &input, &deformations(&grid, &nodes, instructions), instructions);
            // Guides' cells end at 3 and 6: the crowd is before, the grain beyond.
            let crowd = Vec3::new(5.9, 5.0, 5.0);
            let grains = vec![Grain { position: crowd.into(), ..Grain::default() }; 20];
            let mut mesh = FineMesh::default();
            mesh.count(&nodes, &grains, &settings, frame, Instructions::best());
            let way = mesh.way(crowd + Vec3::X * 0.45, radius);
            assert!(way.length() <= 0.5 * radius * 1.001, "{frame}: {way}");
            mean += way / 40.0;
        }
        assert!(mean.x > 0.05 && mean.y.abs().max(mean.z.abs()) < 0.3 * mean.x, "{mean}");
    }
}
