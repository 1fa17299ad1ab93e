//! How the surroundings of guides deform during a frame.

use bytemuck::{Pod, Zeroable};
use glam::{Mat3, Vec3};
use rayon::prelude::*;

use super::guide_columns::GuideColumns;
use super::guide_grid::GuideGrid;
use super::guides::Guide;
use super::nodes::{NONE, Nodes};
use super::weights::{ISOLATION_RAMP, ramp, weight};
use crate::simd::{Instructions, LANES, Lanes, Vectorised, splat3, total};

/// Largest deformation of a guide's surroundings in a frame (Frobenius norm). A choice: a strain of 1 in a frame is no flow
/// of neighbours any more, but guides that meet or part.
pub const MOST_DEFORMATION: f32 = 1.0;

/// Volume ratio below which a deformation is that of guides that collide, and is left out. A choice: it keeps the cube root
/// of the isochoric part away from 0.
pub const LEAST_VOLUME: f32 = 0.1;

/// Regularisation of the least squares: added to the diagonal of the moments, in supports squared, so that a lone guide has
/// no deformation. A choice: on a lattice, whose moments are 0.16, it takes a part in a hundred of the gradient (measured by
/// the test of affine motion).
pub const REGULARISATION: f32 = 0.002;

/// Guides that a thread takes at once.
const CHUNK: usize = 256;

/// How the surroundings of a guide deform during a frame: the displacement of a point is `displacement + affine (x - position)`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Deformation {
    /// Rows of the gradient. The fourth number of the first row tells how far the guide takes grains along alone, from
    /// 0 to 1; the others fill the record.
    pub rows: [[f32; 4]; 3],
}

impl Deformation {
    fn of(gradient: &Mat3, carries: f32) -> Self {
        let row = |k: usize, last: f32| {
            let row = gradient.row(k);
            [row.x, row.y, row.z, last]
        };
        Self { rows: [row(0, carries), row(1, 0.0), row(2, 0.0)] }
    }
}

/// Deformation of the surroundings of every guide, in the grid's order; none of those that rest among resting ones.
pub fn deformations(guides: &GuideGrid, nodes: &Nodes, instructions: Instructions) -> Vec<Deformation> {
    let mut out = vec![Deformation::default(); guides.guide.len()];
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        instructions.run(Deform { guides, nodes, first: chunk * CHUNK, out });
    });
    out
}

/// Deformations of a run of guides.
struct Deform<'a> {
    guides: &'a GuideGrid,
    nodes: &'a Nodes,
    first: usize,
    out: &'a mut [Deformation],
}

impl Vectorised for Deform<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let grid = self.guides;
        let mut near = GuideColumns::default();
        let mut cell = grid.start.partition_point(|start| *start as usize <= self.first) - 1;
        let mut taken = usize::MAX;
        for (i, out) in (self.first..).zip(self.out) {
            while grid.start[cell + 1] as usize <= i {
                cell += 1;
            }
            let block = self.nodes.block_of_cell[cell];
            if block == NONE || !self.nodes.active[block as usize] {
                continue;
            }
            if taken != cell {
                near.take(&grid.columns, &grid.rows_around(self.nodes.coordinates(cell as u32)));
                taken = cell;
            }
            let guide = &grid.guide[i];
            let sums = MomentSums::around::<L>(&near, guide, grid.support);
            *out = Deformation::of(
                &sums.gradient(grid.support),
                guide.moves * ramp(sums.weight, ISOLATION_RAMP),
            );
        }
    }
}

/// Sums over the guides around one, with positions in supports.
struct MomentSums {
    /// w (u_j - u_i) (x_j - x_i)^T.
    cross: Mat3,
    /// w (x_j - x_i) (x_j - x_i)^T.
    moment: Mat3,
    weight: f32,
    /// Weight of those that move.
    moving: f32,
}

impl MomentSums {
    #[inline(always)]
    fn around<L: Lanes>(near: &GuideColumns, guide: &Guide, support: f32) -> Self {
        let (x, u) = (splat3::<L>(guide.position), splat3::<L>(guide.displacement));
        let (zero, inverse) = (L::splat(0.0), L::splat(1.0 / support));
        let (mut cross, mut diagonal, mut across, mut sum, mut moving) =
            ([[zero; 3]; 3], [zero; 3], [zero; 3], zero, zero);
        for first in (0..near.count()).step_by(LANES) {
            let (p, v) = (near.position::<L>(first), near.displacement::<L>(first));
            let d = [(p[0] - x[0]) * inverse, (p[1] - x[1]) * inverse, (p[2] - x[2]) * inverse];
            let own = near.shrinking::<L>(first);
            let w = weight((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * own);
            (sum, moving) = (sum + w, moving + w * near.moves(first));
            let wd = [w * d[0], w * d[1], w * d[2]];
            for k in 0..3 {
                diagonal[k] = diagonal[k] + wd[k] * d[k];
                across[k] = across[k] + wd[k] * d[(k + 1) % 3];
                let displacement = v[k] - u[k];
                for axis in 0..3 {
                    cross[axis][k] = cross[axis][k] + wd[axis] * displacement;
                }
            }
        }
        let [xx, yy, zz] = totals(diagonal);
        let [xy, yz, xz] = totals(across);
        let [x, y, z] = cross;
        Self {
            cross: Mat3::from_cols_array_2d(&[totals(x), totals(y), totals(z)]),
            moment: Mat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]),
            weight: total(sum),
            moving: total(moving),
        }
    }

    /// Gradient of the guides' displacements by moving least squares; none where no guide moves:
    ///
    /// ```text
    /// A = (sum w (u_j - u_i) (x_j - x_i)^T) (sum w (x_j - x_i) (x_j - x_i)^T + e I)^-1
    /// ```
    #[inline(always)]
    fn gradient(&self, support: f32) -> Mat3 {
        if self.moving == 0.0 {
            return Mat3::ZERO;
        }
        let moment = self.moment + Mat3::from_diagonal(Vec3::splat(REGULARISATION));
        let gradient = self.cross * moment.inverse() * (1.0 / support);
        let norm = gradient.to_cols_array().iter().map(|entry| entry * entry).sum::<f32>().sqrt();
        isochoric(if norm > MOST_DEFORMATION { gradient * (MOST_DEFORMATION / norm) } else { gradient })
    }
}

