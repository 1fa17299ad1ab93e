//! Interpolates the motion of the guides at the own nodes of blocks.

use glam::{Mat3, Vec3};
use rayon::prelude::*;

use super::advector::{AdvectionSettings, Fault, FrameInput};
use super::contact::Wall;
use super::deformation::Deformation;
use super::nodes::{Node, Nodes, OWN, WALL_BITS};
use super::weights::{beyond_wall, coverage, guided_share, published_share, weight};
use crate::simd::{Instructions, LANES, Lanes, Vectorised, first_lanes, load, splat3, store};

/// First nodes of the two groups of sixteen in which a block's 27 own nodes are computed; some belong to both.
pub(super) const GROUPS: [usize; 2] = [0, OWN - LANES];

/// Offsets of the nodes of both groups from a block's lowest, in node spacings.
const OFFSETS: [[[f32; LANES]; 3]; 2] = {
    let mut positions = [[[0.0; LANES]; 3]; 2];
    let mut k = 0;
    while k < 2 * LANES {
        let node = GROUPS[k / LANES] + k % LANES;
        positions[k / LANES][0][k % LANES] = (node % 3) as f32;
        positions[k / LANES][1][k % LANES] = (node / 3 % 3) as f32;
        positions[k / LANES][2][k % LANES] = (node / 9) as f32;
        k += 1;
    }
    positions
};

/// Blocks that a thread takes at once.
const CHUNK: usize = 16;

impl Nodes {
    /// Interpolates displacement, velocity and share of the guides at every node.
    pub fn interpolate(
        &mut self,
        settings: &AdvectionSettings,
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
        let interpolation = Interpolation { settings, frame, deformation, instructions, nodes: self };
        let chunks = own.par_chunks_mut(CHUNK).zip(cover.par_chunks_mut(CHUNK));
        let chunks = chunks.zip(wall_distance.par_chunks_mut(CHUNK)).enumerate();
        chunks.for_each_init(Vec::new, |candidate, (chunk, ((own, cover), wall_distance))| {
            let first = chunk * CHUNK;
            for (k, distance) in wall_distance.iter_mut().enumerate() {
                interpolation.measure_walls(first + k, distance);
            }
            instructions.run(InterpolateBlocks {
                interpolation: &interpolation,
                first,
                candidate,
                own,
                cover,
                wall_distance,
            });
        });
        (self.own, self.cover, self.wall_distance) = (own, cover, wall_distance);
    }
}

/// What the interpolation reads.
struct Interpolation<'a> {
    settings: &'a AdvectionSettings,
    frame: &'a FrameInput<'a>,
    deformation: &'a [Deformation],
    instructions: Instructions,
    nodes: &'a Nodes,
}

/// Interpolates at the nodes of a run of blocks.
struct InterpolateBlocks<'a> {
    interpolation: &'a Interpolation<'a>,
    first: usize,
    candidate: &'a mut Vec<u32>,
    own: &'a mut [[Node; OWN]],
    cover: &'a mut [[f32; OWN]],
    wall_distance: &'a [[f32; OWN]],
}

impl Vectorised for InterpolateBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let interpolation = self.interpolation;
        let inverse_support = L::splat(1.0 / interpolation.frame.guides.support);
        for (k, (own, cover)) in self.own.iter_mut().zip(self.cover).enumerate() {
            let block = self.first + k;
            let count = interpolation.find_candidates::<L>(block, self.candidate);
            let candidates = &self.candidate[..count];
            let [a, b] = &interpolation.positions(block);
            let x = [lanes_of::<L>(a), lanes_of::<L>(b)];
            let sums = if interpolation.deforms(block) {
                interpolation.gather::<L>(&x, candidates)
            } else {
                interpolation.gather_resting::<L>(&x, candidates)
            };
            let near_walls = interpolation.nodes.walls_near_nodes[block] != 0;
            for (group, first) in GROUPS.into_iter().enumerate() {
                let distance = load::<L>(&self.wall_distance[k], first);
                let wall = if near_walls { beyond_wall(distance * inverse_support) } else { L::splat(0.0) };
                interpolation.normalize(&sums[group], wall, &mut own[first..], &mut cover[first..]);
            }
        }
    }
}

#[inline(always)]
fn lanes_of<L: Lanes>([x, y, z]: &[[f32; LANES]; 3]) -> [L; 3] {
    [L::from_array(x), L::from_array(y), L::from_array(z)]
}

