//! Strain rates outside of iterations: for diagnosis, fields and explicit friction.

use glam::Vec4;

use crate::columns::ColumnStorage;
use crate::simd::{LANES, Lanes, Vectorised, load, load_rows, store};
use crate::solver::iisph::pairs::NeighborBlock;
use crate::solver::iisph::state::{IisphState, store_tensor};
use crate::solver::material_lanes::MaterialLanes;
use crate::sym3::Sym3;
use crate::team::{self, BLOCK, map_blocks};

use super::IterationInput;
use super::project::velocity_gradient;

/// Something done with the deviatoric strain rates [1/s] of the sixteen particles from `at` on, counted in their block.
trait OfStrain {
    fn apply<L: Lanes>(&mut self, strain: Sym3<L>, at: usize);
}

/// Runs over the strain rates of a block's particles.
struct Strains<'a, F> {
    list: &'a NeighborBlock,
    gradient_unit: f32,
    own: &'a [Vec4],
    velocity: *const f32,
    each: F,
}

impl<F: OfStrain> Vectorised for Strains<'_, F> {
    type Output = F;

    #[inline(always)]
    fn run<L: Lanes>(mut self) -> F {
        let unit = L::splat(self.gradient_unit);
        for at in (0..self.own.len()).step_by(LANES) {
            let own = load_rows::<L>(self.own, at);
            // SAFETY: neighbours are particles and have velocities (checked in `for_strains`).
            let gradient =
                unsafe { velocity_gradient::<L>(&self.list.group(at / LANES), own, self.velocity) };
            self.each.apply(Sym3::deviatoric(gradient).scaled(unit), at);
        }
        self.each
    }
}

fn for_strains<F: OfStrain>(input: &IterationInput, velocity: &[Vec4], b: usize, each: F) -> F {
    assert_eq!(input.lists.len(), velocity.len());
    input.constants.instructions.run(Strains {
        list: &input.lists.blocks[b],
        gradient_unit: input.constants.gradient_unit,
        own: &velocity[b * BLOCK..velocity.len().min((b + 1) * BLOCK)],
        velocity: velocity.as_ptr().cast(),
        each,
    })
}

/// Power of the frictional stress \[W\]: V sum_i s_i : L_i, negative where friction dissipates.
pub fn friction_power(input: &IterationInput, state: &IisphState, volume: f32) -> f64 {
    struct Power<'a> {
        stress: &'a [Vec<f32>; 6],
        first: usize,
        sum: f64,
    }
    impl OfStrain for Power<'_> {
        #[inline(always)]
        fn apply<L: Lanes>(&mut self, strain: Sym3<L>, at: usize) {
            let component = |c: usize| load::<L>(&self.stress[c], self.first + at);
            let stress = Sym3::from_array([0, 1, 2, 3, 4, 5].map(component));
            self.sum += stress.dot(&strain).to_array().iter().map(|p| f64::from(*p)).sum::<f64>();
        }
    }
    let sums = map_blocks(state.velocity.len(), |b, range| {
        let power = Power { stress: &state.stress.0, first: range.start, sum: 0.0 };
        for_strains(input, &state.velocity, b, power).sum
    });
    volume as f64 * sums.into_iter().sum::<f64>()
}

/// Norms of the deviatoric strain rates under the given velocities [1/s].
pub fn strain_rates(input: &IterationInput, velocity: &[Vec4], strain_rate: &mut [f32]) {
    struct Norm<'a>(&'a mut [f32]);
    impl OfStrain for Norm<'_> {
        #[inline(always)]
        fn apply<L: Lanes>(&mut self, strain: Sym3<L>, at: usize) {
            store(self.0, at, strain.norm());
        }
    }
    team::for_each_block(strain_rate.len(), 1, strain_rate, |b, chunk| {
        for_strains(input, velocity, b, Norm(chunk));
    });
}

/// Stress before projection from the strain rate of the predicted velocity, for explicit friction.
///
/// ```text
/// s = -rho0/(dt K) dev sym L(v*)          [Ned24] (11) with the sign of docs/equations.md
/// ```
pub fn trial_stress(input: &IterationInput, state: &mut IisphState, step: f32) {
    struct Trial<'a> {
        materials: &'a MaterialLanes<'a>,
        first: usize,
        step: f32,
        stress: [&'a mut [f32]; 6],
    }
    impl OfStrain for Trial<'_> {
        #[inline(always)]
        fn apply<L: Lanes>(&mut self, strain: Sym3<L>, at: usize) {
            let factor = self.materials.lanes::<L>(self.first + at, |m| -self.step * m.density);
            store_tensor(&mut self.stress, at, strain.scaled(factor));
        }
    }
    let IisphState { predicted, trial_stress, .. } = state;
    trial_stress.resize(predicted.len(), [0.0; 6]);
    team::for_each_block(predicted.len(), 1, trial_stress.slices_mut(), |b, stress| {
        let trial = Trial { materials: &input.constants.materials, first: b * BLOCK, step, stress };
        for_strains(input, predicted, b, trial);
    });
}
