//! Triangle meshes that are handed over once and drawn many times, each time somewhere else.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Vec3};

use crate::RenderError;
use crate::camera::Bounds;
use crate::primitives::{Vertex, pack_color};

/// Triangles in the axes of a body.
///
/// A device keeps its copy for as long as the mesh is held by anybody, so that a body of many triangles is uploaded once
/// for a whole video.
#[derive(Debug)]
pub struct Mesh {
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
    bounds: Bounds,
}

impl Mesh {
    /// A mesh of corners with normals and colours; the front of a triangle is where its corners run counter-clockwise.
    ///
    /// # Errors
    /// Says which triangle has a corner that does not exist, or which corner is not finite. A mesh needs a triangle.
    pub fn new(vertices: Vec<Vertex>, triangles: Vec<[u32; 3]>) -> Result<Arc<Self>, RenderError> {
        let wrong = |triangle: &[u32; 3]| triangle.iter().any(|corner| *corner as usize >= vertices.len());
        if let Some(index) = triangles.iter().position(wrong) {
            return Err(RenderError::Triangle { index, corners: vertices.len() });
        }
        let finite = |vertex: &Vertex| {
            Vec3::from(vertex.position).is_finite() && Vec3::from(vertex.normal).is_finite()
        };
        if let Some(index) = vertices.iter().position(|vertex| !finite(vertex)) {
            return Err(RenderError::Corner { index });
        }
        let points = triangles.iter().flatten().map(|corner| vertices[*corner as usize].position);
        let bounds = Bounds::of_points(points.map(Vec3::from)).ok_or(RenderError::EmptyMesh)?;
        Ok(Arc::new(Self { vertices, triangles, bounds }))
    }

    /// A white mesh of bare positions \[m\]; edges sharper than the crease angle \[radians\] stay sharp, others are
    /// rounded.
    ///
    /// A corner's normal is the mean of the normals around its position that differ from its own triangle's by less
    /// than the crease angle, weighted by area.
    ///
    /// # Errors
    /// As [`Mesh::new`].
    pub fn from_positions(
        positions: &[[f32; 3]],
        triangles: &[[u32; 3]],
        crease_radians: f32,
    ) -> Result<Arc<Self>, RenderError> {
        let wrong = |triangle: &[u32; 3]| triangle.iter().any(|corner| *corner as usize >= positions.len());
        if let Some(index) = triangles.iter().position(wrong) {
            return Err(RenderError::Triangle { index, corners: positions.len() });
        }
        let area = |[a, b, c]: &[u32; 3]| {
            let [a, b, c] = [a, b, c].map(|corner| Vec3::from(positions[*corner as usize]));
            (b - a).cross(c - a)
        };
        let areas: Vec<Vec3> = triangles.iter().map(area).collect();
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); positions.len()];
        for (corner, triangle) in triangles.iter().zip(0..).flat_map(|(t, k)| t.map(|corner| (corner, k))) {
            around[corner as usize].push(triangle);
        }
        let (white, least) = (pack_color(Vec3::ONE, 1.0), crease_radians.cos());
        let corner = |own: Vec3, corner: u32| {
            let faces = around[corner as usize].iter().map(|face| areas[*face as usize]);
            let near = faces.filter(|area| area.normalize_or_zero().dot(own) >= least);
            let normal = near.sum::<Vec3>().normalize_or(own);
            Vertex {
                position: positions[corner as usize],
                color: white,
                normal: normal.to_array(),
                unused: 0,
            }
        };
        let vertices = triangles.iter().zip(&areas).flat_map(|(triangle, area)| {
            let own = area.normalize_or(Vec3::Y);
            triangle.map(|index| corner(own, index))
        });
        let numbers = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
        Self::new(vertices.collect(), numbers.collect())
    }

    /// The corners.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// The triangles, as numbers of corners.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The box around the mesh in its own axes \[m\].
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }
}

/// A mesh somewhere in the world.
#[derive(Clone, Debug)]
pub struct MeshInstance {
    /// The mesh.
    pub mesh: Arc<Mesh>,
    /// From the mesh's axes to the world: a rotation and a shift.
    pub world_from_body: Affine3A,
    /// Linear colour; the corners' own colours are multiplied by it.
    pub color: Vec3,
    /// 1 is solid: it casts and receives shadows. Below, the mesh is transparent and casts none.
    pub opacity: f32,
}

