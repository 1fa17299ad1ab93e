//! Velocity without pressure, friction and walls: gravity, air drag, viscosity.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::air::Air;
use crate::material::Material;
use crate::neighbors::{BLOCK, Domain, NeighborLists, block_range};
use crate::particles::Particles;

use super::params::{IisphParams, viscosity_softening};
use super::state::IisphState;

/// What the prediction reads.
pub struct PredictInput<'a> {
    /// Particles.
    pub particles: &'a Particles,
    /// Materials.
    pub materials: &'a [Material],
    /// Neighbour lists.
    pub lists: &'a NeighborLists,
    /// Space.
    pub domain: &'a Domain,
    /// Constants.
    pub params: &'a IisphParams,
    /// Step [s].
    pub dt: f32,
    /// Time at the start of the step [s].
    pub time: f64,
}

/// Starts the prediction with air drag, or with the velocity where there is no air.
pub fn predict_drag(input: &PredictInput, air: Option<&Air>, predicted: &mut [Vec4]) {
    predicted.par_chunks_mut(BLOCK).enumerate().for_each(|(b, chunk)| {
        for (k, i) in block_range(b, input.particles.len()).enumerate() {
            let velocity = input.particles.velocity[i].truncate();
            let change = air.map_or(Vec3::ZERO, |air| drag_change(input, air, i, input.lists.block(b).of(k)));
            chunk[k] = (velocity + change).extend(0.0);
        }
    });
}

/// Change of velocity by drag over the step; the air never overtakes the grain.
fn drag_change(input: &PredictInput, air: &Air, i: usize, neighbors: &[u32]) -> Vec3 {
    let particle = input.particles.position[i];
    let (x, radius) = (particle.truncate(), particle.w);
    let own = input.particles.velocity[i];
    let relative = air.wind(x, input.time) - own.truncate();
    let speed = relative.length();
    if speed == 0.0 {
        return Vec3::ZERO;
    }
    let exposed = if air.occlusion() { exposure(input, x, relative / speed, neighbors) } else { 1.0 };
    let density = input.materials[input.particles.material[i] as usize].density;
    let rate = air.drag_rate(speed, radius, own.w, density);
    (input.dt * rate * speed * exposed).min(1.0) * relative
}

/// Share of a grain's cross-section that the air reaches.
///
/// ```text
/// omega = clamp(1 - max_j u . x_ij / |x_ij|, 0, 1),   x_ij = x_i - x_j,  u = direction of the air seen by the grain
/// ```
/// [Ned24] 5.6 with the occluder upwind; [GPB*17].
fn exposure(input: &PredictInput, x: Vec3, direction: Vec3, neighbors: &[u32]) -> f32 {
    let mut shield = 0.0f32;
    for &j in neighbors {
        let x_ij = input.domain.displacement(x, input.particles.position[j as usize].truncate());
        shield = shield.max(direction.dot(x_ij.normalize_or_zero()));
    }
    (1.0 - shield).clamp(0.0, 1.0)
}

/// Adds gravity and material viscosity to the prediction.
pub fn predict_velocity(input: &PredictInput, gravity: Vec3, state: &mut IisphState) {
    let viscous = input.materials.iter().any(|m| m.viscosity > 0.0);
    let pairs = &state.pairs;
    state.predicted.par_chunks_mut(BLOCK).enumerate().for_each(|(b, chunk)| {
        let list = input.lists.block(b);
        for (k, i) in block_range(b, input.particles.len()).enumerate() {
            let mut acceleration = gravity;
            if viscous {
                acceleration += viscous_acceleration(input, i, &pairs[b][list.span(k)]);
            }
            chunk[k] += (input.dt * acceleration).extend(0.0);
        }
    });
}

/// Acceleration by viscosity.
///
/// ```text
/// nu lap v = f nu sum_j (v_ij . x_ij) / (|x_ij|^2 + 0.01 h^2) G_ij        [Mon92], f = 10 in the continuum
/// ```
fn viscous_acceleration(input: &PredictInput, i: usize, pairs: &[super::state::Pair]) -> Vec3 {
    let x_i = input.particles.position[i].truncate();
    let v_i = input.particles.velocity[i].truncate();
    let own = input.materials[input.particles.material[i] as usize].viscosity;
    let softening = viscosity_softening(input.params.support);
    let mut sum = Vec3::ZERO;
    for pair in pairs {
        let j = pair.neighbor as usize;
        let other = input.materials[input.particles.material[j] as usize].viscosity;
        let x_ij = input.domain.displacement(x_i, input.particles.position[j].truncate());
        let v_ij = v_i - input.particles.velocity[j].truncate();
        let factor = v_ij.dot(x_ij) / (x_ij.length_squared() + softening);
        sum += 0.5 * input.params.viscosity_factor * (own + other) * factor * Vec3::from(pair.gradient);
    }
    sum
}
