//! Grains stay spread: they move from crowds to gaps, as far as they move anyway, so that what rests is left alone.
//!
//! ```text
//! e = grains / full - target(guides / full)      u = -c s grad e
//! ```
//! Grains are counted twice: on the nodes of the guides, a guide's radius apart, which evens out what is too much or too
//! little for the guides around ([`Crowds`]); and on a mesh of about a grain's diameter, which keeps grains apart from
//! each other ([`FineMesh`](super::fine_mesh::FineMesh)). The target is a step at the surface of the mass of guides: what they are worth lies inside,
//! evenly.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::asking::GROUPS;
use super::grain::Grain;
use super::mover::MoverSettings;
use super::nodes::{ALONG, NONE, Node, Nodes, OWN};
use super::sampling::VOLUME_PER_GRAIN;
use super::weights::ramp;
use crate::neighbors::Domain;
use crate::simd::{Instructions, LANES, Lanes, Vectorised, load, store};

/// Part of a full mass of guides outside of which there are no grains, and inside of which there are all.
pub const SURFACE: [f32; 2] = [0.3, 0.7];

/// Way in a frame from which on a grain is in full motion, in its radii.
pub const IN_MOTION: f32 = 0.1;

/// How far grains even out in a frame at a slope of a full mass per distance of nodes, in distances of nodes.
pub const EVENING: f32 = 0.5;
/// Longest such way, in radii of a guide.
pub const MOST_EVENING: f32 = 0.15;

/// Grains within so many nodes beyond an end of a period count there, too.
const IMAGE_NODES: f32 = 2.5;

/// Calls for a point and for its images near the ends of periods, within `reach` [m].
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

/// Numbers of grains from sixteen on, as steps from the first.
const SIXTEEN: [u16; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Numbers of a grain and of a node.
const NUMBERS: usize = 8;
const _: () = assert!(size_of::<Grain>() == 4 * NUMBERS && size_of::<Node>() == 4 * NUMBERS);

/// Room for the numbers of a block's own nodes and one more, so that four are there from the start of every row on.
const ROOM: usize = OWN + 1;

/// Grains at the nodes nearest to them, and how many guides are worth.
#[derive(Debug, Default)]
pub struct Crowds {
    /// Grains at the own nodes of every block, and of one more, which has none.
    count: Vec<[AtomicU32; ROOM]>,
    /// The same as numbers.
    crowd: Vec<[f32; ROOM]>,
    /// The same for what they should be, relative to a full mass.
    target: Vec<[f32; ROOM]>,
}

impl Crowds {
    /// Counts grains. Whole numbers, so that their order does not matter.
    pub fn count_at_nodes(
        &mut self,
        nodes: &Nodes,
        grains: &[Grain],
        domain: &Domain,
        instructions: Instructions,
    ) {
        let blocks = nodes.cell_of_block.len() + 1;
        self.count.resize_with(blocks, || [const { AtomicU32::new(0) }; ROOM]);
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

    /// Adds ways from crowds to gaps to what the nodes of stirring blocks say.
    pub fn even_out(&mut self, nodes: &mut Nodes, settings: &MoverSettings, instructions: Instructions) {
        let blocks = nodes.cell_of_block.len();
        self.crowd.resize(blocks + 1, [0.0; ROOM]);
        self.target.resize(blocks + 1, [0.0; ROOM]);
        (self.crowd[blocks], self.target[blocks]) = ([0.0; ROOM], [0.0; ROOM]);
        let to =
            self.crowd[..blocks].par_chunks_mut(BLOCKS).zip(self.target[..blocks].par_chunks_mut(BLOCKS));
        let from = self.count.par_chunks(BLOCKS).zip(nodes.cover.par_chunks(BLOCKS));
        to.zip(from).for_each(|((crowd, target), (count, cover))| {
            instructions.run(FindTargets { count, crowd, target, cover });
        });
        let mut own = std::mem::take(&mut nodes.own);
        let spacing = nodes.spacing();
        let evening = Evening {
            nodes,
            crowds: self,
            inverse_full: VOLUME_PER_GRAIN as f32 * settings.radius.powi(3) / spacing.powi(3),
            spacing,
            most: MOST_EVENING * settings.guide_radius,
            radius: settings.radius,
        };
        own.par_chunks_mut(BLOCKS).enumerate().for_each(|(chunk, own)| {
            instructions.run(EvenOut { evening: &evening, first: chunk * BLOCKS, own });
        });
        nodes.own = own;
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * ROOM * (self.count.capacity() + self.crowd.capacity() + self.target.capacity())
    }
}

/// Grains, and blocks, that a thread takes at once.
const CHUNK: usize = 4096;
const BLOCKS: usize = 64;

/// Where grains are counted.
#[derive(Clone, Copy)]
struct Counting<'a> {
    nodes: &'a Nodes,
    count: &'a [[AtomicU32; ROOM]],
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

/// What grains are and should be at the own nodes of some blocks.
struct FindTargets<'a> {
    count: &'a [[AtomicU32; ROOM]],
    crowd: &'a mut [[f32; ROOM]],
    target: &'a mut [[f32; ROOM]],
    cover: &'a [[f32; OWN]],
}

impl Vectorised for FindTargets<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (crowd, count) in self.crowd.iter_mut().zip(self.count) {
            for (crowd, count) in crowd.iter_mut().zip(count) {
                *crowd = count.load(Ordering::Relaxed) as i32 as f32;
            }
        }
        for (target, cover) in self.target.iter_mut().zip(self.cover) {
            for first in GROUPS {
                store(&mut target[..OWN], first, ramp(load::<L>(cover, first), SURFACE));
            }
        }
    }
}

