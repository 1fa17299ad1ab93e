//! Density, pair gradients and the diagonal of the pressure system.

use glam::Vec4;

use crate::neighbors::Domain;
use crate::simd::{Instructions, LANES, Lanes, Vectorised, each, load_rows, store};
use crate::sph::Kernel;
use crate::team::BLOCK;

use super::pairs::{NeighborBlock, Slot};
use super::params::IisphParams;
use crate::solver::material_lanes::MaterialLanes;
use crate::solver::walls::{WallBlock, wall_density};

/// What the density stage reads.
pub struct DensityInput<'a> {
    /// Constants.
    pub params: &'a IisphParams,
    /// Smoothing kernel.
    pub kernel: &'a Kernel,
    /// Share of the wall's kernel volume that counts as density.
    pub wall_fill: f32,
    /// Space.
    pub domain: &'a Domain,
    /// Materials.
    pub materials: MaterialLanes<'a>,
    /// Positions \[m\].
    pub position: &'a [Vec4],
    /// Instructions to use.
    pub instructions: Instructions,
}

/// Computes densities, pair gradients and the diagonal for a block.
///
/// ```text
/// rho_i = V W(0) + sum_j V W_ij + rho_B          (relative to rest; number density, one V per scene)
/// G_ij  = V grad_i W_ij, rounded to 1/32000 of its largest length
/// A_i   = sum_j |G_ij|^2 / rho0_j + |sum_j G_ij|^2 / rho0_i
/// ```
/// The diagonal is that of \[ICS14\] eq. 12 for constant volume: how the divergence answers the own pressure. Rounding
/// treats G_ij and G_ji alike, so their sum stays exactly 0 and momentum is conserved.
///
/// # Safety
/// Every neighbour in the list must be a particle of the input.
pub unsafe fn compute_density(
    input: &DensityInput,
    b: usize,
    list: &mut NeighborBlock,
    walls: &WallBlock,
    density: &mut [f32],
    diagonal: &mut [f32],
) {
    input.instructions.run(DensityBlock { input, first: b * BLOCK, list, density, diagonal });
    for (k, contacts) in walls.with_contacts() {
        density[k] += wall_density(contacts, input.wall_fill);
    }
}

struct DensityBlock<'a> {
    input: &'a DensityInput<'a>,
    first: usize,
    list: &'a mut NeighborBlock,
    density: &'a mut [f32],
    diagonal: &'a mut [f32],
}

impl Vectorised for DensityBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for at in (0..self.density.len()).step_by(LANES) {
            let (density, diagonal) =
                group_density::<L>(self.input, self.first + at, self.list.group_mut(at / LANES));
            store(self.density, at, density);
            store(self.diagonal, at, diagonal);
        }
    }
}

type GroupMut<'a> = (&'a [u32], &'a [u16], &'a mut [Slot]);

#[inline(always)]
fn group_density<L: Lanes>(input: &DensityInput, first: usize, (base, mask, slots): GroupMut) -> (L, L) {
    let params = input.params;
    let zero = L::splat(0.0);
    let per_unit = L::splat(params.volume / params.gradient_unit);
    let rows: *const f32 = input.position.as_ptr().cast();
    let [x, y, z, _] = load_rows::<L>(input.position, first);
    let periodic = input.domain.is_periodic();
    let (mut values, mut sum, mut squares) = (L::splat(input.kernel.w(0.0)), [zero; 3], zero);
    for (s, slot) in slots.iter_mut().enumerate() {
        // SAFETY: neighbours are particles, as the caller of `compute_density` promises.
        let [xj, yj, zj, _] = unsafe { L::gather4::<4>(rows, base[s], &slot.delta) };
        let mut d = [x - xj, y - yj, z - zj];
        if periodic {
            d = input.domain.nearest_image(d);
        }
        let (w, factor) = input.kernel.pairs(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        let mask = u32::from(mask[s]);
        values = values + w.keep(mask);
        let factor = (per_unit * factor).keep(mask);
        slot.payload = d.map(|d| (factor * d).to_i16());
        let gradient = each(slot.payload.each_ref(), |g| L::from_i16(g));
        let lighter = input.materials.neighbors::<L>(base[s], &slot.delta, |m| 1.0 / m.density);
        let mut square = zero;
        for (sum, g) in sum.iter_mut().zip(gradient) {
            *sum = *sum + g;
            square = square + g * g;
        }
        squares = squares + square * lighter;
    }
    let own = input.materials.lanes::<L>(first, |m| 1.0 / m.density);
    let diagonal = squares + (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) * own;
    let unit = L::splat(params.gradient_unit);
    (L::splat(params.volume) * values, unit * unit * diagonal)
}