impl MeshInstance {
    /// Whether nothing is seen through it.
    pub fn is_opaque(&self) -> bool {
        self.opacity >= 1.0
    }

    /// The box around it in the world \[m\].
    pub fn bounds(&self) -> Bounds {
        let corners = self.mesh.bounds.corners();
        let placed = corners.map(|corner| self.world_from_body.transform_point3(corner));
        Bounds::of_points(placed.into_iter()).unwrap_or(self.mesh.bounds)
    }

    /// Whether pose, colour and opacity are numbers that can be drawn.
    pub(crate) fn is_sound(&self) -> bool {
        self.world_from_body.is_finite() && self.color.is_finite() && (0.0..=1.0).contains(&self.opacity)
    }

    /// As the device takes it.
    pub(crate) fn row(&self) -> InstanceRow {
        let matrix = self.world_from_body.matrix3.transpose();
        let shift = self.world_from_body.translation;
        let row = |axis: usize| [matrix.col(axis).x, matrix.col(axis).y, matrix.col(axis).z, shift[axis]];
        InstanceRow { x: row(0), y: row(1), z: row(2), color: self.color.extend(self.opacity).to_array() }
    }
}

/// An instance on the device: the rows of its transform, and its colour.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct InstanceRow {
    x: [f32; 4],
    y: [f32; 4],
    z: [f32; 4],
    color: [f32; 4],
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;

    /// A cube of side 1 at the origin, 12 triangles over 8 positions.
    fn cube() -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let bounds = Bounds { min: Vec3::ZERO, max: Vec3::ONE };
        let positions = bounds.corners().map(|corner| corner.to_array()).to_vec();
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        (positions, triangles)
    }

    #[test]
    fn creases_stay_sharp_and_soft_edges_are_rounded() {
        let (positions, triangles) = cube();
        let sharp = Mesh::from_positions(&positions, &triangles, 0.5).unwrap();
        let middle = Vec3::splat(0.5);
        for vertex in sharp.vertices() {
            let normal = Vec3::from(vertex.normal);
            assert_eq!(normal.abs().max_element(), 1.0, "along an axis");
            assert!(normal.dot(Vec3::from(vertex.position) - middle) > 0.0, "outward");
        }
        let round = Mesh::from_positions(&positions, &triangles, 3.0).unwrap();
        assert!(round.vertices().iter().all(|vertex| Vec3::from(vertex.normal).abs().max_element() < 0.9));
    }

    #[test]
    fn wrong_corners_and_empty_meshes_are_refused() {
        let (mut positions, mut triangles) = cube();
        assert!(matches!(Mesh::from_positions(&positions, &[], 0.5), Err(RenderError::EmptyMesh)));
        triangles[3][1] = 8;
        let error = Mesh::from_positions(&positions, &triangles, 0.5).unwrap_err().to_string();
        assert!(error.contains("triangle 3") && error.contains('8'), "{error}");
        triangles[3][1] = 7;
        positions[0][2] = f32::NAN;
        assert!(matches!(Mesh::from_positions(&positions, &triangles, 0.5), Err(RenderError::Corner { .. })));
    }

    #[test]
    fn instances_know_their_place() {
        let (positions, triangles) = cube();
        let mesh = Mesh::from_positions(&positions, &triangles, 0.5).unwrap();
        let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let world_from_body = Affine3A::from_rotation_translation(turn, Vec3::new(5.0, 0.0, 2.0));
        let instance = MeshInstance { mesh, world_from_body, color: Vec3::ONE, opacity: 1.0 };
        let bounds = instance.bounds();
        assert!(bounds.min.distance(Vec3::new(4.0, 0.0, 2.0)) < 1e-6);
        assert!(bounds.max.distance(Vec3::new(5.0, 1.0, 3.0)) < 1e-6);
        let row = instance.row();
        assert!((Vec3::from_slice(&row.x).dot(Vec3::Y) + row.x[3] - 4.0).abs() < 1e-6, "(0, 1, 0) -> x = 4");
    }
}
