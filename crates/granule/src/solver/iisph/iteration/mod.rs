//! One iteration of the coupled pressure and friction loop: two passes over the pairs.
//!
//! [`accelerate()`] turns pressure and stress into velocities, [`project()`] turns the strain rate of those velocities into
//! corrections of pressure and stress. Volume and rest density are constant, so the two are exact adjoints: the
//! power of the stress is the stress times the strain rate, to rounding. Where all materials are fluids, both leave
//! out the frictional stress.
//!
//! [`iterate`] projects and accelerates. Pairs are most of what it reads, so a block's next pass follows as soon as its
//! neighbours are through the last one, while the block's pairs are still in a cache. As the iterations are Jacobi's, they
//! give the same bits in whatever order blocks are visited.

mod accelerate;
mod columns;
mod project;
mod strain;

use std::ops::Range;

use glam::Vec4;
use rayon::prelude::*;

use crate::bodies::BodyMotion;
use crate::simd::Instructions;
use crate::stages::{SharedClock, Stage};

use super::pairs::{NeighborBlock, NeighborLists};
use super::state::IisphState;
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::walls::WallStep;

pub use accelerate::{TotalStress, accelerate, store_total};
pub use columns::Columns;
pub use project::project;
pub use strain::{friction_power, strain_rates, trial_stress};

/// Fewest blocks per thread for which passes are interleaved; fewer stay in the caches anyway.
const LEAST_BLOCKS: usize = 64;

/// Most iterations that follow each other in one go over the pairs: more would need more cache than there is.
pub const MOST_AT_ONCE: u32 = 3;

/// Most passes in one go.
const MOST_PASSES: usize = 2 * MOST_AT_ONCE as usize;

/// What an iteration reads beside the state.
pub struct IterationInput<'a> {
    /// Neighbour lists with pair gradients.
    pub lists: &'a NeighborLists,
    /// What every iteration of the step needs.
    pub constants: IterationConstants<'a>,
}

/// What an iteration needs to know of the step.
#[derive(Clone, Copy)]
pub struct IterationConstants<'a> {
    /// Materials.
    pub materials: MaterialLanes<'a>,
    /// Masses of the particles \[kg\], beside the velocities that the step began with.
    pub mass: &'a [Vec4],
    /// Step \[s\].
    pub dt: f32,
    /// Unit of the pair gradients [1/m].
    pub gradient_unit: f32,
    /// Wall contacts' constants.
    pub wall: WallStep,
    /// Motions of the bodies in this iteration.
    pub bodies: &'a [BodyMotion],
    /// Share of an excess of density that a fluid removes in this step.
    pub excess_share: f32,
    /// Rate at which loose grains at rest compact, kappa [1/s].
    pub rest_compaction: f32,
    /// Diagonal below which a particle bears no pressure [m/kg].
    pub least_diagonal: f32,
    /// Relaxation of the pressure.
    pub pressure_relaxation: f32,
    /// Change of stress per strain rate and rest density: omega / (dt K) [m2/s].
    pub stress_step: f32,
    /// Momentum of the iterations in one go.
    pub momentum: [f32; MOST_AT_ONCE as usize],
    /// Whether friction is Neder's single clamp.
    pub explicit: bool,
    /// Instructions to use.
    pub instructions: Instructions,
}

/// What an iteration has left to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Residual {
    /// Sum over loaded particles of the volume change still missing, relative.
    pub density: f64,
    /// Sum of the norms of the stress changes \[Pa\].
    pub stress_change: f64,
    /// Sum of the pressures \[Pa\].
    pub pressure: f64,
}

impl Residual {
    /// Stress change relative to the pressures, for a relaxation of 1.
    pub fn relative_stress_change(&self, relaxation: f32) -> f64 {
        if self.pressure > 0.0 { self.stress_change / (relaxation as f64 * self.pressure) } else { 0.0 }
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            density: self.density + other.density,
            stress_change: self.stress_change + other.stress_change,
            pressure: self.pressure + other.pressure,
        }
    }
}

/// Projects and accelerates anew, `count` times (at most [`MOST_AT_ONCE`]), and returns what the last time has left to
/// do.
pub fn iterate(input: &IterationInput, state: &mut IisphState, count: u32, clock: &SharedClock) -> Residual {
    assert_eq!(input.lists.len(), state.pressure.len());
    let lists = &input.lists.blocks;
    state.errors.resize(lists.len(), Residual::default());
    state.strain_rate_is_old = input.constants.materials.fluid;
    let mut waves = std::mem::take(&mut state.waves);
    let columns = Columns::of(state);
    let constants = &input.constants;
    // SAFETY: neighbours are particles, and passes come in the order that `run_passes` promises. Pairs are mutual: a
    // block's neighbours have read what it overwrites, and do not read it again before it is written.
    run_passes(lists, 2 * count as usize, &mut waves, &|pass, b| unsafe {
        if pass % 2 == 0 {
            clock.time(Stage::Project, || project(constants, pass / 2, &lists[b], b, &columns));
        } else {
            clock.time(Stage::Accelerate, || accelerate(constants, &lists[b], b, &columns));
        }
    });
    state.waves = waves;
    state.errors.iter().fold(Residual::default(), Residual::plus)
}

