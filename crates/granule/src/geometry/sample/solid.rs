//! What samplers ask of a solid.

use glam::Vec3;
use rayon::prelude::*;

use crate::geometry::bvh::MeshTree;
use crate::geometry::distance::DistanceField;
use crate::geometry::error::FieldError;
use crate::geometry::mesh::{Bounds, TriangleMesh};

/// A bounded solid.
pub trait Solid: Sync {
    /// A box around it.
    fn bounds(&self) -> Bounds;

    /// Signed distance \[m\], negative inside, and the direction out of the solid: exact where the distance is above
    /// `from` \[m\], any value below `from` elsewhere.
    fn sample(&self, point: Vec3, from: f32) -> (f32, Vec3);

    /// Volume \[m3\].
    fn volume(&self) -> f64 {
        volume_on_grid(self)
    }
}

/// Nodes along the longest side when a volume is measured on a grid.
const VOLUME_NODES: f32 = 128.0;

/// Volume by counting nodes, those near the surface in part.
fn volume_on_grid(solid: &(impl Solid + ?Sized)) -> f64 {
    let bounds = solid.bounds();
    let cell = bounds.size().max_element() / VOLUME_NODES;
    let count = (bounds.size() / cell).ceil().max(Vec3::ONE);
    // Cells that divide the box evenly, each with its own node in the middle.
    let step = bounds.size() / count;
    let (x, y, z) = (count.x as usize, count.y as usize, count.z as usize);
    let widest = step.length();
    let layers: Vec<f64> = (0..z)
        .into_par_iter()
        .map(|k| {
            let nodes = (0..y).flat_map(|j| (0..x).map(move |i| Vec3::new(i as f32, j as f32, k as f32)));
            nodes
                .map(|node| {
                    let (distance, normal) = solid.sample(bounds.min + step * (node + 0.5), -widest);
                    // Exact where a face of the box is a face of the solid.
                    let width = normal.abs().dot(step).max(1e-30);
                    f64::from((0.5 - distance / width).clamp(0.0, 1.0))
                })
                .sum()
        })
        .collect();
    layers.iter().sum::<f64>() * f64::from(step.x * step.y * step.z)
}

/// A closed mesh: a field for what is deep inside, the triangles themselves near the surface.
#[derive(Debug)]
pub struct MeshSolid {
    bounds: Bounds,
    volume: f64,
    tree: MeshTree,
    field: DistanceField,
}

impl MeshSolid {
    /// Cells of the field along the longest side, at most.
    const MOST_CELLS: f32 = 128.0;

    /// Prepares a sound mesh, see [`solid`](crate::geometry::solid()), for spheres of about `radius` [m].
    pub fn new(mesh: &TriangleMesh, radius: f32) -> Result<Self, FieldError> {
        let bounds = mesh.bounds().ok_or(FieldError::NoTriangles)?;
        let tree = MeshTree::new(mesh);
        let cell = (0.5 * radius).max(bounds.size().max_element() / Self::MOST_CELLS);
        let field = DistanceField::with_tree(mesh, &tree, cell, 0.0)?;
        Ok(Self { bounds, volume: mesh.signed_volume(), tree, field })
    }

    /// The triangles.
    pub fn tree(&self) -> &MeshTree {
        &self.tree
    }
}

impl Solid for MeshSolid {
    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn sample(&self, point: Vec3, from: f32) -> (f32, Vec3) {
        let (coarse, direction) = self.field.sample(point);
        // Interpolation errs by half a cell at most.
        if coarse < from - 0.6 * self.field.grid().cell {
            return (coarse, direction);
        }
        let (distance, nearest, _) = self.tree.signed(point, 0);
        let away = (point - nearest.point) * distance.signum();
        let normal = away.try_normalize().unwrap_or_else(|| nearest.pseudonormal.normalize_or_zero());
        (distance, normal)
    }

    fn volume(&self) -> f64 {
        self.volume
    }
}
