//! Grains stay spread: they move from crowds to gaps, as far as they move anyway, so that what rests is left alone.
//!
//! ```text
//! e = grains / full - target(guides / full)      u = -c s grad e
//! ```
//! Grains are counted twice: on the nodes of the guides, a guide's radius apart, which evens out what is too much or too
//! little for the guides around ([`even_out`]); and on a mesh of about a grain's diameter, which keeps grains apart from
//! each other ([`FineMesh`]). The target is a step at the surface of the mass of guides: what they are worth lies inside,
//! evenly.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::grain::Grain;
use super::mover::MoverSettings;
use super::nodes::{ALONG, BLOCK, NONE, Nodes, OWN, STEPS, parts};
use super::sampling::VOLUME_PER_GRAIN;
use super::weights::ramp;
use crate::neighbors::Domain;

/// Part of a full mass of guides outside of which there are no grains, and inside of which there are all.
pub const SURFACE: [f32; 2] = [0.3, 0.7];

/// Way in a frame from which on a grain is in full motion, in its radii.
pub const IN_MOTION: f32 = 0.1;

/// How far grains even out in a frame at a slope of a full mass per distance of nodes, in distances of nodes.
pub const EVENING: f32 = 0.5;
/// Longest such way, in radii of a guide.
pub const MOST_EVENING: f32 = 0.15;

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

/// How much of a full motion a way [m] is, for a grain of a radius [m].
#[inline(always)]
pub fn activity(way: Vec3, radius: f32) -> f32 {
    (way.length() / (IN_MOTION * radius)).min(1.0)
}

/// Grains within so many nodes beyond an end of a period count there, too.
const IMAGE_NODES: f32 = 2.5;

