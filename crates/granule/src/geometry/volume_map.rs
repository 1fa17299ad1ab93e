//! Distance and wall integral of a solid on one grid.

use glam::{IVec3, UVec3, Vec3};
use rayon::prelude::*;

use super::bvh::MeshTree;
use super::distance::{self, DistanceField};
use super::error::FieldError;
use super::grid::Grid;
use super::mesh::TriangleMesh;
use crate::sph::{Kernel, WallTable};

/// Points of the quadrature along the support, at least.
const POINTS_PER_SUPPORT: f32 = 4.0;
/// Walls whose normals differ by more than about 20 degrees are seen as two.
const SAME_WALL: f32 = 0.94;
/// Differences shorter than this come from between two walls and are no normals.
const RELIABLE_SLOPE: f32 = 0.95;
/// A wall stands in front of another if it is so many cells before its plane.
const IN_FRONT: f32 = 0.25;

/// What a wall is to a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeSample {
    /// Signed distance \[m\], positive outside the solid.
    pub distance: f32,
    /// Direction out of the solid; normalise it for a normal.
    pub direction: Vec3,
    /// Part of the kernel that lies in the solid, 0 to 1.
    pub lambda: f32,
    /// Its gradient [1/m], towards the solid.
    pub lambda_gradient: Vec3,
}

/// Signed distance `phi` and wall integral `lambda` at the nodes of a grid, for one kernel.
///
/// ```text
/// lambda(x) = int_{phi(x') < 0} W(x - x') dx'
/// ```
///
/// is what a wall adds to the density of a particle at `x`, before the factor `fill` (density maps as in \[KB17\], see
/// [`WallTable`], which holds the same for planes). Nodes are pairs (phi, lambda) of single precision, so that a
/// graphics device can take them as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeMap {
    grid: Grid,
    support: f32,
    node: Vec<[f32; 2]>,
    /// A bit per cell, by the index of its lowest node: whether walls meet at a concave angle near it.
    concave: Vec<u32>,
}

impl VolumeMap {
    /// The cell size [m] that suits particles of a diameter [m].
    ///
    /// Contact happens at half a diameter from the wall. With cells of that size it is one cell away from the surface,
    /// where the kinks inside the solid do not reach and interpolation errs by less than 0.1 cells = 0.05 diameters
    /// even at edges; and a support of two diameters spans four cells, which resolves the wall integral to a percent.
    pub fn default_cell(diameter: f32) -> f32 {
        0.5 * diameter
    }

    /// The map of a solid for a kernel, with nodes `cell` [m] apart, two supports beyond the mesh. Cells with a
    /// concave feature within `reach` [m] are marked.
    pub fn new(mesh: &TriangleMesh, kernel: &Kernel, cell: f32, reach: f32) -> Result<Self, FieldError> {
        let bounds = mesh.bounds().ok_or(FieldError::NoTriangles)?;
        let grid = Grid::around(bounds, cell, 2.0 * kernel.support())?;
        // Where cells are too coarse for the kernel, distances at nodes between them are found for the integral only.
        let step = (POINTS_PER_SUPPORT * cell / kernel.support() * 0.999).ceil().max(1.0) as u32;
        let fine = DistanceField::on_grid(&MeshTree::new(mesh), grid.refined(step))?;
        let rule = Quadrature::new(kernel, fine.grid().cell);
        let thinned = (step > 1).then(|| fine.thinned(step));
        let field = thinned.as_ref().unwrap_or(&fine);
        let node = (0..field.values().len())
            .into_par_iter()
            .with_min_len(1024)
            .map(|k| [field.values()[k], rule.lambda(&fine, step * field.grid().node(k))])
            .collect();
        Ok(Self { grid, support: kernel.support(), node, concave: concave_cells(field, reach) })
    }

    /// A map from its parts, as read from a file.
    pub(super) fn from_parts(grid: Grid, support: f32, node: Vec<[f32; 2]>, concave: Vec<u32>) -> Self {
        Self { grid, support, node, concave }
    }

    /// The nodes' places.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Support of the kernel [m].
    pub fn support(&self) -> f32 {
        self.support
    }

    /// Distance [m] and wall integral of every node, x fastest.
    pub fn nodes(&self) -> &[[f32; 2]] {
        &self.node
    }

    /// A bit per cell, at the index of its lowest node, 32 to a word: whether a concave feature is near.
    pub fn concave_words(&self) -> &[u32] {
        &self.concave
    }

    /// Distance, direction and wall integral at a point; outside the grid the distance is a lower bound.
    #[inline]
    pub fn sample(&self, point: Vec3) -> VolumeSample {
        let (distance, direction) = self.distance(point);
        let (lambda, lambda_gradient) = self.lambda(point);
        VolumeSample { distance, direction, lambda, lambda_gradient }
    }

    /// Signed distance [m] and the direction in which it grows, see [`DistanceField::sample`].
    #[inline]
    pub fn distance(&self, point: Vec3) -> (f32, Vec3) {
        distance::sample(&self.grid, |k| self.node[k][0], point)
    }

    /// Wall integral and its gradient [1/m]; both are 0 outside the grid.
    #[inline]
    pub fn lambda(&self, point: Vec3) -> (f32, Vec3) {
        if !self.grid.bounds().contains(point) {
            return (0.0, Vec3::ZERO);
        }
        let (lambda, gradient) = self.grid.smoothest(|k| self.node[k][1], point);
        (lambda.clamp(0.0, 1.0), gradient)
    }

