//! Velocity without pressure, friction and walls: gravity, air drag, viscosity.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::air::Air;
use crate::neighbors::{BLOCK, Domain, NeighborBlock, NeighborLists, block_range};
use crate::particles::Particles;
use crate::simd::{Instructions, LANES, Lanes, Vectorised, load_rows, store_rows};

use super::laws::Laws;
use super::params::{IisphParams, viscosity_softening};
use super::state::IisphState;

/// What the prediction reads.
pub struct PredictInput<'a> {
    /// Particles.
    pub particles: &'a Particles,
    /// Materials.
    pub laws: Laws<'a>,
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
    /// Instructions to use.
    pub instructions: Instructions,
}

/// Starts the prediction with air drag, or with the velocity where there is no air.
pub fn predict_drag(input: &PredictInput, air: Option<&Air>, predicted: &mut [Vec4]) {
    predicted.par_chunks_mut(BLOCK).enumerate().for_each(|(b, chunk)| {
        for (k, i) in block_range(b, input.particles.len()).enumerate() {
            let velocity = input.particles.velocity[i].truncate();
            let change = air.map_or(Vec3::ZERO, |air| drag_change(input, air, i, &input.lists.blocks[b], k));
            chunk[k] = (velocity + change).extend(0.0);
        }
    });
}

/// Change of velocity by drag over the step; the air never overtakes the grain.
fn drag_change(input: &PredictInput, air: &Air, i: usize, list: &NeighborBlock, k: usize) -> Vec3 {
    let particle = input.particles.position[i];
    let (x, radius) = (particle.truncate(), particle.w);
    let own = input.particles.velocity[i];
    let relative = air.wind(x, input.time) - own.truncate();
    let speed = relative.length();
    if speed == 0.0 {
        return Vec3::ZERO;
    }
    let exposed = if air.occlusion() { exposure(input, x, relative / speed, list.of(k)) } else { 1.0 };
    let density = input.laws.of(i).density;
    let rate = air.drag_rate(speed, radius, own.w, density);
    (input.dt * rate * speed * exposed).min(1.0) * relative
}

/// Share of a grain's cross-section that the air reaches.
///
/// ```text
/// omega = clamp(1 - max_j u . x_ij / |x_ij|, 0, 1),   x_ij = x_i - x_j,  u = direction of the air seen by the grain
/// ```
/// [Ned24] 5.6 with the occluder upwind; [GPB*17].
fn exposure(input: &PredictInput, x: Vec3, direction: Vec3, neighbors: impl Iterator<Item = usize>) -> f32 {
    let mut shield = 0.0f32;
    for j in neighbors {
        let x_ij = input.domain.displacement(x, input.particles.position[j].truncate());
        shield = shield.max(direction.dot(x_ij.normalize_or_zero()));
    }
    (1.0 - shield).clamp(0.0, 1.0)
}

/// Adds gravity and material viscosity to the prediction.
pub fn predict_velocity(input: &PredictInput, gravity: Vec3, state: &mut IisphState) {
    assert_eq!(input.lists.len(), input.particles.len());
    let viscous = input.laws.materials.iter().any(|m| m.viscosity > 0.0);
    let change = (input.dt * gravity).extend(0.0);
    state.predicted.par_chunks_mut(BLOCK).enumerate().for_each(|(b, predicted)| {
        predicted.iter_mut().for_each(|v| *v += change);
        if viscous {
            let list = &input.lists.blocks[b];
            input.instructions.run(Viscosity { input, list, first: b * BLOCK, predicted });
        }
    });
}

struct Viscosity<'a> {
    input: &'a PredictInput<'a>,
    list: &'a NeighborBlock,
    first: usize,
    predicted: &'a mut [Vec4],
}

impl Vectorised for Viscosity<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let dt = L::splat(self.input.dt);
        for at in (0..self.predicted.len()).step_by(LANES) {
            let change = viscous_acceleration::<L>(self.input, self.list, at, self.first + at);
            let [x, y, z, w] = load_rows::<L>(self.predicted, at);
            store_rows(self.predicted, at, [x + dt * change[0], y + dt * change[1], z + dt * change[2], w]);
        }
    }
}

/// Acceleration by viscosity.
///
/// ```text
/// nu lap v = f nu sum_j (v_ij . x_ij) / (|x_ij|^2 + 0.01 h^2) G_ij        [Mon92], f = 10 in the continuum
/// ```
#[inline(always)]
fn viscous_acceleration<L: Lanes>(
    input: &PredictInput,
    list: &NeighborBlock,
    at: usize,
    first: usize,
) -> [L; 3] {
    let params = input.params;
    let group = list.group(at / LANES);
    let (position, velocity) = (&input.particles.position, &input.particles.velocity);
    let [x, y, z, _] = load_rows::<L>(position, first);
    let [u, v, w, _] = load_rows::<L>(velocity, first);
    let softening = L::splat(viscosity_softening(params.support));
    let scale = 0.5 * params.viscosity_factor * params.gradient_unit;
    let own = input.laws.lanes::<L>(first, |m| scale * m.viscosity);
    let mut sum = [L::splat(0.0); 3];
    for (slot, &base) in group.slots.iter().zip(group.base) {
        let rows = |column| bytemuck::cast_slice::<Vec4, f32>(column);
        // SAFETY: neighbours are particles (checked in `predict_velocity`).
        let [xj, yj, zj, _] = unsafe { L::gather4(rows(position), 4, base, &slot.delta) };
        // SAFETY: as above.
        let [uj, vj, wj, _] = unsafe { L::gather4(rows(velocity), 4, base, &slot.delta) };
        let mut d = [x - xj, y - yj, z - zj];
        if input.domain.is_periodic() {
            d = input.domain.nearest_image(d);
        }
        let approach = (u - uj) * d[0] + (v - vj) * d[1] + (w - wj) * d[2];
        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let both = own + input.laws.neighbors::<L>(base, &slot.delta, |m| scale * m.viscosity);
        let factor = both * approach / (square + softening);
        for (sum, gradient) in sum.iter_mut().zip(&slot.gradient) {
            *sum = *sum + factor * L::from_i16(gradient);
        }
    }
    sum
}
