//! One sweep of the coupled pressure and friction loop: two passes over the pairs.
//!
//! `accelerate` turns pressure and stress into velocities, `project` turns the strain rate of those velocities into
//! corrections of pressure and stress. Volume and rest density are constant, so the two are exact adjoints: the
//! power of the stress is the stress times the strain rate, to rounding.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::material::Material;
use crate::neighbors::{BLOCK, NeighborLists, block_range};
use crate::sym3::Sym3;

use super::rheology::{compaction_rate, project_pressure, required_expansion, return_to_cone};
use super::state::{IisphState, Pair};
use super::walls::{WallBlock, WallStep, correct_contact};

/// What a sweep reads beside the state.
pub struct SweepInput<'a> {
    /// Neighbour lists.
    pub lists: &'a NeighborLists,
    /// Materials.
    pub materials: &'a [Material],
    /// Material of each particle.
    pub material: &'a [u16],
    /// Step [s].
    pub dt: f32,
    /// Wall contacts' constants.
    pub wall: WallStep,
    /// Rate at which loose grains at rest compact, kappa [1/s].
    pub rest_compaction: f32,
    /// Diagonal below which a particle bears no pressure [m/kg].
    pub least_diagonal: f32,
    /// Relaxation of the pressure.
    pub pressure_relaxation: f32,
    /// Change of stress per strain rate and rest density: omega / (dt K) [m2/s].
    pub stress_step: f32,
    /// Whether friction is Neder's single clamp.
    pub explicit: bool,
}

/// What a sweep has left to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepError {
    /// Sum over loaded particles of the volume change still missing, relative.
    pub density: f64,
    /// Sum of the norms of the stress changes [Pa].
    pub stress_change: f64,
    /// Sum of the pressures [Pa].
    pub pressure: f64,
}

impl SweepError {
    /// Stress change relative to the pressures, for a relaxation of 1.
    pub fn relative_stress_change(&self, relaxation: f32) -> f64 {
        if self.pressure > 0.0 { self.stress_change / (relaxation as f64 * self.pressure) } else { 0.0 }
    }
}

/// Velocity under pressure, friction and walls.
///
/// ```text
/// a_i = -(1/rho0) sum_j [(p_i + p_j) I + s_i + s_j] G_ij ;   v = v* + dt (a + a_wall)
/// ```
/// [Ned24] (28), (29) with constant volume; the sign of s is that of docs/equations.md (friction opposes strain).
pub fn accelerate(input: &SweepInput, state: &mut IisphState) {
    let IisphState { pairs, gradient_sum, predicted, velocity, wall_acceleration, total_stress, .. } = state;
    let count = predicted.len();
    velocity.par_chunks_mut(BLOCK).enumerate().for_each(|(b, chunk)| {
        let list = input.lists.block(b);
        for (k, i) in block_range(b, count).enumerate() {
            let force = stress_divergence(&pairs[b][list.span(k)], total_stress, i, gradient_sum[i]);
            let inverse_density = 1.0 / input.materials[input.material[i] as usize].density;
            chunk[k] = predicted[i] + input.dt * (wall_acceleration[i] - inverse_density * force);
        }
    });
}

/// sum_j (T_i + T_j) G_ij.
#[inline]
fn stress_divergence(pairs: &[Pair], total: &[[Vec4; 3]], i: usize, gradient_sum: Vec4) -> Vec4 {
    let own = &total[i];
    let mut sum = own[0] * gradient_sum.x + own[1] * gradient_sum.y + own[2] * gradient_sum.z;
    for pair in pairs {
        let other = &total[pair.neighbor as usize];
        let [x, y, z] = pair.gradient;
        sum += other[0] * x + other[1] * y + other[2] * z;
    }
    sum
}

/// L = sum_j (v_j - v_i) (x) G_ij as columns.
#[inline]
pub fn velocity_gradient(pairs: &[Pair], velocity: &[Vec4], i: usize, gradient_sum: Vec4) -> [Vec4; 3] {
    let own = velocity[i];
    let (mut a, mut b, mut c) = (-own * gradient_sum.x, -own * gradient_sum.y, -own * gradient_sum.z);
    for pair in pairs {
        let other = velocity[pair.neighbor as usize];
        let [x, y, z] = pair.gradient;
        a += other * x;
        b += other * y;
        c += other * z;
    }
    [a, b, c]
}