/// How grains even out.
struct Evening<'a> {
    nodes: &'a Nodes,
    crowds: &'a Crowds,
    /// 1 over the grains per node in a full mass.
    inverse_full: f32,
    spacing: f32,
    /// Longest way [m].
    most: f32,
    /// Radius of a grain [m].
    radius: f32,
}

/// Evens out at the nodes of some blocks that follow each other.
struct EvenOut<'a> {
    evening: &'a Evening<'a>,
    first: usize,
    own: &'a mut [[Node; OWN]],
}

impl Vectorised for EvenOut<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (k, own) in self.own.iter_mut().enumerate() {
            let block = self.first + k;
            if self.evening.nodes.stirs[block] {
                let slope = slopes(&self.evening.excess::<L>(block));
                self.evening.add_ways::<L>(&slope, own);
            }
        }
    }
}

/// Numbers of nodes along an axis of a block and two more on both sides.
const WIDE: usize = ALONG + 4;
/// The same with one more: whole vectors.
const ROW: usize = WIDE + 1;
const PLANE: usize = ROW * ROW;

/// Numbers at the nodes of a block and two more on both sides, with rows and planes one longer.
type Halo = [f32; WIDE * PLANE];

/// Which cell along an axis owns a node of a halo (0 before, 1 the block's own, 2 after), and as which of its own.
const OWNER: [[usize; 2]; WIDE] = [[0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1]];

impl Evening<'_> {
    /// Excess of grains at the nodes of a block and the next ones, relative to a full mass, smoothed; anything farther off.
    #[inline(always)]
    fn excess<L: Lanes>(&self, block: usize) -> Halo {
        let neighbors = &self.nodes.neighbors[block];
        let crowd = halo::<0>(neighbors, &self.crowds.crowd);
        let target = halo::<1>(neighbors, &self.crowds.target);
        smoothed_less::<L>(&crowd, self.inverse_full, &target)
    }

    /// Adds ways against slopes to what nodes say.
    #[inline(always)]
    fn add_ways<L: Lanes>(&self, slope: &[[f32; ROOM]; 3], own: &mut [Node; OWN]) {
        let numbers: *mut f32 = own.as_mut_ptr().cast();
        let mut ways = [[L::splat(0.0); 4]; 2];
        for (group, first) in GROUPS.into_iter().enumerate() {
            // SAFETY: sixteen nodes of eight numbers each are there from the first on.
            let (said, known) = unsafe {
                let numbers = numbers.add(NUMBERS * first);
                let said = L::gather4::<NUMBERS>(numbers, 0, &SIXTEEN);
                (said, L::gather::<NUMBERS>(numbers.add(7), 0, &SIXTEEN))
            };
            let slope = [load::<L>(&slope[0], first), load(&slope[1], first), load(&slope[2], first)];
            ways[group] = self.with_evening(said, known, slope);
        }
        // Some nodes belong to both groups: both are read before any is written.
        for (group, first) in GROUPS.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { L::to_rows(ways[group], numbers.add(NUMBERS * first), NUMBERS) };
        }
    }

    /// Ways of sixteen nodes and what evens out; the fourth number stays.
    #[inline(always)]
    fn with_evening<L: Lanes>(&self, said: [L; 4], known: L, slope: [L; 3]) -> [L; 4] {
        let (one, most) = (L::splat(1.0), L::splat(self.most));
        let [x, y, z, share] = said;
        let factor = L::splat(-EVENING * self.spacing);
        let out = [factor * slope[0], factor * slope[1], factor * slope[2]];
        let far = length(out);
        let bound = most.if_below(far, most / far, one);
        let active = (length([x, y, z]) / L::splat(IN_MOTION * self.radius)).at_most(one);
        let part = known * active * bound;
        [x + part * out[0], y + part * out[1], z + part * out[2], share]
    }
}

#[inline(always)]
fn length<L: Lanes>(v: [L; 3]) -> L {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).root()
}

