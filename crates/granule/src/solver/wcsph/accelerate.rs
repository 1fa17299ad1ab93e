//! Accelerations from pressure, viscosity and surface tension.

use glam::{Vec3, Vec4};

use crate::neighbors::{Group, NeighborBlock};
use crate::simd::{LANES, Lanes, Vectorised, each, load_rows, splat3, store_rows};
use crate::team::BLOCK;

use super::fluid_lanes::FluidLanes;
use super::pairs::{cohesion_spline, repulsion, surface_weight};
use super::params::{Fluid, Setup};
use super::state::Columns;

/// What accelerations depend on beside the columns.
#[derive(Clone, Copy)]
pub struct ForceInput<'a> {
    /// Constants and kernels.
    pub setup: &'a Setup,
    /// Fluids.
    pub materials: FluidLanes<'a>,
    /// Gravity [m/s2].
    pub gravity: Vec3,
}

/// Accelerations of a block.
///
/// ```text
/// rho_0 a_i = -sum_j V (p_i/rho_i^2 + p_j/rho_j^2 + Pi_ij) grad W
///             + sum_j V mu (v_j - v_i)/(rho_i rho_j) lap W
///             - sum_j K_ij [F/d^3 C(r) x_ij/r + 8 V/h^3 rho_0 gamma (n_i - n_j)] + rho_0 g
/// ```
/// mu, F and gamma of a pair are the means of both. Every pair's force is equal and opposite, so momentum is conserved.
///
/// # Safety
/// Every neighbour in the list must be a particle; nobody may write to places, motions and normals meanwhile, and nobody
/// else use the block's accelerations.
pub unsafe fn accelerate(input: &ForceInput, b: usize, list: &NeighborBlock, columns: &Columns) {
    // SAFETY: as the caller promises.
    unsafe {
        input.setup.instructions.run(Accelerate {
            input,
            list,
            first: b * BLOCK,
            own: [columns.place.block(b), columns.motion.block(b)],
            own_normal: if input.setup.params.smoothed { columns.normal.block(b) } else { &[] },
            seen: Seen {
                place: columns.place.start().cast(),
                motion: columns.motion.start().cast(),
                normal: columns.normal.start().cast(),
            },
            acceleration: columns.acceleration.block_mut(b),
        });
    }
}

/// Rows that pairs gather.
#[derive(Clone, Copy)]
struct Seen {
    place: *const f32,
    motion: *const f32,
    normal: *const f32,
}

struct Accelerate<'a> {
    input: &'a ForceInput<'a>,
    list: &'a NeighborBlock,
    first: usize,
    own: [&'a [Vec4]; 2],
    own_normal: &'a [Vec4],
    seen: Seen,
    acceleration: &'a mut [Vec4],
}

/// Sixteen particles as their pairs see them.
struct Own<L> {
    place: [L; 4],
    motion: [L; 4],
    normal: [L; 4],
}

impl Vectorised for Accelerate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let input = self.input;
        let zero = L::splat(0.0);
        let gravity: [L; 3] = splat3(input.gravity.to_array());
        for at in (0..self.acceleration.len()).step_by(LANES) {
            let group = self.list.group(at / LANES);
            let own = Own {
                place: load_rows::<L>(self.own[0], at),
                motion: load_rows::<L>(self.own[1], at),
                normal: if self.own_normal.is_empty() { [zero; 4] } else { load_rows(self.own_normal, at) },
            };
            // SAFETY: neighbours have rows, as the caller of `accelerate` promises.
            let force = unsafe { group_force(input, self.first + at, &group, &own, self.seen) };
            let specific = input.materials.lanes::<L>(self.first + at, |fluid| 1.0 / fluid.density);
            let [x, y, z] = each([0, 1, 2], |k| gravity[k] + specific * force[k]);
            store_rows(self.acceleration, at, [x, y, z, zero]);
        }
    }
}

/// Force per volume of sixteen particles [N/m3].
#[inline(always)]
unsafe fn group_force<L: Lanes>(
    input: &ForceInput,
    first: usize,
    group: &Group,
    own: &Own<L>,
    seen: Seen,
) -> [L; 3] {
    let setup = input.setup;
    let params = &setup.params;
    let number = L::splat;
    let of = |property: fn(&Fluid) -> f32| input.materials.lanes::<L>(first, property);
    let (viscosity, damping) = (of(|fluid| fluid.viscosity), of(|fluid| fluid.damping));
    let (cohesion, smoothing) = (of(|fluid| fluid.cohesion), of(|fluid| fluid.smoothing));
    let volume = number(params.volume);
    let softening = number(0.0025 * params.support * params.support);
    let inverse_support = number(1.0 / params.support);
    let per_volume = number(params.spacing.powi(-3));
    let [x, y, z, pressure] = own.place;
    let [u, v, w, density] = own.motion;
    let mut sum = [number(0.0); 3];
    for (s, slot) in group.slots.iter().enumerate() {
        let (base, delta, mask) = (group.base[s], &slot.delta, u32::from(group.mask[s]));
        // SAFETY: the caller promises that neighbours have rows.
        let [xj, yj, zj, pressure_j] = unsafe { L::gather4::<4>(seen.place, base, delta) };
        // SAFETY: as above.
        let [uj, vj, wj, density_j] = unsafe { L::gather4::<4>(seen.motion, base, delta) };
        let mut d = [x - xj, y - yj, z - zj];
        if setup.domain.is_periodic() {
            d = setup.domain.nearest_image(d);
        }
        let difference = [uj - u, vj - v, wj - w];
        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let r = square.root();
        let mut push = pressure + pressure_j;
        if params.damped {
            let approach = number(0.0) - (difference[0] * d[0] + difference[1] * d[1] + difference[2] * d[2]);
            let damping = input.materials.pair_mean(damping, base, delta, |fluid| fluid.damping);
            push = repulsion(pressure, pressure_j, damping, approach, square, softening);
        }
        let mut along = number(0.0) - volume * push * setup.gradient.slopes(r);
        if params.cohesive {
            let q = r * inverse_support;
            let cohesion = input.materials.pair_mean(cohesion, base, delta, |fluid| fluid.cohesion);
            let pull = per_volume * cohesion * surface_weight(density, density_j);
            let pull = pull * cohesion_spline(q, number(params.cohesion_constant)) / r;
            along = along - number(0.0).if_below(r, pull, number(0.0));
        }
        let along = along.keep(mask);
        sum = [sum[0] + along * d[0], sum[1] + along * d[1], sum[2] + along * d[2]];
        if params.viscous {
            let viscosity = input.materials.pair_mean(viscosity, base, delta, |fluid| fluid.viscosity);
            let drag = volume * viscosity * setup.viscosity.viscosity_laplacians(r) / (density * density_j);
            let drag = drag.keep(mask);
            for (sum, difference) in sum.iter_mut().zip(difference) {
                *sum = *sum + drag * difference;
            }
        }
        if params.smoothed {
            // SAFETY: as above.
            let [nx, ny, nz, _] = unsafe { L::gather4::<4>(seen.normal, base, delta) };
            let smoothing = input.materials.pair_mean(smoothing, base, delta, |fluid| fluid.smoothing);
            let weight = smoothing * surface_weight(density, density_j);
            let weight = weight.keep(mask & r.below(number(params.support)));
            for (sum, difference) in
                sum.iter_mut().zip([own.normal[0] - nx, own.normal[1] - ny, own.normal[2] - nz])
            {
                *sum = *sum - weight * difference;
            }
        }
    }
    sum
}