/// Corrects pressure, stress and wall impulses towards the constraints.
///
/// ```text
/// err = src - dt tr L ;   p <- max(0, p + w err / (dt^2 A)) ;   s <- cone(s - w rho0/(dt K) dev sym L)
/// ```
pub fn project(input: &SweepInput, state: &mut IisphState) -> SweepError {
    let IisphState {
        pairs,
        gradient_sum,
        velocity,
        diagonal,
        density,
        pressure,
        stress,
        total_stress,
        trial_stress,
        wall_acceleration,
        strain_rate,
        contacts,
        ..
    } = state;
    let errors: Vec<SweepError> = (
        pressure.par_chunks_mut(BLOCK),
        stress.par_chunks_mut(BLOCK),
        total_stress.par_chunks_mut(BLOCK),
        wall_acceleration.par_chunks_mut(BLOCK),
        strain_rate.par_chunks_mut(BLOCK),
        contacts.blocks.par_iter_mut(),
    )
        .into_par_iter()
        .enumerate()
        .map(|(b, (pressure, stress, total_stress, wall_acceleration, strain_rate, walls))| {
            let list = input.lists.block(b);
            let mut error = SweepError::default();
            for k in 0..pressure.len() {
                let i = b * BLOCK + k;
                let seen = Seen {
                    material: &input.materials[input.material[i] as usize],
                    gradient: velocity_gradient(&pairs[b][list.span(k)], velocity, i, gradient_sum[i]),
                    diagonal: diagonal[i],
                    density: density[i],
                    trial: input.explicit.then(|| trial_stress[i]),
                };
                let mut cell = ParticleStress { pressure: pressure[k], stress: stress[k], strain_rate: 0.0 };
                cell.correct(input, &seen, &mut error);
                pressure[k] = cell.pressure;
                stress[k] = cell.stress;
                strain_rate[k] = cell.strain_rate;
                total_stress[k] = cell.stress.columns_plus_identity(cell.pressure);
                wall_acceleration[k] = correct_walls(input, i, walls, k, velocity[i].truncate()).extend(0.0);
            }
            error
        })
        .collect();
    errors.into_iter().fold(SweepError::default(), |a, b| SweepError {
        density: a.density + b.density,
        stress_change: a.stress_change + b.stress_change,
        pressure: a.pressure + b.pressure,
    })
}

/// What a particle sees in a sweep.
struct Seen<'a> {
    material: &'a Material,
    /// Velocity gradient L [1/s].
    gradient: [Vec4; 3],
    /// Diagonal A [m/kg].
    diagonal: f32,
    /// Density relative to rest.
    density: f32,
    /// Stress before projection, where friction is explicit.
    trial: Option<Sym3>,
}

/// What a sweep corrects.
struct ParticleStress {
    pressure: f32,
    stress: Sym3,
    strain_rate: f32,
}

impl ParticleStress {
    #[inline]
    fn correct(&mut self, input: &SweepInput, seen: &Seen, error: &mut SweepError) {
        let strain = Sym3::deviatoric(seen.gradient);
        self.strain_rate = strain.norm();
        let missing = self.missing_expansion(input, seen);
        self.pressure = if seen.diagonal > input.least_diagonal {
            let step = input.pressure_relaxation / (input.dt * input.dt * seen.diagonal);
            project_pressure(self.pressure, missing, step)
        } else {
            0.0
        };
        let step = -input.stress_step * seen.material.density;
        let moved = seen.trial.unwrap_or_else(|| self.stress.add_scaled(&strain, step));
        let projected = return_to_cone(moved, seen.material.yield_limit(self.pressure, self.strain_rate));
        error.stress_change += projected.add_scaled(&self.stress, -1.0).norm() as f64;
        self.stress = projected;
        if self.pressure > 0.0 {
            error.density += missing.max(0.0) as f64;
            error.pressure += self.pressure as f64;
        }
    }

    /// Share of its volume by which the particle still has to expand in this step.
    #[inline]
    fn missing_expansion(&self, input: &SweepInput, seen: &Seen) -> f32 {
        let plain = input.explicit || seen.material.is_fluid();
        let compaction = input.dt * compaction_rate(input.rest_compaction, self.strain_rate);
        let [a, b, c] = seen.gradient;
        required_expansion(seen.density, compaction, plain) - input.dt * (a.x + b.y + c.z)
    }
}

fn correct_walls(input: &SweepInput, i: usize, walls: &mut WallBlock, k: usize, velocity: Vec3) -> Vec3 {
    let mut sum = Vec3::ZERO;
    for contact in walls.of_mut(k) {
        let own = input.materials[input.material[i] as usize].wall_friction;
        let mu = contact.sample.friction_or(own);
        sum += correct_contact(contact, velocity, mu, &input.wall);
    }
    sum
}

/// Power of the frictional stress [W]: V sum_i s_i : L_i, negative where friction dissipates.
pub fn friction_power(input: &SweepInput, state: &IisphState, volume: f32) -> f64 {
    let count = state.velocity.len();
    let sum = crate::neighbors::par_blocks(count, |b, range| {
        let list = input.lists.block(b);
        let mut sum = 0.0f64;
        for (k, i) in range.enumerate() {
            let pairs = &state.pairs[b][list.span(k)];
            let gradient = velocity_gradient(pairs, &state.velocity, i, state.gradient_sum[i]);
            sum += state.stress[i].dot(&Sym3::deviatoric(gradient)) as f64;
        }
        sum
    });
    volume as f64 * sum.into_iter().sum::<f64>()
}

/// Stress before projection from the strain rate of the predicted velocity, for explicit friction.
///
/// ```text
/// s = -rho0/(dt K) dev sym L(v*)          [Ned24] (11) with the sign of docs/equations.md
/// ```
pub fn trial_stress(input: &SweepInput, state: &mut IisphState, step: f32) {
    let IisphState { pairs, gradient_sum, predicted, trial_stress, .. } = state;
    trial_stress.resize(predicted.len(), Sym3::ZERO);
    trial_stress.par_chunks_mut(BLOCK).enumerate().for_each(|(b, chunk)| {
        let list = input.lists.block(b);
        for (k, i) in block_range(b, predicted.len()).enumerate() {
            let gradient = velocity_gradient(&pairs[b][list.span(k)], predicted, i, gradient_sum[i]);
            let density = input.materials[input.material[i] as usize].density;
            chunk[k] = Sym3::deviatoric(gradient).scaled(-step * density);
        }
    });
}