/// Calls for a point and for its images near the ends of periods, within `reach` [m].
#[inline(always)]
fn with_images(domain: &Domain, x: Vec3, reach: f32, mut each: impl FnMut(Vec3)) {
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

/// Counts grains at the nodes nearest to them. Whole numbers, so that their order does not matter.
pub fn count_at_nodes(nodes: &Nodes, grains: &[Grain], domain: &Domain) -> Vec<[u32; OWN]> {
    let counts: Vec<[AtomicU32; OWN]> =
        nodes.cell_of_block.iter().map(|_| [const { AtomicU32::new(0) }; OWN]).collect();
    let spacing = nodes.spacing();
    let [nx, ny, nz] = nodes.count.map(|c| c as i32 * ALONG as i32);
    grains.par_iter().with_min_len(4096).for_each(|grain| {
        with_images(domain, grain.position.into(), IMAGE_NODES * spacing, |x| {
            let node = ((x - nodes.origin) / spacing + 0.5).floor();
            let end = Vec3::new(nx as f32, ny as f32, nz as f32);
            if !(node.cmpge(Vec3::ZERO).all() && node.cmplt(end).all()) {
                return;
            }
            let (block, own) = owner(nodes, node.as_uvec3().to_array());
            if block != NONE {
                counts[block as usize][own].fetch_add(1, Ordering::Relaxed);
            }
        });
    });
    counts.into_iter().map(|block| block.map(AtomicU32::into_inner)).collect()
}

/// Block of a node, and which of its own it is.
#[inline(always)]
fn owner(nodes: &Nodes, node: [u32; 3]) -> (u32, usize) {
    let [x, y, z] = node.map(|n| n / ALONG as u32);
    let cell = (z * nodes.count[1] + y) * nodes.count[0] + x;
    let [x, y, z] = node.map(|n| n as usize % ALONG);
    (nodes.block_of_cell[cell as usize], (z * ALONG + y) * ALONG + x)
}

/// Adds ways from crowds to gaps to what the nodes of stirring blocks say.
pub fn even_out(nodes: &mut Nodes, counts: &[[u32; OWN]], settings: &MoverSettings) {
    let full = nodes.spacing().powi(3) / (VOLUME_PER_GRAIN as f32 * settings.radius.powi(3));
    let blocks = (0..nodes.cell_of_block.len()).into_par_iter().with_min_len(16);
    let shared = &*nodes;
    let ways: Vec<Option<[Vec3; OWN]>> =
        blocks.map(|block| shared.stirs[block].then(|| evening(shared, counts, block, full))).collect();
    let (spacing, most) = (nodes.spacing(), MOST_EVENING * settings.guide_radius);
    let stirring = nodes.own.par_iter_mut().with_min_len(64).zip(ways);
    stirring.filter_map(|(own, ways)| ways.map(|ways| (own, ways))).for_each(|(own, ways)| {
        for ((_, node), slope) in own.iter_mut().zip(ways) {
            let way = Vec3::from(node.way);
            let out = (-EVENING * spacing * slope).clamp_length_max(most);
            node.way = (way + node.known * activity(way, settings.radius) * out).into();
        }
    });
}

/// Numbers of nodes along an axis of a block and two more on both sides.
const WIDE: usize = ALONG + 4;

/// Differences of the excess of grains from node to node at a block's own nodes, smoothed.
fn evening(nodes: &Nodes, counts: &[[u32; OWN]], block: usize, full: f32) -> [Vec3; OWN] {
    let mut count = [[[0.0f32; WIDE]; WIDE]; WIDE];
    let mut target = [[[0.0f32; WIDE]; WIDE]; WIDE];
    for_halo(nodes, block, |[x, y, z], other, own| {
        count[z][y][x] = counts[other][own] as f32;
        target[z][y][x] = ramp(nodes.own[other][own].0, SURFACE);
    });
    let mut excess = smoothed(&count);
    for z in 0..WIDE {
        for y in 0..WIDE {
            for x in 0..WIDE {
                excess[z][y][x] = excess[z][y][x] / full - target[z][y][x];
            }
        }
    }
    std::array::from_fn(|own| {
        let (x, y, z) = (own % 3 + 2, own / 3 % 3 + 2, own / 9 + 2);
        0.5 * Vec3::new(
            excess[z][y][x + 1] - excess[z][y][x - 1],
            excess[z][y + 1][x] - excess[z][y - 1][x],
            excess[z + 1][y][x] - excess[z - 1][y][x],
        )
    })
}

/// Calls for the nodes of a block and two more on every side, with who owns them.
fn for_halo(nodes: &Nodes, block: usize, mut each: impl FnMut([usize; 3], usize, usize)) {
    // Steps along an axis by the number of the cell beside: its last two nodes, all, its first two.
    let range = |step: i32| match step {
        -1 => 1..3,
        0 => 0..3,
        _ => 0..2,
    };
    let place = |step: i32, local: usize| (step * ALONG as i32 + 2 + local as i32) as usize;
    for cell in 0..27 {
        let step = [cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1];
        let Some(other) = nodes.beside(block, step) else { continue };
        for z in range(step[2]) {
            for y in range(step[1]) {
                for x in range(step[0]) {
                    let at = [place(step[0], x), place(step[1], y), place(step[2], z)];
                    each(at, other, (z * ALONG + y) * ALONG + x);
                }
            }
        }
    }
}

/// The filter (1, 2, 1)/4 along every axis; the outermost are left 0.
fn smoothed(from: &[[[f32; WIDE]; WIDE]; WIDE]) -> [[[f32; WIDE]; WIDE]; WIDE] {
    let three = |a: f32, b: f32, c: f32| 0.25 * (a + 2.0 * b + c);
    let inner = 1..WIDE - 1;
    let (mut a, mut b, mut c) =
        ([[[0.0f32; WIDE]; WIDE]; WIDE], [[[0.0f32; WIDE]; WIDE]; WIDE], [[[0.0f32; WIDE]; WIDE]; WIDE]);
    for z in 0..WIDE {
        for y in 0..WIDE {
            for x in inner.clone() {
                a[z][y][x] = three(from[z][y][x - 1], from[z][y][x], from[z][y][x + 1]);
            }
        }
        for y in inner.clone() {
            for x in inner.clone() {
                b[z][y][x] = three(a[z][y - 1][x], a[z][y][x], a[z][y + 1][x]);
            }
        }
    }
    for z in inner.clone() {
        for y in inner.clone() {
            for x in inner.clone() {
                c[z][y][x] = three(b[z - 1][y][x], b[z][y][x], b[z + 1][y][x]);
            }
        }
    }
    c
}

/// Grains on a mesh of about their diameter, where guides stir. It lies elsewhere every frame, so that grains do not
/// line up with it.
#[derive(Debug, Default)]
pub struct FineMesh {
    origin: Vec3,
    /// Side of a fine cell [m].
    side: f32,
    /// Fine cells along a cell of the guides.
    along: u32,
    /// Where the mesh lies in this frame, in fine cells.
    offset: Vec3,
    count: [u32; 3],
    /// Part of the mesh of each cell of the guides, or [`NONE`].
    part_of_cell: Vec<u32>,
    /// Block of each part.
    block_of_part: Vec<u32>,
    /// Grains at each node of the mesh: whole ones are [`WHOLE`]. The last stands for all nodes that there are not.
    tally: Vec<AtomicU32>,
    /// Excess of grains, relative to a full mass.
    excess: Vec<f32>,
}

/// Where a point is on the fine mesh: the eight nodes around it and how far it is beyond the first.
struct FinePlace {
    node: [usize; 8],
    beyond: Vec3,
}

impl FineMesh {
    /// Counts grains where guides stir.
    pub fn count(&mut self, nodes: &Nodes, grains: &[Grain], settings: &MoverSettings, frame: u64) {
        self.lay(nodes, settings, frame);
        let reach = 2.0 * self.side;
        let mesh = &*self;
        grains.par_iter().with_min_len(4096).for_each(|grain| {
            with_images(&settings.domain, grain.position.into(), reach, |x| mesh.add(x));
        });
        self.compare(nodes, settings);
    }

    fn lay(&mut self, nodes: &Nodes, settings: &MoverSettings, frame: u64) {
        self.origin = nodes.origin;
        self.count = nodes.count;
        self.along = fine_cells_along(nodes.side, settings.radius);
        self.side = nodes.side / self.along as f32;
        self.offset = offset(frame);
        self.part_of_cell.clear();
        self.part_of_cell.resize(nodes.block_of_cell.len(), NONE);
        self.block_of_part.clear();
        for (block, &cell) in nodes.cell_of_block.iter().enumerate().filter(|(block, _)| nodes.stirs[*block])
        {
            self.part_of_cell[cell as usize] = self.block_of_part.len() as u32;
            self.block_of_part.push(block as u32);
        }
        let size = self.block_of_part.len() * self.part_size() + 1;
        self.tally.clear();
        self.tally.resize_with(size, || AtomicU32::new(0));
    }

    fn part_size(&self) -> usize {
        self.along.pow(3) as usize
    }

    /// The eight nodes around a point; none where guides do not stir.
    #[inline(always)]
    fn locate(&self, x: Vec3) -> Option<FinePlace> {
        let at = (x - self.origin) / self.side + self.offset;
        let base = at.floor();
        let end = Vec3::from(self.count.map(|c| (c * self.along) as f32)) - 1.0;
        if !(base.cmpge(Vec3::ZERO).all() && base.cmplt(end).all()) {
            return None;
        }
        let n = self.along;
        let first = base.as_uvec3().to_array();
        let cell = first.map(|f| f / n);
        let local = [0, 1, 2].map(|k| first[k] - cell[k] * n);
        let index = |cell: [u32; 3]| ((cell[2] * self.count[1] + cell[1]) * self.count[0] + cell[0]) as usize;
        let size = self.part_size();
        let mut node = [self.tally.len() - 1; 8];
        let place = |l: [u32; 3]| ((l[2] * n + l[1]) * n + l[0]) as usize;
        if local.iter().all(|&l| l + 1 < n) {
            let part = self.part_of_cell[index(cell)];
            if part == NONE {
                return None;
            }
            let start = part as usize * size + place(local);
            let (y, z) = (n as usize, (n * n) as usize);
            node = [0, 1, y, y + 1, z, z + 1, z + y, z + y + 1].map(|step| start + step);
        } else {
            for (k, node) in node.iter_mut().enumerate() {
                let step = [k as u32 & 1, k as u32 >> 1 & 1, k as u32 >> 2];
                let (mut c, mut l) = (cell, [0, 1, 2].map(|a| local[a] + step[a]));
                for a in 0..3 {
                    if l[a] == n {
                        (c[a], l[a]) = (c[a] + 1, 0);
                    }
                }
                let part = self.part_of_cell[index(c)];
                if part != NONE {
                    *node = part as usize * size + place(l);
                }
            }
        }
        Some(FinePlace { node, beyond: at - base })
    }

    #[inline(always)]
    fn add(&self, x: Vec3) {
        let Some(place) = self.locate(x) else { return };
        for (node, part) in place.node.into_iter().zip(parts(place.beyond)) {
            self.tally[node].fetch_add((part * WHOLE + 0.5) as u32, Ordering::Relaxed);
        }
    }

    /// Compares grains with what guides are worth.
    fn compare(&mut self, nodes: &Nodes, settings: &MoverSettings) {
        let full = self.side.powi(3) / (VOLUME_PER_GRAIN as f32 * settings.radius.powi(3));
        let unit = 1.0 / (WHOLE * full);
        let (n, size) = (self.along as usize, self.part_size());
        self.excess.resize(self.tally.len(), 0.0);
        if let Some(last) = self.excess.last_mut() {
            *last = 0.0;
        }
        let (tally, offset) = (&self.tally, self.offset);
        let step = ALONG as f32 / self.along as f32;
        let parts = self.excess.par_chunks_mut(size).with_min_len(16).zip(&self.block_of_part).enumerate();
        parts.for_each(|(part, (excess, &block))| {
            let cover = nodes.gathered(block as usize, |(cover, _)| *cover);
            let tally = &tally[part * size..(part + 1) * size];
            let inside = cover.iter().all(|&c| c >= SURFACE[1]);
            for (k, (excess, tally)) in excess.iter_mut().zip(tally).enumerate() {
                let target = if inside {
                    1.0
                } else {
                    let local = Vec3::new((k % n) as f32, (k / n % n) as f32, (k / n / n) as f32);
                    ramp(covered(&cover, ((local - offset) * step).max(Vec3::ZERO)), SURFACE)
                };
                *excess = tally.load(Ordering::Relaxed) as f32 * unit - target;
            }
        });
    }

    /// The way [m] of a grain in full motion out of a crowd.
    #[inline(always)]
    pub fn way(&self, x: Vec3, radius: f32) -> Vec3 {
        let Some(FinePlace { node, beyond: t }) = self.locate(x) else { return Vec3::ZERO };
        let e = node.map(|node| self.excess[node]);
        let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
        let slope = Vec3::new(
            mix(mix(e[1] - e[0], e[3] - e[2], t.y), mix(e[5] - e[4], e[7] - e[6], t.y), t.z),
            mix(mix(e[2] - e[0], e[3] - e[1], t.x), mix(e[6] - e[4], e[7] - e[5], t.x), t.z),
            mix(mix(e[4] - e[0], e[5] - e[1], t.x), mix(e[6] - e[2], e[7] - e[3], t.x), t.y),
        );
        (-SPREADING * self.side * slope).clamp_length_max(MOST_SPREADING * radius)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * (self.part_of_cell.capacity() + self.block_of_part.capacity())
            + 4 * (self.tally.capacity() + self.excess.capacity())
    }
}

/// A number on the nodes of a block at a point in it, in distances of nodes.
fn covered(cover: &[f32; BLOCK], at: Vec3) -> f32 {
    let corner = at.floor().min(Vec3::splat((ALONG - 1) as f32));
    let place = (corner.z as usize * 4 + corner.y as usize) * 4 + corner.x as usize;
    let parts = parts(at - corner);
    (0..8).map(|k| parts[k] * cover[place + STEPS[k]]).sum()
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