/// The mean of what has been added up with weights; 0 where there are none.
#[inline(always)]
fn mean<L: Lanes>(of: [L; 3], sum: L) -> [L; 3] {
    let zero = L::splat(0.0);
    let of_axis = [of[0] / sum, of[1] / sum, of[2] / sum];
    [
        zero.if_below(sum, of_axis[0], zero),
        zero.if_below(sum, of_axis[1], zero),
        zero.if_below(sum, of_axis[2], zero),
    ]
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
    displacement: [L; 3],
    velocity: [L; 3],
}

impl<L: Lanes> Sums<L> {
    #[inline(always)]
    fn nothing() -> Self {
        let zero = L::splat(0.0);
        Self { weight: zero, largest: zero, carrying: zero, displacement: [zero; 3], velocity: [zero; 3] }
    }
}

impl Interpolation<'_> {
    /// Positions of a block's own nodes in two groups [m].
    #[inline(always)]
    fn positions(&self, block: usize) -> [[[f32; LANES]; 3]; 2] {
        let low = self.nodes.corner(self.nodes.cell_of_block[block]).to_array();
        let spacing = self.nodes.spacing();
        let mut positions = [[[0.0; LANES]; 3]; 2];
        for group in 0..2 {
            for axis in 0..3 {
                for k in 0..LANES {
                    positions[group][axis][k] = low[axis] + spacing * OFFSETS[group][axis][k];
                }
            }
        }
        positions
    }

    /// Whether any guide around a block moves, or is near one that does: its surroundings deform.
    #[inline(always)]
    fn deforms(&self, block: usize) -> bool {
        let active = |other: &u32| self.nodes.active.get(*other as usize) == Some(&true);
        self.nodes.neighbors[block].iter().any(active)
    }

    /// Guides that are within their support of the box around a block's own nodes: how many, at the start of the list.
    #[inline(always)]
    fn find_candidates<L: Lanes>(&self, block: usize, candidate: &mut Vec<u32>) -> usize {
        let (grid, nodes) = (self.frame.guides, self.nodes);
        let rows = grid.rows_around(nodes.inner_cell(block));
        let most = rows.iter().map(|[from, to]| (to - from) as usize).sum::<usize>() + LANES;
        if candidate.len() < most {
            candidate.resize(2 * most, 0);
        }
        let low = nodes.corner(nodes.cell_of_block[block]);
        let high = low + 2.0 * nodes.spacing();
        let (low, high) = (splat3::<L>(low.to_array()), splat3::<L>(high.to_array()));
        let (reach, zero) = (L::splat(grid.support * grid.support), L::splat(0.0));
        let mut count = 0;
        for [from, to] in rows {
            for first in (from as usize..to as usize).step_by(LANES) {
                let p = grid.columns.position::<L>(first);
                let mut square = zero;
                for k in 0..3 {
                    let beyond = (low[k] - p[k]).at_least(p[k] - high[k]).at_least(zero);
                    square = square + beyond * beyond;
                }
                let near = square.below(reach) & first_lanes(to as usize - first);
                // SAFETY: the list is long enough for all guides of the rows and sixteen more.
                count += unsafe { L::push_indices(first as u32, near, candidate.as_mut_ptr().add(count)) };
            }
        }
        count
    }

    /// Sums at the nodes of a block around which guides move or deform.
    #[inline(always)]
    fn gather<L: Lanes>(&self, x: &[[L; 3]; 2], candidates: &[u32]) -> [Sums<L>; 2] {
        let support = self.frame.guides.support;
        let mut sums = [Sums::<L>::nothing(); 2];
        for &j in candidates {
            let (guide, affine) = (&self.frame.guides.guide[j as usize], &self.deformation[j as usize]);
            let own = self.frame.guides.columns.shrinking_of(j as usize);
            let inverse = L::splat(1.0 / (support * support) * own);
            for group in 0..2 {
                let (sums, x, p) = (&mut sums[group], &x[group], guide.position);
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
                    sums.displacement[k] = sums.displacement[k] + w * own;
                    sums.velocity[k] = sums.velocity[k] + w * L::splat(guide.velocity[k]);
                }
            }
        }
        sums
    }

    /// The same where no guide moves: only the weights are summed.
    #[inline(always)]
    fn gather_resting<L: Lanes>(&self, x: &[[L; 3]; 2], candidates: &[u32]) -> [Sums<L>; 2] {
        let support = self.frame.guides.support;
        let mut sums = [Sums::<L>::nothing(); 2];
        for &j in candidates {
            let p = self.frame.guides.guide[j as usize].position;
            let own = self.frame.guides.columns.shrinking_of(j as usize);
            let inverse = L::splat(1.0 / (support * support) * own);
            for group in 0..2 {
                let (sums, x) = (&mut sums[group], &x[group]);
                let d = [x[0] - L::splat(p[0]), x[1] - L::splat(p[1]), x[2] - L::splat(p[2])];
                let w = weight((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inverse);
                sums.weight = sums.weight + w;
                sums.largest = sums.largest.at_least(w);
            }
        }
        sums
    }

    /// Turns the sums at sixteen nodes into means and shares and writes them to the start of `own` and `cover`. The part
    /// `wall` of the weights' integral lies beyond walls: a wall next to a grain is no missing guide.
    #[inline(always)]
    fn normalize<L: Lanes>(&self, sums: &Sums<L>, wall: L, own: &mut [Node], cover: &mut [f32]) {
        let (zero, sum) = (L::splat(0.0), sums.weight);
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
        let ([x, y, z], [u, v, w]) = (mean(sums.displacement, sum), mean(sums.velocity, sum));
        store(&mut cover[..LANES], 0, coverage(sum, zero));
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
        let bits = self.nodes.walls_near_nodes[block];
        if bits == 0 {
            return;
        }
        let positions = self.positions(block);
        for (k, wall) in self.frame.walls.iter().enumerate() {
            if bits >> (k as u32).min(WALL_BITS - 1) & 1 == 0 {
                continue;
            }
            for (group, first) in positions.iter().zip(GROUPS) {
                let found = start_distances(wall, group, self.instructions);
                for (distance, found) in distance[first..].iter_mut().zip(found) {
                    *distance = distance.min(found);
                }
            }
        }
    }
}