/// Runs passes 0 to `count - 1` over all blocks, each block's after the previous pass of the block and of all blocks
/// that share a pair with it.
fn run_passes(
    lists: &[NeighborBlock],
    count: usize,
    waves: &mut Vec<Wave>,
    run: &(impl Fn(usize, usize) + Sync),
) {
    let share = lists.len().div_ceil(rayon::current_num_threads()).max(1);
    waves.clear();
    if share >= LEAST_BLOCKS {
        (0..lists.len())
            .into_par_iter()
            .step_by(share)
            .with_max_len(1)
            .map(|first| Wave::run(lists, first..(first + share).min(lists.len()), count, run))
            .collect_into_vec(waves);
    }
    let waves: &[Wave] = waves;
    for pass in 0..count {
        let done = |b: usize| waves.get(b / share).is_some_and(|wave| wave.0[pass].contains(b));
        (0..lists.len()).into_par_iter().filter(|&b| !done(b)).for_each(|b| run(pass, b));
    }
}

/// A run of blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Blocks {
    start: usize,
    end: usize,
}

impl Blocks {
    fn contains(&self, b: usize) -> bool {
        (self.start..self.end).contains(&b)
    }
}

/// Passes that follow each other closely over a run of blocks, as far as they need nothing from other runs: the blocks
/// that every pass has done.
#[derive(Clone, Copy, Debug)]
pub struct Wave([Blocks; MOST_PASSES]);

impl Wave {
    fn run(lists: &[NeighborBlock], blocks: Range<usize>, count: usize, run: &impl Fn(usize, usize)) -> Self {
        let mut wave = Self([Blocks { start: blocks.start, end: blocks.start }; MOST_PASSES]);
        for b in blocks {
            run(0, b);
            wave.0[0].end = b + 1;
            for pass in 1..count {
                wave.advance(lists, pass, run);
            }
        }
        wave
    }

    /// Takes a pass as far as the one before it allows.
    fn advance(&mut self, lists: &[NeighborBlock], pass: usize, run: &impl Fn(usize, usize)) {
        let before = self.0[pass - 1];
        let done = &mut self.0[pass];
        while done.end < before.end {
            let needed = lists[done.end].neighbor_blocks();
            if *needed.end() >= before.end {
                return;
            }
            if *needed.start() >= before.start && done.end >= before.start {
                run(pass, done.end);
                done.end += 1;
            } else if done.start == done.end {
                // Needs a block of another run: this one waits until all are through.
                *done = Blocks { start: done.end + 1, end: done.end + 1 };
            } else {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::{BLOCK, CellIndex, Domain, Permutation};
    use crate::random::Random;
    use glam::Vec4;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Lists of a long cloud, sorted.
    fn lists(count: usize, domain: &Domain) -> NeighborLists {
        let mut random = Random::new(7);
        let mut position: Vec<Vec4> = (0..count)
            .map(|_| Vec4::new(0.2 * random.unit(), 0.2 * random.unit(), random.unit(), 0.0))
            .collect();
        let (mut cells, mut key, mut order) = (CellIndex::default(), Vec::new(), Permutation::default());
        cells.assign(domain, 0.02, &position, &mut key);
        order.sort(&mut key, cells.key_bits());
        order.apply(&mut position, &mut Vec::new());
        cells.index(&key);
        let mut lists = NeighborLists::default();
        lists.build(&cells, domain, 0.02, &position, Instructions::best());
        lists
    }

    /// Every block takes every pass once, and never before its neighbours are through the one before.
    #[test]
    fn passes_wait_for_the_neighbours() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for domain in [Domain::default(), Domain::new([None, None, Some([0.0, 1.0])])] {
            let lists = lists(200 * BLOCK + 77, &domain);
            let passes: Vec<AtomicUsize> = lists.blocks.iter().map(|_| AtomicUsize::new(0)).collect();
            let mut waves = Vec::new();
            let run = |pass: usize, b: usize| {
                let least = lists.blocks[b].neighbor_blocks().map(|c| passes[c].load(Ordering::SeqCst)).min();
                assert!(least >= Some(pass), "pass {pass} of block {b} came too early");
                assert_eq!(passes[b].fetch_add(1, Ordering::SeqCst), pass);
            };
            pool.install(|| run_passes(&lists.blocks, MOST_PASSES, &mut waves, &run));
            assert!(passes.iter().all(|passes| passes.load(Ordering::SeqCst) == MOST_PASSES));
            let early: usize = waves.iter().map(|wave| wave.0[1].end - wave.0[1].start).sum();
            assert!(early > lists.blocks.len() / 2, "{early} blocks went on at once");
        }
    }
}