/// Numbers around a block from those of the blocks around it, of which the last has what stands where there is none;
/// without the outermost planes and rows, as many as told.
#[inline(always)]
fn halo<const OMITTED: usize>(neighbors: &[u32; 27], of: &[[f32; ROOM]]) -> Halo {
    let nothing = of.len() - 1;
    let mut out = [0.0; WIDE * PLANE];
    for z in OMITTED..WIDE - OMITTED {
        for y in OMITTED..WIDE - OMITTED {
            let ([cell_z, z_own], [cell_y, y_own]) = (OWNER[z], OWNER[y]);
            let cells = &neighbors[9 * cell_z + 3 * cell_y..][..3];
            let first = (z_own * ALONG + y_own) * ALONG;
            let row = &mut out[z * PLANE + y * ROW..][..ROW];
            row[..2].copy_from_slice(&of[(cells[0] as usize).min(nothing)][first + 1..first + 3]);
            // The fourth is another row's; the next cell's first comes to stand there.
            row[2..6].copy_from_slice(&of[(cells[1] as usize).min(nothing)][first..first + 4]);
            row[5..7].copy_from_slice(&of[(cells[2] as usize).min(nothing)][first..first + 2]);
        }
    }
    out
}

/// The filter (1, 2, 1)/4 along every axis times a factor, less other numbers; anything at the outermost.
#[inline(always)]
fn smoothed_less<L: Lanes>(from: &Halo, factor: f32, less: &Halo) -> Halo {
    let mut a: Halo = [0.0; WIDE * PLANE];
    let (mut b, mut c) = (a, a);
    let factor = L::splat(factor / 64.0);
    for z in 1..WIDE - 1 {
        for at in (z * PLANE..(z + 1) * PLANE).step_by(LANES) {
            store(&mut a, at, filter::<L>(from, at, PLANE));
        }
        // Rows from 1 to 5, and one more: whole vectors.
        for at in (z * PLANE + ROW..(z + 1) * PLANE - ROW).step_by(LANES) {
            store(&mut b, at, filter::<L>(&a, at, ROW));
        }
        for at in (z * PLANE + ROW..(z + 1) * PLANE - ROW).step_by(LANES) {
            store(&mut c, at, filter::<L>(&b, at, 1) * factor - load::<L>(less, at));
        }
    }
    c
}

/// Four times the filter (1, 2, 1)/4 at sixteen nodes.
#[inline(always)]
fn filter<L: Lanes>(of: &Halo, at: usize, step: usize) -> L {
    let middle = load::<L>(of, at);
    load::<L>(of, at - step) + (middle + middle) + load::<L>(of, at + step)
}

/// Differences from node to node at a block's own nodes, along each axis.
#[inline(always)]
fn slopes(of: &Halo) -> [[f32; ROOM]; 3] {
    let mut slope = [[0.0; ROOM]; 3];
    for (slope, step) in slope.iter_mut().zip([1, ROW, PLANE]) {
        for row in 0..ALONG * ALONG {
            let at = (row / ALONG + 2) * PLANE + (row % ALONG + 2) * ROW + 2;
            for k in 0..ALONG {
                slope[row * ALONG + k] = 0.5 * (of[at + k + step] - of[at + k - step]);
            }
        }
    }
    slope
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at the nodes around 27 blocks in a cube, as in a halo.
    fn numbers(of: impl Fn([i32; 3]) -> f32) -> Halo {
        let mut numbers = [[0.0; ROOM]; 28];
        for (block, numbers) in numbers[..27].iter_mut().enumerate() {
            for (own, number) in numbers[..OWN].iter_mut().enumerate() {
                *number = of([1, 3, 9].map(|step| (block / step % 3 * 3 + own / step % 3) as i32 - 3));
            }
        }
        halo::<0>(&std::array::from_fn(|k| k as u32), &numbers)
    }

    #[test]
    fn a_halo_has_every_node_at_its_place() {
        let halo = numbers(|[x, y, z]| (100 * z + 10 * y + x) as f32);
        for z in 0..WIDE {
            for y in 0..WIDE {
                for x in 0..WIDE {
                    let expected = 100 * (z as i32 - 2) + 10 * (y as i32 - 2) + x as i32 - 2;
                    assert_eq!(halo[z * PLANE + y * ROW + x], expected as f32, "{x} {y} {z}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_those_of_what_is_smooth_and_small_of_what_is_not() {
        use crate::simd::Portable;
        let nothing = [0.0; WIDE * PLANE];
        let linear = numbers(|[x, y, z]| 3.0 * x as f32 - 2.0 * y as f32 + 0.5 * z as f32);
        let slope = slopes(&smoothed_less::<Portable>(&linear, 2.0, &nothing));
        for (slope, expected) in slope.iter().zip([6.0, -4.0, 1.0]) {
            assert!(slope[..OWN].iter().all(|s| (s - expected).abs() < 1e-4), "{slope:?}");
        }
        // From node to node up and down: gone. What is taken off is not smoothed.
        let checkered = numbers(|[x, y, z]| ((x + y + z) & 1) as f32);
        let slope = slopes(&smoothed_less::<Portable>(&checkered, 1.0, &linear));
        for (slope, expected) in slope.iter().zip([-3.0, 2.0, -0.5]) {
            assert!(slope[..OWN].iter().all(|s| (s - expected).abs() < 1e-4), "{slope:?}");
        }
    }
}
