//! Particle shifting on the nodes of the guides: grains are displaced down the gradient of their concentration, as far as
//! they move anyway, so that what rests is left alone.
//!
//! ```text
//! e = grains / full - target(guides / full)      u = -c s^2 grad e                      after [LXSR12]
//!
//! e       excess of the concentration of grains, relative to a full mass
//! target  a step at the surface of the mass of guides: what they are worth lies inside, evenly
//! s       distance of nodes [m],  c = NODE_SHIFT
//! ```
//!
//! Grains are shifted twice: here, where nodes are a guide's radius apart, by what is too many or too few for the guides
//! around; and on a grid of about a grain's diameter, which keeps grains apart from each other
//! ([`FineGrid`](super::fine_grid::FineGrid)).

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::advector::AdvectionSettings;
use super::interpolation::GROUPS;
use super::node_counts::{NodeCounts, PADDED_OWN, SIXTEEN};
use super::node_halo::{Halo, halo, slopes, smoothed_less};
use super::nodes::{Node, Nodes, OWN};
use super::sampling::VOLUME_PER_GRAIN;
use super::weights::ramp;
use crate::simd::{Instructions, Lanes, Vectorised, load, store};

/// Coverage below which the target concentration is none, and from which on it is that of a full mass.
///
/// A choice: symmetric about the 0.5 of a flat surface, so that a mass keeps its volume (it drifts by 0.4 % at most,
/// docs/validation.md), and as wide as coverage falls over about one node spacing.
pub const SURFACE_RAMP: [f32; 2] = [0.3, 0.7];

/// Displacement in a frame from which on a grain is shifted in full, in its radii; less motion is shifted less, and what
/// rests not at all. A choice: a tenth of a radius in a frame is slow, and shifts of resting grains would be creep.
pub const IN_MOTION: f32 = 0.1;

/// Shift in a frame at a gradient of a full mass per node spacing, in node spacings: the diffusion coefficient times the frame
/// in squared spacings. The largest that \[LXSR12\] allow by a von Neumann analysis, D dt <= s^2/2.
///
/// Without it the variance of neighbours leaves its limit of 1.5 times that of blue noise (1.57); without any shifting it is
/// 67 times (docs/validation.md).
pub const NODE_SHIFT: f32 = 0.5;
/// Longest such shift, in radii of a guide, which are node spacings. A choice: well below the half spacing beyond which a
/// grain counts at another node.
pub const MOST_NODE_SHIFT: f32 = 0.15;

/// Numbers of a node.
const NUMBERS: usize = 8;
const _: () = assert!(size_of::<Node>() == 4 * NUMBERS);

/// Blocks that a thread takes at once.
const BLOCKS: usize = 64;

/// Concentration of grains at nodes, and what it should be.
#[derive(Debug, Default)]
pub struct NodeShifting {
    /// Grains at the own nodes of every block, and of one more, which has none.
    count: Vec<[f32; PADDED_OWN]>,
    /// What they should be, relative to a full mass.
    target: Vec<[f32; PADDED_OWN]>,
}

impl NodeShifting {
    /// Adds shifts from dense to sparse regions to the displacements of active blocks' nodes.
    pub fn shift(
        &mut self,
        nodes: &mut Nodes,
        counts: &NodeCounts,
        settings: &AdvectionSettings,
        instructions: Instructions,
    ) {
        self.find_targets(nodes, counts, instructions);
        let mut own = std::mem::take(&mut nodes.own);
        let spacing = nodes.spacing();
        let shift = Shift {
            nodes,
            concentration: self,
            inverse_full: VOLUME_PER_GRAIN as f32 * settings.spread.powi(3) / spacing.powi(3),
            spacing,
            most: MOST_NODE_SHIFT * settings.guide_radius,
            radius: settings.radius,
        };
        own.par_chunks_mut(BLOCKS).enumerate().for_each(|(chunk, own)| {
            instructions.run(ShiftNodes { shift: &shift, first: chunk * BLOCKS, own });
        });
        nodes.own = own;
    }