/// Distances of sixteen points from where a wall is at the frame's start \[m\].
fn start_distances(wall: &Wall, x: &[[f32; LANES]; 3], instructions: Instructions) -> [f32; LANES] {
    let pose = &wall.start;
    let turned = Mat3::from_quat(pose.rotation.conjugate());
    let mut local = [[0.0; LANES]; 3];
    for k in 0..LANES {
        let position = turned * (Vec3::new(x[0][k], x[1][k], x[2][k]) - pose.translation);
        (local[0][k], local[1][k], local[2][k]) = (position.x, position.y, position.z);
    }
    wall.sdf.distances(&local, instructions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::{Pose, Sdf, Shape};
    use crate::neighbors::Domain;
    use crate::random::Random;
    use crate::upsample::guide_grid::GuideGrid;
    use crate::upsample::guides::Guide;
    use crate::upsample::{FineRadii, deformations, wall_reach};
    use glam::Quat;

    /// Guides anywhere in a cube, of which those with small x move.
    fn guides() -> GuideGrid {
        let mut random = Random::new(17);
        let mut guide = |_| {
            let mut point = || [random.unit(), random.unit(), random.unit()];
            let (position, displacement, velocity) = (point().map(|x| 16.0 * x), point(), point());
            if position[0] > 6.0 {
                return Guide { position, ..Guide::default() };
            }
            Guide { position, moves: 1.0, displacement, velocity, ..Guide::default() }
        };
        GuideGrid::new((0..600).map(&mut guide).collect(), 1.0, &Domain::default())
    }

    fn walls() -> Vec<Wall> {
        let floor = Shape::Plane { point: [0.0, 1.0, 0.0], normal: [0.0, 1.0, 0.0] };
        let block = Shape::Box { min: [-2.0; 3], max: [2.0, 1.0, 2.0], hollow: false };
        let mut turned = Pose { rotation: Quat::from_rotation_z(0.4), ..Pose::IDENTITY };
        turned.translation = Vec3::new(9.0, 12.0, 8.0);
        let wall = |shape: &Shape, pose: Pose| {
            let sdf = Sdf::new(shape).unwrap();
            Wall { sdf, friction: None, start: pose, end: pose }
        };
        vec![wall(&floor, Pose::IDENTITY), wall(&block, turned)]
    }

    fn settings() -> AdvectionSettings {
        let (domain, friction) = (Domain::default(), vec![0.5]);
        let radii = FineRadii::one(0.3);
        AdvectionSettings {
            radii,
            radius: 0.3,
            spread: 0.3,
            guide_radius: 1.0,
            domain,
            friction,
            fault: None,
        }
    }

    /// Calls with the interpolated nodes, and the deformations.
    fn interpolated(instructions: Instructions, see: impl Fn(&Nodes, &GuideGrid, &[Wall], &[Deformation])) {
        let (grid, walls, settings) = (guides(), walls(), settings());
        let (gravity, outlets) = (Vec3::ZERO, &[]);
        let (guides, after) = (&grid, &grid);
        let frame = FrameInput { frame: 0, dt: 0.1, gravity, guides, after, walls: &walls, outlets };
        let mut nodes = Nodes::default();
        nodes.build(&frame, wall_reach(&settings));
        let deformation = deformations(&grid, &nodes, instructions);
        nodes.interpolate(&settings, &frame, &deformation, instructions);
        see(&nodes, &grid, &walls, &deformation);
    }

    fn position(nodes: &Nodes, block: usize, own: usize) -> Vec3 {
        let steps = Vec3::new((own % 3) as f32, (own / 3 % 3) as f32, (own / 9) as f32);
        nodes.corner(nodes.cell_of_block[block]) + nodes.spacing() * steps
    }

    #[test]
    fn nodes_hold_the_weighted_mean_of_all_guides() {
        interpolated(Instructions::best(), |nodes, grid, walls, deformation| {
            let (mut moving, mut partly) = (0, 0);
            for block in 0..nodes.own.len() {
                for own in [0, 7, 11, 13, 15, 16, 26] {
                    let x = position(nodes, block, own);
                    let (mut sum, mut largest, mut carrying) = (0.0, 0.0f32, 0.0);
                    let (mut displacement, mut velocity) = (Vec3::ZERO, Vec3::ZERO);
                    for (guide, affine) in grid.guide.iter().zip(deformation) {
                        let d = x - Vec3::from(guide.position);
                        let w = weight(d.length_squared() / (grid.support * grid.support));
                        let part = |k: usize| Vec3::from_slice(&affine.rows[k]).dot(d);
                        (sum, largest, carrying) =
                            (sum + w, largest.max(w), carrying + w * affine.rows[0][3]);
                        displacement +=
                            w * (Vec3::from(guide.displacement) + Vec3::new(part(0), part(1), part(2)));
                        velocity += w * Vec3::from(guide.velocity);
                    }
                    let nearest = walls.iter().map(|wall| wall.start_distance(x)).fold(f32::MAX, f32::min);
                    let guided = nodes.own[block][own];
                    assert!((nodes.cover[block][own] - coverage(sum, 0.0)).abs() < 1e-4, "{x}");
                    // What has next to no weight may be on either side.
                    if sum < 1e-6 {
                        continue;
                    }
                    let share = guided_share(sum, largest, carrying, beyond_wall(nearest / grid.support));
                    assert!((guided.share - share).abs() < 2e-4, "{x}: {guided:?} {share}");
                    assert!(
                        (Vec3::from(guided.displacement) - displacement / sum).length() < 1e-3,
                        "{x}: {guided:?}"
                    );
                    assert!(
                        (Vec3::from(guided.velocity) - velocity / sum).length() < 1e-3,
                        "{x}: {guided:?}"
                    );
                    assert_eq!(guided.known, 1.0);
                    moving += u32::from(displacement != Vec3::ZERO);
                    partly += u32::from(share > 0.0 && share < 1.0);
                }
            }
            assert!(moving > 100 && partly > 100, "{moving} {partly}");
        });
    }

    #[test]
    fn nodes_know_how_far_walls_are() {
        interpolated(Instructions::best(), |nodes, grid, walls, _| {
            let (mut near, mut far) = (0, 0);
            for (block, distance) in nodes.wall_distance.iter().enumerate() {
                for (own, distance) in distance.iter().enumerate() {
                    let x = position(nodes, block, own);
                    let nearest = walls.iter().map(|wall| wall.start_distance(x)).fold(f32::MAX, f32::min);
                    let reach = wall_reach(&settings()).max(grid.support);
                    if nearest < reach {
                        assert!((distance - nearest).abs() < 1e-4, "{x}: {distance} {nearest}");
                        near += 1;
                    } else {
                        assert!(*distance > reach - 1e-4, "{x}: {distance} {nearest}");
                        far += u32::from(distance.is_infinite());
                    }
                }
            }
            assert!(near > 1000 && far > 1000, "{near} {far}");
        });
    }
}
