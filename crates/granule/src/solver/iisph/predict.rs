//! Velocity without pressure, friction and walls: gravity, air drag, viscosity.

use glam::{Vec3, Vec4};

use crate::air::Air;
use crate::neighbors::Domain;
use crate::particles::Particles;
use crate::simd::{Instructions, LANES, Lanes, Vectorised, load_rows, store_rows};
use crate::team::{BLOCK, block_range};

use super::pairs::NeighborBlock;
use super::params::{IisphParams, viscosity_softening};
use crate::solver::drag::DragInput;
use crate::solver::material_lanes::MaterialLanes;

/// What the prediction reads.
pub struct PredictInput<'a> {
    /// Particles.
    pub particles: &'a Particles,
    /// Materials.
    pub materials: MaterialLanes<'a>,
    /// Space.
    pub domain: &'a Domain,
    /// Constants.
    pub params: &'a IisphParams,
    /// Step \[s\].
    pub dt: f32,
    /// Time at the start of the step \[s\].
    pub time: f64,
    /// Instructions to use.
    pub instructions: Instructions,
}

/// Starts the prediction of a block with air drag, or with the velocity where there is no air.
pub fn predict_drag(
    input: &PredictInput,
    air: Option<&Air>,
    b: usize,
    list: &NeighborBlock,
    predicted: &mut [Vec4],
) {
    let drag = air.map(|air| DragInput {
        air,
        particles: input.particles,
        materials: input.materials,
        domain: input.domain,
        dt: input.dt,
        time: input.time,
    });
    for (k, i) in block_range(b, input.particles.len()).enumerate() {
        let velocity = input.particles.velocity[i].truncate();
        let change = drag.map_or(Vec3::ZERO, |drag| drag.change(i, list.of(k)));
        predicted[k] = (velocity + change).extend(0.0);
    }
}

/// Adds gravity and material viscosity to the prediction of a block.
///
/// # Safety
/// Every neighbour in the list must be a particle of the input.
pub unsafe fn predict_velocity(
    input: &PredictInput,
    gravity: Vec3,
    b: usize,
    list: &NeighborBlock,
    predicted: &mut [Vec4],
) {
    let change = (input.dt * gravity).extend(0.0);
    predicted.iter_mut().for_each(|v| *v += change);
    if input.materials.materials.iter().any(|m| m.viscosity > 0.0) {
        input.instructions.run(Viscosity { input, list, first: b * BLOCK, predicted });
    }
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
    let own = input.materials.lanes::<L>(first, |m| scale * m.viscosity);
    let mut sum = [L::splat(0.0); 3];
    for (slot, &base) in group.slots.iter().zip(group.base) {
        let rows = |column: &[Vec4]| column.as_ptr().cast();
        // SAFETY: neighbours are particles, as the caller of `predict_velocity` promises.
        let [xj, yj, zj, _] = unsafe { L::gather4::<4>(rows(position), base, &slot.delta) };
        // SAFETY: as above.
        let [uj, vj, wj, _] = unsafe { L::gather4::<4>(rows(velocity), base, &slot.delta) };
        let mut d = [x - xj, y - yj, z - zj];
        if input.domain.is_periodic() {
            d = input.domain.nearest_image(d);
        }
        let approach = (u - uj) * d[0] + (v - vj) * d[1] + (w - wj) * d[2];
        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let both = own + input.materials.neighbors::<L>(base, &slot.delta, |m| scale * m.viscosity);
        let factor = both * approach / (square + softening);
        for (sum, gradient) in sum.iter_mut().zip(&slot.payload) {
            *sum = *sum + factor * L::from_i16(gradient);
        }
    }
    sum
}
