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

use glam::Vec4;

use crate::bodies::BodyMotion;
use crate::simd::Instructions;
use crate::stages::{SharedClock, Stage};
use crate::team::PassPlan;

use super::pairs::NeighborLists;
use super::state::IisphState;
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::walls::WallStep;

pub use accelerate::{TotalStress, accelerate, store_total};
pub use columns::Columns;
pub use project::project;
pub use strain::{friction_power, strain_rates, trial_stress};

/// Most iterations that follow each other in one go over the pairs: more would need more cache than there is.
pub const MOST_AT_ONCE: u32 = 3;

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
pub fn iterate(
    input: &IterationInput,
    state: &mut IisphState,
    plan: &mut PassPlan,
    count: u32,
    clock: &SharedClock,
) -> Residual {
    assert_eq!(input.lists.len(), state.pressure.len());
    let lists = &input.lists.blocks;
    state.errors.resize(lists.len(), Residual::default());
    state.strain_rate_is_old = input.constants.materials.fluid;
    let columns = Columns::of(state);
    let constants = &input.constants;
    let neighbors = |b: usize| lists[b].neighbor_blocks();
    // SAFETY: neighbours are particles, and passes come in the order that the plan promises. Pairs are mutual: a
    // block's neighbours have read what it overwrites, and do not read it again before it is written.
    plan.run(lists.len(), 2 * count as usize, neighbors, |pass, b| unsafe {
        if pass % 2 == 0 {
            clock.time(Stage::Project, || project(constants, pass / 2, &lists[b], b, &columns));
        } else {
            clock.time(Stage::Accelerate, || accelerate(constants, &lists[b], b, &columns));
        }
    });
    state.errors.iter().fold(Residual::default(), Residual::plus)
}
