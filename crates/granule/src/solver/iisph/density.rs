//! Density, pair gradients and the diagonal of the pressure system.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::material::Material;
use crate::neighbors::{BLOCK, Domain, NeighborLists, block_range};
use crate::sph::Kernel;

use super::params::IisphParams;
use super::state::{IisphState, Pair};
use super::walls::wall_density;

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
    /// Neighbour lists.
    pub lists: &'a NeighborLists,
    /// Materials.
    pub materials: &'a [Material],
    /// Positions [m].
    pub position: &'a [Vec4],
    /// Material of each particle.
    pub material: &'a [u16],
}

/// Computes densities, pair gradients, their sums and the diagonal.
///
/// ```text
/// rho_i = V W(0) + sum_j V W_ij + rho_B          (relative to rest; number density, one V per scene)
/// G_ij  = V grad_i W_ij
/// A_i   = sum_j |G_ij|^2 / rho0_j + |sum_j G_ij|^2 / rho0_i
/// ```
/// The diagonal is that of [ICS14] eq. 12 for constant volume: how the divergence answers the own pressure.
pub fn compute_density(input: &DensityInput, state: &mut IisphState) {
    let count = input.position.len();
    let blocks = crate::neighbors::block_count(count);
    state.pairs.resize_with(blocks, Vec::new);
    let contacts = &state.contacts;
    let inverse_density: Vec<f32> = input.materials.iter().map(|m| 1.0 / m.density).collect();
    (
        state.pairs.par_iter_mut(),
        state.density.par_chunks_mut(BLOCK),
        state.gradient_sum.par_chunks_mut(BLOCK),
        state.diagonal.par_chunks_mut(BLOCK),
    )
        .into_par_iter()
        .enumerate()
        .for_each(|(b, (pairs, density, gradient_sum, diagonal))| {
            let list = input.lists.block(b);
            pairs.clear();
            for (k, i) in block_range(b, count).enumerate() {
                let one = particle_density(input, i, list.of(k), &inverse_density, pairs);
                density[k] = one.density + wall_density(contacts.blocks[b].of(k), input.wall_fill);
                gradient_sum[k] = one.gradient_sum.extend(0.0);
                diagonal[k] = one.squares
                    + one.gradient_sum.length_squared() * inverse_density[input.material[i] as usize];
            }
        });
}

struct ParticleDensity {
    density: f32,
    gradient_sum: Vec3,
    squares: f32,
}

fn particle_density(
    input: &DensityInput,
    i: usize,
    neighbors: &[u32],
    inverse_density: &[f32],
    pairs: &mut Vec<Pair>,
) -> ParticleDensity {
    let volume = input.params.volume;
    let x_i = input.position[i].truncate();
    let periodic = input.domain.is_periodic();
    let mut sum = input.kernel.w(0.0);
    let mut gradient_sum = Vec3::ZERO;
    let mut squares = 0.0;
    for &j in neighbors {
        let x_j = input.position[j as usize].truncate();
        let x_ij = if periodic { input.domain.displacement(x_i, x_j) } else { x_i - x_j };
        let r_squared = x_ij.length_squared();
        let (w, factor) = input.kernel.pair(r_squared);
        sum += w;
        let gradient = volume * factor * x_ij;
        gradient_sum += gradient;
        squares += gradient.length_squared() * inverse_density[input.material[j as usize] as usize];
        pairs.push(Pair { gradient: gradient.into(), neighbor: j });
    }
    ParticleDensity { density: volume * sum, gradient_sum, squares }
}