    /// Finds how many grains are and should be at every node.
    fn find_targets(&mut self, nodes: &Nodes, counts: &NodeCounts, instructions: Instructions) {
        let blocks = nodes.cell_of_block.len();
        self.count.resize(blocks + 1, [0.0; PADDED_OWN]);
        self.target.resize(blocks + 1, [0.0; PADDED_OWN]);
        (self.count[blocks], self.target[blocks]) = ([0.0; PADDED_OWN], [0.0; PADDED_OWN]);
        let to =
            self.count[..blocks].par_chunks_mut(BLOCKS).zip(self.target[..blocks].par_chunks_mut(BLOCKS));
        let from = counts.count.par_chunks(BLOCKS).zip(nodes.cover.par_chunks(BLOCKS));
        to.zip(from).for_each(|((count, target), (counted, cover))| {
            instructions.run(FindTargets { counted, count, target, cover });
        });
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        size_of::<[f32; PADDED_OWN]>() * (self.count.capacity() + self.target.capacity())
    }
}

/// What grains are and should be at the own nodes of some blocks.
struct FindTargets<'a> {
    counted: &'a [[AtomicU32; PADDED_OWN]],
    count: &'a mut [[f32; PADDED_OWN]],
    target: &'a mut [[f32; PADDED_OWN]],
    cover: &'a [[f32; OWN]],
}

impl Vectorised for FindTargets<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (count, counted) in self.count.iter_mut().zip(self.counted) {
            for (count, counted) in count.iter_mut().zip(counted) {
                *count = counted.load(Ordering::Relaxed) as i32 as f32;
            }
        }
        for (target, cover) in self.target.iter_mut().zip(self.cover) {
            for first in GROUPS {
                store(&mut target[..OWN], first, ramp(load::<L>(cover, first), SURFACE_RAMP));
            }
        }
    }
}

/// What shifts of nodes depend on.
struct Shift<'a> {
    nodes: &'a Nodes,
    concentration: &'a NodeShifting,
    /// 1 over the grains per node in a full mass.
    inverse_full: f32,
    spacing: f32,
    /// Longest shift \[m\].
    most: f32,
    /// Radius of a grain \[m\].
    radius: f32,
}

/// Shifts the nodes of a run of blocks.
struct ShiftNodes<'a> {
    shift: &'a Shift<'a>,
    first: usize,
    own: &'a mut [[Node; OWN]],
}

impl Vectorised for ShiftNodes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (k, own) in self.own.iter_mut().enumerate() {
            let block = self.first + k;
            if self.shift.nodes.active[block] {
                let slope = slopes(&self.shift.excess::<L>(block));
                self.shift.add_shifts::<L>(&slope, own);
            }
        }
    }
}

impl Shift<'_> {
    /// Excess of grains at the nodes of a block and the next ones, relative to a full mass, smoothed; anything farther off.
    #[inline(always)]
    fn excess<L: Lanes>(&self, block: usize) -> Halo {
        let neighbors = &self.nodes.neighbors[block];
        let count = halo::<0>(neighbors, &self.concentration.count);
        let target = halo::<1>(neighbors, &self.concentration.target);
        smoothed_less::<L>(&count, self.inverse_full, &target)
    }

    /// Adds shifts against slopes to the displacements of nodes.
    #[inline(always)]
    fn add_shifts<L: Lanes>(&self, slope: &[[f32; PADDED_OWN]; 3], own: &mut [Node; OWN]) {
        let numbers: *mut f32 = own.as_mut_ptr().cast();
        let mut displacements = [[L::splat(0.0); 4]; 2];
        for (group, first) in GROUPS.into_iter().enumerate() {
            // SAFETY: sixteen nodes of eight numbers each are there from the first on.
            let (guided, known) = unsafe {
                let numbers = numbers.add(NUMBERS * first);
                let guided = L::gather4::<NUMBERS>(numbers, 0, &SIXTEEN);
                (guided, L::gather::<NUMBERS>(numbers.add(7), 0, &SIXTEEN))
            };
            let slope = [load::<L>(&slope[0], first), load(&slope[1], first), load(&slope[2], first)];
            displacements[group] = self.with_shift(guided, known, slope);
        }
        // Some nodes belong to both groups: both are read before any is written.
        for (group, first) in GROUPS.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { L::to_rows(displacements[group], numbers.add(NUMBERS * first), NUMBERS) };
        }
    }

    /// Displacements of sixteen nodes with their shifts; the fourth number, the share, stays.
    #[inline(always)]
    fn with_shift<L: Lanes>(&self, guided: [L; 4], known: L, slope: [L; 3]) -> [L; 4] {
        let (one, most) = (L::splat(1.0), L::splat(self.most));
        let [x, y, z, share] = guided;
        let factor = L::splat(-NODE_SHIFT * self.spacing);
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
