//! Surfaces of solids as meshes to draw.

use std::sync::Arc;

use glam::Vec3;
use granule::boundary::Sdf;
use granule_render::{Bounds, Mesh, Vertex, pack_color};

/// Cells along the longest side of a wall.
pub(crate) const WALL_CELLS: f32 = 56.0;

/// The part of a solid's surface inside a region, with cells of a share of its longest side; `None` where there is none.
pub(crate) fn surface(sdf: &Sdf, region: &Bounds, cells: f32) -> Option<Arc<Mesh>> {
    let mesh = sdf.surface_mesh((region.min, region.max), cells);
    let color = pack_color(Vec3::ONE, 1.0);
    let corners = mesh.position.iter().zip(&mesh.normal);
    let vertices = corners.map(|(position, normal)| Vertex {
        position: position.to_array(),
        color,
        normal: normal.to_array(),
        unused: 0,
    });
    Mesh::new(vertices.collect(), mesh.triangle).ok()
}