#[inline(always)]
fn totals<L: Lanes>([x, y, z]: [L; 3]) -> [f32; 3] {
    [total(x), total(y), total(z)]
}

/// The deformation of the same shape that keeps volumes: (I + A) / det(I + A)^(1/3) - I.
///
/// What guides are worth stays around them: they may part and leave gaps, but nothing is pressed together for good by
/// what a few neighbours on one side tell.
#[inline(always)]
fn isochoric(gradient: Mat3) -> Mat3 {
    let stretched = Mat3::IDENTITY + gradient;
    let volume = stretched.determinant();
    if volume > LEAST_VOLUME { stretched * volume.cbrt().recip() - Mat3::IDENTITY } else { Mat3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::Domain;
    use crate::upsample::FrameInput;

    /// Deformations of guides on a lattice, with the guides.
    fn deformed(guides: Vec<Guide>, instructions: Instructions) -> (GuideGrid, Vec<Deformation>) {
        let grid = GuideGrid::new(guides, 1.0, &Domain::default());
        let mut nodes = Nodes::default();
        let (gravity, walls, outlets) = (Vec3::ZERO, &[], &[]);
        let frame = FrameInput { frame: 0, dt: 0.1, gravity, guides: &grid, after: &grid, walls, outlets };
        nodes.build(&frame, 1.0);
        let found = deformations(&grid, &nodes, instructions);
        (grid, found)
    }

    fn lattice(n: usize, displacement: impl Fn(Vec3) -> Vec3) -> Vec<Guide> {
        let guide = |k: usize| {
            let x = 2.0 * Vec3::new((k % n) as f32, (k / n % n) as f32, (k / n / n) as f32);
            let displacement = displacement(x);
            let moves = f32::from(displacement != Vec3::ZERO);
            Guide { position: x.into(), displacement: displacement.into(), moves, ..Guide::default() }
        };
        (0..n * n * n).map(guide).collect()
    }

    #[test]
    fn affine_motion_is_found_exactly() {
        let a = Mat3::from_cols_array(&[0.1, 0.02, 0.0, -0.05, 0.0, 0.03, 0.01, -0.02, -0.1]);
        let guides = lattice(7, |x| Vec3::new(3.0, 0.0, -1.0) + a * x);
        let (grid, found) = deformed(guides, Instructions::best());
        let center = grid.guide.iter().position(|g| g.position == [6.0; 3]).unwrap();
        // The regularisation takes a part in a hundred.
        let a = isochoric(a);
        for k in 0..3 {
            let [x, y, z, carries] = found[center].rows[k];
            assert!((Vec3::new(x, y, z) - a.row(k)).length() < 0.003, "{:?}", found[center]);
            assert_eq!(carries, 0.0);
        }
    }

    #[test]
    fn only_surroundings_in_which_something_moves_deform() {
        let guides =
            lattice(9, |x| if x.x < 3.0 { Vec3::new(0.0, 0.1 * x.x + 0.1, 0.0) } else { Vec3::ZERO });
        let (grid, found) = deformed(guides.clone(), Instructions::best());
        for (guide, found) in grid.guide.iter().zip(&found) {
            let near = guide.position[0] < 2.0 + grid.support;
            assert_eq!(*found != Deformation::default(), near, "{guide:?}");
        }
        for instructions in Instructions::ALL.into_iter().filter(|set| set.available()) {
            assert!(deformed(guides.clone(), instructions).1 == found, "{}", instructions.name());
        }
    }

    #[test]
    fn a_lone_guide_carries_its_grains_and_does_not_deform() {
        let alone = Guide { displacement: [0.1, 0.0, 0.0], moves: 1.0, ..Guide::default() };
        let (_, found) = deformed(vec![alone], Instructions::best());
        assert_eq!(found, [Deformation { rows: [[0.0, 0.0, 0.0, 1.0], [0.0; 4], [0.0; 4]] }]);
    }
}
