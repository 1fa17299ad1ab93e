//! Density and pressure, and what pairs gather of both.

use glam::Vec4;

use crate::neighbors::NeighborBlock;
use crate::simd::{LANES, Lanes, Vectorised, load_rows, store, store_rows};
use crate::solver::walls::{WallBlock, wall_density};
use crate::team::BLOCK;

use super::fluid_lanes::FluidLanes;
use super::pairs::pressure_of;
use super::params::Setup;
use super::state::Columns;

/// What the density stage reads.
pub struct DensityInput<'a> {
    /// Constants and kernels.
    pub setup: &'a Setup,
    /// Fluids.
    pub materials: FluidLanes<'a>,
    /// Positions \[m\].
    pub position: &'a [Vec4],
    /// Velocities that velocity-dependent forces see: v + dt/2 a [m/s].
    pub velocity: &'a [Vec4],
    /// Half of the step \[s\].
    pub half_dt: f32,
}

/// Computes densities and pressures of a block and lays out what pairs gather.
///
/// ```text
/// rho_i = V W(0) + sum_j V W_ij + rho_B          (relative to rest; number density, one V per scene)
/// ```
///
/// # Safety
/// Every neighbour in the list must be a particle of the input; nobody else may use the block's columns meanwhile.
pub unsafe fn compute_density(
    input: &DensityInput,
    b: usize,
    list: &NeighborBlock,
    walls: &WallBlock,
    columns: &Columns,
) {
    // SAFETY: as the caller promises.
    let (density, neighbors, pressure, place, motion, acceleration) = unsafe {
        (
            columns.density.block_mut(b),
            columns.neighbors.block_mut(b),
            columns.pressure.block_mut(b),
            columns.place.block_mut(b),
            columns.motion.block_mut(b),
            columns.acceleration.block(b),
        )
    };
    let setup = input.setup;
    setup.instructions.run(DensityBlock { input, first: b * BLOCK, list, density, neighbors });
    for (k, contacts) in walls.with_contacts() {
        density[k] += wall_density(contacts, setup.wall_table.fill());
    }
    for k in 0..density.len() {
        let i = b * BLOCK + k;
        let fluid = input.materials.of(i);
        pressure[k] = pressure_of(fluid.law, fluid.exponent, fluid.stiffness, density[k]);
        place[k] = input.position[i].truncate().extend(pressure[k] / (density[k] * density[k]));
        let velocity = input.velocity[i] + input.half_dt * acceleration[k];
        motion[k] = velocity.truncate().extend(density[k]);
    }
}

struct DensityBlock<'a> {
    input: &'a DensityInput<'a>,
    first: usize,
    list: &'a NeighborBlock,
    density: &'a mut [f32],
    neighbors: &'a mut [f32],
}

impl Vectorised for DensityBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for at in (0..self.density.len()).step_by(LANES) {
            let (density, neighbors) = group_density::<L>(self.input, self.first + at, self.list, at / LANES);
            store(self.density, at, density);
            store(self.neighbors, at, neighbors);
        }
    }
}

#[inline(always)]
fn group_density<L: Lanes>(input: &DensityInput, first: usize, list: &NeighborBlock, g: usize) -> (L, L) {
    let setup = input.setup;
    let group = list.group(g);
    let rows: *const f32 = input.position.as_ptr().cast();
    let [x, y, z, _] = load_rows::<L>(input.position, first);
    let periodic = setup.domain.is_periodic();
    let support = L::splat(setup.params.support);
    let (mut values, mut count) = (L::splat(setup.kernel.w(0.0)), L::splat(0.0));
    for (s, slot) in group.slots.iter().enumerate() {
        // SAFETY: neighbours are particles, as the caller of `compute_density` promises.
        let [xj, yj, zj, _] = unsafe { L::gather4::<4>(rows, group.base[s], &slot.delta) };
        let mut d = [x - xj, y - yj, z - zj];
        if periodic {
            d = setup.domain.nearest_image(d);
        }
        let r = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).root();
        let mask = u32::from(group.mask[s]);
        values = values + setup.kernel.values(r).keep(mask);
        count = count + L::splat(1.0).keep(mask & r.below(support));
    }
    (L::splat(setup.params.volume) * values, count)
}

/// Normals of a block: the gradient of the colour field times the support, which points into the fluid.
///
/// ```text
/// n_i = h sum_j V/rho_j grad_i W_poly6
/// ```
/// \[AAT13\] eq. 5; the gradient of poly6 is negative along x_ij.
///
/// # Safety
/// Every neighbour in the list must be a particle; nobody may write to places and motions meanwhile, and nobody else use
/// the block's normals.
pub unsafe fn compute_normals(setup: &Setup, b: usize, list: &NeighborBlock, columns: &Columns) {
    // SAFETY: as the caller promises.
    unsafe {
        setup.instructions.run(NormalsBlock {
            setup,
            list,
            own: columns.place.block(b),
            place: columns.place.start().cast(),
            motion: columns.motion.start().cast(),
            normal: columns.normal.block_mut(b),
        });
    }
}

struct NormalsBlock<'a> {
    setup: &'a Setup,
    list: &'a NeighborBlock,
    own: &'a [Vec4],
    place: *const f32,
    motion: *const f32,
    normal: &'a mut [Vec4],
}

impl Vectorised for NormalsBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let setup = self.setup;
        let params = &setup.params;
        let scale = L::splat(params.normal_sign * params.support * params.volume);
        for at in (0..self.normal.len()).step_by(LANES) {
            let group = self.list.group(at / LANES);
            let [x, y, z, _] = load_rows::<L>(self.own, at);
            let mut sum = [L::splat(0.0); 3];
            for (s, slot) in group.slots.iter().enumerate() {
                // SAFETY: neighbours are particles, as the caller of `compute_normals` promises.
                let ([xj, yj, zj, _], density) = unsafe {
                    let place = L::gather4::<4>(self.place, group.base[s], &slot.delta);
                    let [_, _, _, density] = L::gather4::<4>(self.motion, group.base[s], &slot.delta);
                    (place, density)
                };
                let mut d = [x - xj, y - yj, z - zj];
                if setup.domain.is_periodic() {
                    d = setup.domain.nearest_image(d);
                }
                let r = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).root();
                let factor = (setup.normal.slopes(r) / density).keep(u32::from(group.mask[s]));
                sum = [sum[0] + factor * d[0], sum[1] + factor * d[1], sum[2] + factor * d[2]];
            }
            store_rows(self.normal, at, [scale * sum[0], scale * sum[1], scale * sum[2], L::splat(0.0)]);
        }
    }
}
