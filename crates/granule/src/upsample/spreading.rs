//! Grains stay spread: they move from crowds to gaps, as far as they move anyway, so that what rests is left alone.
//!
//! ```text
//! e = grains / full - target(guides / full)      u = -c s grad e
//! ```
//! Grains are counted twice: on the nodes of the guides, a guide's radius apart, which evens out what is too much or too
//! little for the guides around ([`even_out`]); and on a mesh of about a grain's diameter, which keeps grains apart from
//! each other ([`FineMesh`](super::fine_mesh::FineMesh)). The target is a step at the surface of the mass of guides: what they are worth lies inside,
//! evenly.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::grain::Grain;
use super::mover::MoverSettings;
use super::nodes::{ALONG, NONE, Nodes, OWN};
use super::sampling::VOLUME_PER_GRAIN;
use super::weights::ramp;
use crate::neighbors::Domain;
use crate::simd::{Instructions, Lanes, Vectorised};

/// Part of a full mass of guides outside of which there are no grains, and inside of which there are all.
pub const SURFACE: [f32; 2] = [0.3, 0.7];

/// Way in a frame from which on a grain is in full motion, in its radii.
pub const IN_MOTION: f32 = 0.1;

/// How far grains even out in a frame at a slope of a full mass per distance of nodes, in distances of nodes.
pub const EVENING: f32 = 0.5;
/// Longest such way, in radii of a guide.
pub const MOST_EVENING: f32 = 0.15;

/// How much of a full motion a way [m] is, for a grain of a radius [m].
#[inline(always)]
pub fn activity(way: Vec3, radius: f32) -> f32 {
    (way.length() / (IN_MOTION * radius)).min(1.0)
}

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

/// Counts grains at the nodes nearest to them. Whole numbers, so that their order does not matter.
pub fn count_at_nodes(nodes: &Nodes, grains: &[Grain], domain: &Domain) -> Vec<[u32; OWN]> {
    let counts: Vec<[AtomicU32; OWN]> =
        nodes.cell_of_block.iter().map(|_| [const { AtomicU32::new(0) }; OWN]).collect();
    let spacing = nodes.spacing();
    let end = Vec3::from(nodes.count.map(|c| c as f32 * ALONG as f32));
    grains.par_iter().with_min_len(4096).for_each(|grain| {
        with_images(domain, grain.position.into(), IMAGE_NODES * spacing, |x| {
            let at = (x - nodes.origin) / spacing + 0.5;
            if !(at.cmpge(Vec3::ZERO).all() && at.cmplt(end).all()) {
                return;
            }
            // Not negative, so that whole parts are below.
            let (block, own) = owner(nodes, [at.x as i32 as u32, at.y as i32 as u32, at.z as i32 as u32]);
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
pub fn even_out(
    nodes: &mut Nodes,
    counts: &[[u32; OWN]],
    settings: &MoverSettings,
    instructions: Instructions,
) {
    let full = nodes.spacing().powi(3) / (VOLUME_PER_GRAIN as f32 * settings.radius.powi(3));
    let blocks = (0..nodes.cell_of_block.len()).into_par_iter().with_min_len(16);
    let shared = &*nodes;
    let evening = |block| instructions.run(Evening { nodes: shared, counts, block, full });
    let ways: Vec<Option<[Vec3; OWN]>> =
        blocks.map(|block| shared.stirs[block].then(|| evening(block))).collect();
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

/// Numbers at the nodes of a block and two more on both sides; rows have one more, for whole vectors.
type Halo = [[[f32; WIDE + 1]; WIDE]; WIDE];

/// Differences of the excess of grains from node to node at a block's own nodes, smoothed.
struct Evening<'a> {
    nodes: &'a Nodes,
    counts: &'a [[u32; OWN]],
    block: usize,
    /// Grains per node in a full mass.
    full: f32,
}

impl Vectorised for Evening<'_> {
    type Output = [Vec3; OWN];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Vec3; OWN] {
        let mut count: Halo = [[[0.0; WIDE + 1]; WIDE]; WIDE];
        let mut target: Halo = [[[0.0; WIDE + 1]; WIDE]; WIDE];
        for_halo(self.nodes, self.block, |[x, y, z], other, own| {
            count[z][y][x] = self.counts[other][own] as f32;
            target[z][y][x] = ramp(self.nodes.own[other][own].0, SURFACE);
        });
        let mut excess = smoothed(&count);
        for (excess, target) in excess.as_flattened_mut().iter_mut().zip(target.as_flattened()) {
            for x in 0..WIDE {
                excess[x] = excess[x] / self.full - target[x];
            }
        }
        let mut slope = [Vec3::ZERO; OWN];
        for (own, slope) in slope.iter_mut().enumerate() {
            let (x, y, z) = (own % 3 + 2, own / 3 % 3 + 2, own / 9 + 2);
            *slope = 0.5
                * Vec3::new(
                    excess[z][y][x + 1] - excess[z][y][x - 1],
                    excess[z][y + 1][x] - excess[z][y - 1][x],
                    excess[z + 1][y][x] - excess[z - 1][y][x],
                );
        }
        slope
    }
}

/// Calls for the nodes of a block and two more on every side, with who owns them.
#[inline(always)]
fn for_halo(nodes: &Nodes, block: usize, mut each: impl FnMut([usize; 3], usize, usize)) {
    // Steps along an axis by the number of the cell beside: its last two nodes, all, its first two.
    const RANGE: [[usize; 2]; 3] = [[1, 3], [0, 3], [0, 2]];
    // Place of the first node of that cell, and one more.
    const FIRST: [usize; 3] = [0, 3, 6];
    for cell in 0..27 {
        let step = [cell % 3, cell / 3 % 3, cell / 9];
        let Some(other) = nodes.beside(block, step.map(|s| s as i32 - 1)) else { continue };
        let [[x0, x1], [y0, y1], [z0, z1]] = step.map(|s| RANGE[s]);
        for z in z0..z1 {
            for y in y0..y1 {
                for x in x0..x1 {
                    let at = [x + FIRST[step[0]] - 1, y + FIRST[step[1]] - 1, z + FIRST[step[2]] - 1];
                    each(at, other, (z * ALONG + y) * ALONG + x);
                }
            }
        }
    }
}

/// The filter (1, 2, 1)/4 along every axis; the outermost are left 0.
#[inline(always)]
fn smoothed(from: &Halo) -> Halo {
    let mut a: Halo = [[[0.0; WIDE + 1]; WIDE]; WIDE];
    let (mut b, mut c) = (a, a);
    for z in 1..WIDE - 1 {
        for y in 0..WIDE {
            for x in 0..WIDE + 1 {
                a[z][y][x] = 0.25 * (from[z - 1][y][x] + 2.0 * from[z][y][x] + from[z + 1][y][x]);
            }
        }
        for y in 1..WIDE - 1 {
            for x in 0..WIDE + 1 {
                b[z][y][x] = 0.25 * (a[z][y - 1][x] + 2.0 * a[z][y][x] + a[z][y + 1][x]);
            }
            for x in 1..WIDE - 1 {
                c[z][y][x] = 0.25 * (b[z][y][x - 1] + 2.0 * b[z][y][x] + b[z][y][x + 1]);
            }
        }
    }
    c
}
