//! What can be said about a mesh before it is used.

use serde::Serialize;

use super::mesh::TriangleMesh;
use super::topology::{DisjointSets, EdgeUse, edge_uses, is_degenerate, weld};

/// What a mesh is like. Vertices at exactly the same place count as one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshReport {
    /// Triangles.
    pub triangles: usize,
    /// Vertices as they stand in the mesh.
    pub vertices: usize,
    /// Vertices at different places.
    pub distinct_vertices: usize,
    /// Smallest corner of the bounds \[m\].
    pub min: [f32; 3],
    /// Largest corner of the bounds \[m\].
    pub max: [f32; 3],
    /// Area \[m2\].
    pub area: f64,
    /// Enclosed volume \[m3\]; negative if the mesh is inside out, meaningless if it is not closed.
    pub volume: f64,
    /// Whether every edge has as many triangles on one side as on the other, and at least one on each.
    pub closed: bool,
    /// Whether neighbouring triangles face the same side everywhere.
    pub oriented: bool,
    /// Edges of a single triangle.
    pub open_edges: usize,
    /// Edges of three or more triangles.
    pub non_manifold_edges: usize,
    /// Edges whose two triangles face different sides.
    pub inverted_edges: usize,
    /// Triangles of a closed component that is inside out although no other component surrounds it.
    pub inverted_triangles: usize,
    /// Triangles without area.
    pub degenerate_triangles: usize,
    /// Triangles whose three vertices another triangle has, too.
    pub duplicate_triangles: usize,
    /// Parts that share no edge.
    pub components: usize,
    /// Whether it can be used as a solid without repair.
    pub sound: bool,
}

/// Looks at a mesh; it must have passed [`TriangleMesh::check`].
pub fn inspect(mesh: &TriangleMesh) -> MeshReport {
    let welded = weld(&mesh.position, 0.0);
    let all: Vec<[u32; 3]> =
        mesh.triangle.iter().map(|triangle| triangle.map(|vertex| welded[vertex as usize])).collect();
    let degenerate = (0..all.len()).filter(|&triangle| is_degenerate(mesh.corners(triangle))).count();
    // Edges of collapsed triangles would count twice.
    let triangles: Vec<[u32; 3]> =
        all.iter().copied().filter(|&[a, b, c]| a != b && b != c && c != a).collect();
    let uses = edge_uses(&triangles);
    let mut sets = DisjointSets::new(triangles.len());
    let [mut open, mut shared, mut inverted] = [0; 3];
    for edge in uses.chunk_by(|a, b| a.edge == b.edge) {
        for other in &edge[1..] {
            sets.merge(edge[0].triangle, other.triangle);
        }
        match edge {
            [_] => open += 1,
            [a, b] => inverted += usize::from(a.forward == b.forward),
            _ => shared += 1,
        }
    }
    let balanced = |edge: &[EdgeUse]| 2 * edge.iter().filter(|one| one.forward).count() == edge.len();
    let closed = !uses.is_empty() && uses.chunk_by(|a, b| a.edge == b.edge).all(balanced);
    let bounds = mesh.bounds().unwrap_or(super::Bounds { min: glam::Vec3::ZERO, max: glam::Vec3::ZERO });
    let distinct = welded.iter().enumerate().filter(|(k, first)| *k == **first as usize).count();
    let duplicate = duplicates(&triangles);
    let inverted_triangles = if closed { super::repair::inside_out(mesh) } else { 0 };
    let volume = mesh.signed_volume();
    MeshReport {
        triangles: mesh.triangle.len(),
        vertices: mesh.position.len(),
        distinct_vertices: distinct,
        min: bounds.min.into(),
        max: bounds.max.into(),
        area: mesh.area(),
        volume,
        closed,
        oriented: inverted == 0,
        open_edges: open,
        non_manifold_edges: shared,
        inverted_edges: inverted,
        inverted_triangles,
        degenerate_triangles: degenerate,
        duplicate_triangles: duplicate,
        components: (0..triangles.len() as u32).filter(|&triangle| sets.find(triangle) == triangle).count(),
        sound: closed
            && shared == 0
            && inverted == 0
            && inverted_triangles == 0
            && degenerate == 0
            && volume > 0.0,
    }
}

fn duplicates(triangles: &[[u32; 3]]) -> usize {
    let mut sorted: Vec<[u32; 3]> = triangles.to_vec();
    sorted.iter_mut().for_each(|triangle| triangle.sort_unstable());
    sorted.sort_unstable();
    sorted.windows(2).filter(|pair| pair[0] == pair[1]).count()
}