    /// Whether walls meet at a concave angle, or face each other, near a point; only then can there be a second wall.
    #[inline]
    pub fn concave_near(&self, point: Vec3) -> bool {
        let at = self.grid.index(self.grid.cell_of(point));
        self.grid.bounds().contains(point) && self.concave[at / 32] >> (at % 32) & 1 == 1
    }
}

/// Nodes in the ball of a kernel's support, with the table of planes for what they need not find out.
struct Quadrature {
    point: Vec<(IVec3, f32)>,
    spacing: f32,
    plane: WallTable,
}

impl Quadrature {
    fn new(kernel: &Kernel, spacing: f32) -> Self {
        let reach = (kernel.support() / spacing).ceil() as i32;
        let mut point = Vec::new();
        for z in -reach..=reach {
            for y in -reach..=reach {
                for x in -reach..=reach {
                    let offset = IVec3::new(x, y, z);
                    let weight = kernel.w(spacing * offset.as_vec3().length());
                    if weight > 0.0 {
                        point.push((offset, weight));
                    }
                }
            }
        }
        let sum: f32 = point.iter().map(|(_, weight)| weight).sum();
        point.iter_mut().for_each(|(_, weight)| *weight /= sum);
        Self { point, spacing, plane: WallTable::new(kernel, 0.5 * kernel.support()) }
    }

    /// The wall integral at a node: that of the tangent plane from its table, plus what the solid has more or less
    /// than the plane, by the same points for both, so that their errors cancel. Points are nodes, whose distances are
    /// exact.
    fn lambda(&self, field: &DistanceField, node: UVec3) -> f32 {
        let grid = field.grid();
        let distance = field.values()[grid.index(node)];
        if distance.abs() >= self.plane.support() {
            return self.plane.lambda(distance);
        }
        let normal = self.spacing * grid.difference(&|k| field.values()[k], node).normalize_or_zero();
        let inside = |phi: f32| (0.5 - phi / self.spacing).clamp(0.0, 1.0);
        let mut difference = 0.0;
        for (offset, weight) in &self.point {
            let at = (node.as_ivec3() + *offset).clamp(IVec3::ZERO, grid.nodes.as_ivec3() - 1).as_uvec3();
            let solid = inside(field.values()[grid.index(at)]);
            let plane = inside(distance + normal.dot(offset.as_vec3()));
            difference += weight * (solid - plane);
        }
        (self.plane.lambda(distance) + difference).clamp(0.0, 1.0)
    }
}

/// Marks the cells that have two walls within reach, one in front of the other and turned against it.
fn concave_cells(field: &DistanceField, reach: f32) -> Vec<u32> {
    let grid = field.grid();
    let words = grid.node_count().div_ceil(32);
    (0..words)
        .into_par_iter()
        .with_min_len(64)
        .map(|word| {
            let bits =
                (32 * word..32 * word + 32).filter(|&k| k < grid.node_count() && is_concave(field, k, reach));
            bits.fold(0, |bits, k| bits | 1 << (k % 32))
        })
        .collect()
}

fn is_concave(field: &DistanceField, cell: usize, reach: f32) -> bool {
    let grid = field.grid();
    let corner = grid.node(cell);
    // Cells end one node before the grid does.
    if (corner + UVec3::ONE).cmpge(grid.nodes).any() {
        return false;
    }
    let nearest = field.values()[cell];
    if nearest > reach + 2.0 * grid.cell || nearest < -2.0 * grid.cell {
        return false;
    }
    let center = grid.position(corner) + 0.5 * grid.cell;
    let walls = || walls_near(field, corner, center, reach);
    let own = walls().min_by(|a, b| a.0.distance_squared(center).total_cmp(&b.0.distance_squared(center)));
    let Some((foot, normal)) = own else { return false };
    walls().any(|(other_foot, other_normal)| {
        normal.dot(other_normal) < SAME_WALL && (other_foot - foot).dot(normal) > IN_FRONT * grid.cell
    })
}

/// Points on the walls around a cell, at most `reach` \[m\] from its centre, with their normals: those nearest to the
/// nodes outside the solid.
fn walls_near(
    field: &DistanceField,
    corner: UVec3,
    center: Vec3,
    reach: f32,
) -> impl Iterator<Item = (Vec3, Vec3)> + '_ {
    let grid = field.grid();
    let steps = UVec3::splat((reach / grid.cell).ceil() as u32);
    let low = corner.saturating_sub(steps);
    let high = (corner + steps + UVec3::ONE).min(grid.nodes - UVec3::ONE);
    let layers = (low.z..=high.z).flat_map(move |z| (low.y..=high.y).map(move |y| (y, z)));
    layers.flat_map(move |(y, z)| (low.x..=high.x).map(move |x| UVec3::new(x, y, z))).filter_map(
        move |node| {
            let phi = field.values()[grid.index(node)];
            if phi < 0.0 || phi > reach {
                return None;
            }
            let slope = grid.difference(&|k| field.values()[k], node);
            let foot = grid.position(node) - phi * slope.normalize_or_zero();
            (slope.length() >= RELIABLE_SLOPE && foot.distance(center) <= reach)
                .then(|| (foot, slope.normalize()))
        },
    )
}

#[cfg(test)]
mod tests;
