//! Fields of a particle's surroundings that no step needs: found when somebody asks for them.

use glam::{Vec3, Vec4};

use crate::neighbors::{CellIndex, Domain, NeighborLists, Permutation};
use crate::simd::Instructions;
use crate::sph::Kernel;

/// Bits of x, y and z in the number of a cell.
const CELL_BITS: [u32; 3] = [11, 10, 11];

/// Normals of the colour field, times the support h: about 1 at a free surface, 0 deep inside.
///
/// ```text
/// n_i = -h sum_j V grad_i W_ij
/// ```
/// \[MCG03\] section 3.2, with the sign that points out of the grains. Walls do not count: they look like free space.
/// `volume` is V \[m3\].
pub fn normals(
    position: &[Vec4],
    domain: &Domain,
    kernel: &Kernel,
    volume: f32,
    instructions: Instructions,
) -> Vec<Vec3> {
    let mut position = position.to_vec();
    let reach = kernel.support();
    let (mut cells, mut key) = (CellIndex::default(), Vec::new());
    let mut order = Permutation::default();
    cells.assign(domain, reach, &position, &mut key);
    order.sort(&mut key, cells.key_bits());
    cells.index(&key);
    cells.search_all_rows(true);
    order.apply(&mut position, &mut Vec::new());
    let mut lists = NeighborLists::<()>::default();
    lists.build(&cells, domain, reach, &position, instructions);
    let pair = |i: usize, j: usize| {
        let x = domain.displacement(position[i].truncate(), position[j].truncate());
        x * kernel.gradient_factor(x.length_squared())
    };
    let mut normals = vec![Vec3::ZERO; position.len()];
    for (i, source) in order.sources().iter().enumerate() {
        let gradient: Vec3 = lists.of(i).map(|j| pair(i, j)).sum();
        normals[*source as usize] = -reach * volume * gradient;
    }
    normals
}

/// Numbers of the cells of side `reach` \[m\]: 11 bits of x, 10 of y and 11 of z, counted from the origin.
pub fn cell_numbers(position: &[Vec4], domain: &Domain, reach: f32) -> Vec<u32> {
    let (mut cells, mut key) = (CellIndex::default(), Vec::new());
    cells.assign(domain, reach, position, &mut key);
    let number = |x: &Vec4| {
        let parts = cells.coordinates(x.truncate()).into_iter().zip(CELL_BITS);
        parts.fold((0, 0), |(number, shift), (part, bits)| {
            (number | (part as u32 & ((1 << bits) - 1)) << shift, shift + bits)
        })
    };
    position.iter().map(|x| number(x).0).collect()
}
