//! Signed distance to a mesh on a grid.

use glam::{UVec3, Vec3};
use rayon::prelude::*;

use super::bvh::MeshTree;
use super::error::FieldError;
use super::grid::Grid;
use super::mesh::TriangleMesh;

/// Differences shorter than this have lost their direction (the point lies between walls) and are not stretched.
const LEAST_SLOPE: f32 = 0.25;

/// Signed distance on the nodes of a grid, negative inside the solid: exact at every node, for the whole grid.
///
/// Between nodes it is interpolated with the knowledge that distances have slopes of one (see [`Grid::smooth`]): within
/// 0.1 cells more than a cell away from points that have several nearest ones, within 0.5 cells elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceField {
    grid: Grid,
    /// Signed distances at the nodes \[m\].
    value: Vec<f32>,
}

impl DistanceField {
    /// The field of a mesh with nodes `cell` [m] apart, reaching at least `padding` [m] (and two cells) beyond it.
    ///
    /// Sign: pseudonormals for watertight meshes, winding numbers for others. Meshes should be [repaired](super::repair())
    /// before; those that are inside out have their solid outside.
    pub fn new(mesh: &TriangleMesh, cell: f32, padding: f32) -> Result<Self, FieldError> {
        Self::with_tree(mesh, &MeshTree::new(mesh), cell, padding)
    }

    /// [`new`](Self::new), with the tree of the mesh.
    pub fn with_tree(
        mesh: &TriangleMesh,
        tree: &MeshTree,
        cell: f32,
        padding: f32,
    ) -> Result<Self, FieldError> {
        Self::on_grid(tree, Grid::around(mesh.bounds().ok_or(FieldError::NoTriangles)?, cell, padding)?)
    }

    /// The field at the nodes of a grid that contains the mesh.
    pub(super) fn on_grid(tree: &MeshTree, grid: Grid) -> Result<Self, FieldError> {
        grid.check()?;
        let mut value = vec![0.0; grid.node_count()];
        value.par_chunks_mut(grid.nodes.x as usize).enumerate().for_each(|(row, values)| {
            let first = grid.position(grid.node(row * values.len()));
            fill_row(tree, first, grid.cell, values);
        });
        Ok(Self { grid, value })
    }

    /// A field from its parts, as read from a file.
    pub(super) fn from_parts(grid: Grid, value: Vec<f32>) -> Self {
        Self { grid, value }
    }

    /// The nodes.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Signed distances at the nodes [m], x fastest.
    pub fn values(&self) -> &[f32] {
        &self.value
    }

    /// Signed distance [m] at a point; outside the grid a lower bound of it.
    #[inline]
    pub fn distance(&self, point: Vec3) -> f32 {
        self.sample(point).0
    }

    /// Signed distance [m] and the direction in which it grows, continuous everywhere. The direction is shorter than
    /// one where walls face each other; normalise it for a normal.
    #[inline]
    pub fn sample(&self, point: Vec3) -> (f32, Vec3) {
        sample(&self.grid, |k| self.value[k], point)
    }

    /// Every `step`-th node of the field along each axis, from the first on.
    pub(super) fn thinned(&self, step: u32) -> Self {
        let nodes = (self.grid.nodes - UVec3::ONE) / step + UVec3::ONE;
        let grid = Grid { origin: self.grid.origin, cell: self.grid.cell * step as f32, nodes };
        let value =
            (0..grid.node_count()).map(|k| self.value[self.grid.index(step * grid.node(k))]).collect();
        Self { grid, value }
    }
}

/// Signed distance and its direction from distances at nodes, wherever the point is.
///
/// The mesh lies inside the grid's box, and for the point `q` of a convex box nearest to `p` and any point `s` of the
/// box, `|p - s|^2 >= |p - q|^2 + |q - s|^2`. Beyond the grid the distance therefore is at least
/// `sqrt(|p - q|^2 + d(q)^2)`, which continues `d` without a jump.
#[inline]
pub(super) fn sample(grid: &Grid, value: impl Fn(usize) -> f32, point: Vec3) -> (f32, Vec3) {
    let bounds = grid.bounds();
    let inside = point.clamp(bounds.min, bounds.max);
    let slope = |node| unit_slope(grid.difference(&value, node));
    let (distance, direction) = grid.smooth(&value, slope, inside);
    let offset = point - inside;
    if offset == Vec3::ZERO {
        return (distance, direction);
    }
    let whole = distance.hypot(offset.length());
    let away = offset + distance * direction;
    (whole, away / whole.max(away.length()))
}

/// Distances have slopes of one; differences across kinks are shorter.
#[inline]
fn unit_slope(difference: Vec3) -> Vec3 {
    let length = difference.length();
    if length > LEAST_SLOPE { difference / length } else { difference }
}

/// Signed distances along a row of nodes.
fn fill_row(tree: &MeshTree, first: Vec3, cell: f32, values: &mut [f32]) {
    let mut hint = 0;
    let mut before: Option<f32> = None;
    for (k, value) in values.iter_mut().enumerate() {
        let point = first + Vec3::new(k as f32 * cell, 0.0, 0.0);
        match before {
            // No surface between the two: the sign, which costs more than the distance on open meshes, is the same.
            Some(before) if !tree.watertight() && before.abs() > 1.001 * cell => {
                let (nearest, next) = tree.nearest(point, hint);
                hint = next;
                *value = nearest.distance.copysign(before);
            }
            _ => {
                let (distance, _, next) = tree.signed(point, hint);
                hint = next;
                *value = distance;
            }
        }
        before = Some(*value);
    }
}

#[cfg(test)]
mod tests;
