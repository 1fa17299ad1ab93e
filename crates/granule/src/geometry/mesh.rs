//! Triangles, with what a renderer needs beside them.

use glam::{DVec3, Mat4, Quat, Vec3};

use super::error::MeshError;

/// Largest magnitude of a coordinate \[m\]; squares of it still fit into single precision.
pub const MOST_COORDINATE: f32 = 1e9;
/// Most triangles of a mesh.
pub const MOST_TRIANGLES: usize = 50_000_000;

/// A mesh of triangles, counter-clockwise when seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertices \[m\].
    pub position: Vec<Vec3>,
    /// Three vertices each.
    pub triangle: Vec<[u32; 3]>,
    /// Texture coordinates of every vertex, the origin in the upper left corner; empty where there are none.
    pub uv: Vec<[f32; 2]>,
    /// Surfaces that `triangle_material` refers to.
    pub material: Vec<MeshMaterial>,
    /// Index into `material` for every triangle; empty where there are no materials.
    pub triangle_material: Vec<u32>,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshMaterial {
    /// Name in the file; may be empty.
    pub name: String,
    /// Linear RGB and opacity; multiplies the texture where there is one.
    pub base_color: [f32; 4],
    /// Texture of the base colour.
    pub texture: Option<MeshTexture>,
}

/// A picture as it stands in a file, still encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshTexture {
    /// Media type, e.g. `image/png`.
    pub media_type: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest corner \[m\].
    pub min: Vec3,
    /// Largest corner \[m\].
    pub max: Vec3,
}

impl Bounds {
    /// The box that contains nothing and grows with [`include`](Self::include).
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Grows to contain a point [m].
    #[inline]
    pub fn include(&mut self, point: Vec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    /// The smallest box that contains both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box with every face moved outwards [m].
    pub fn grown(self, by: f32) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    /// Edge lengths [m].
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Middle [m].
    pub fn center(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// Whether a point lies inside or on the surface.
    pub fn contains(&self, point: Vec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// Squared distance of a point from the box [m2], 0 inside.
    #[inline]
    pub fn distance_squared(&self, point: Vec3) -> f32 {
        (self.min - point).max(point - self.max).max(Vec3::ZERO).length_squared()
    }
}

impl TriangleMesh {
    /// A mesh without materials.
    pub fn new(position: Vec<Vec3>, triangle: Vec<[u32; 3]>) -> Self {
        Self { position, triangle, ..Self::default() }
    }

    /// The corners of a triangle [m].
    #[inline]
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangle[triangle].map(|vertex| self.position[vertex as usize])
    }

    /// The smallest box around all vertices that triangles use; `None` without triangles.
    pub fn bounds(&self) -> Option<Bounds> {
        let mut bounds = Bounds::EMPTY;
        for vertex in self.triangle.iter().flatten() {
            bounds.include(self.position[*vertex as usize]);
        }
        (!self.triangle.is_empty()).then_some(bounds)
    }

    /// Area of all triangles [m2].
    pub fn area(&self) -> f64 {
        (0..self.triangle.len())
            .map(|triangle| {
                let [a, b, c] = self.corners(triangle).map(Vec3::as_dvec3);
                0.5 * (b - a).cross(c - a).length()
            })
            .sum()
    }

    /// Enclosed volume [m3], negative where triangles face inwards; meaningless unless closed.
    pub fn signed_volume(&self) -> f64 {
        let Some(bounds) = self.bounds() else { return 0.0 };
        let center = bounds.center().as_dvec3();
        (0..self.triangle.len())
            .map(|triangle| {
                let [a, b, c] = self.corners(triangle).map(|corner| corner.as_dvec3() - center);
                a.dot(b.cross(c)) / 6.0
            })
            .sum()
    }

    /// Moves, turns and scales all vertices; a mirroring transform turns the triangles over.
    pub fn transform(&mut self, transform: Mat4) {
        for position in &mut self.position {
            *position = transform.transform_point3(*position);
        }
        if transform.determinant() < 0.0 {
            self.flip();
        }
    }

    /// Turns, then moves all vertices [m].
    pub fn place(&mut self, rotation: Quat, translation: Vec3) {
        self.transform(Mat4::from_rotation_translation(rotation, translation));
    }

    /// Exchanges inside and outside.
    pub fn flip(&mut self) {
        for triangle in &mut self.triangle {
            triangle.swap(1, 2);
        }
    }

    /// Adds the triangles of another mesh; its appearance is dropped where this mesh has none.
    pub fn append(&mut self, other: &Self) {
        let first = self.position.len() as u32;
        self.position.extend_from_slice(&other.position);
        self.triangle.extend(other.triangle.iter().map(|triangle| triangle.map(|vertex| vertex + first)));
        if !self.uv.is_empty() {
            self.uv.resize(self.position.len(), [0.0; 2]);
        }
        if !self.triangle_material.is_empty() {
            self.triangle_material.resize(self.triangle.len(), 0);
        }
    }

    /// Refuses meshes without triangles, with vertices that are not there or not finite.
    pub fn check(&self) -> Result<(), MeshError> {
        if self.triangle.is_empty() {
            return Err(MeshError::NoTriangles);
        }
        if self.triangle.len() > MOST_TRIANGLES {
            return Err(MeshError::TooManyTriangles { most: MOST_TRIANGLES });
        }
        let far = |position: &Vec3| position.is_nan() || position.abs().max_element() > MOST_COORDINATE;
        if let Some(vertex) = self.position.iter().position(far) {
            let position = self.position[vertex].into();
            return Err(MeshError::Coordinate { vertex, position, most: MOST_COORDINATE });
        }
        let count = self.position.len();
        for (triangle, vertices) in self.triangle.iter().enumerate() {
            if let Some(&vertex) = vertices.iter().find(|vertex| **vertex as usize >= count) {
                return Err(MeshError::Index { triangle, vertex, count });
            }
        }
        Ok(())
    }
}

/// Normal of a triangle times twice its area, in double precision.
pub(super) fn area_vector([a, b, c]: [Vec3; 3]) -> DVec3 {
    let [a, b, c] = [a, b, c].map(Vec3::as_dvec3);
    (b - a).cross(c - a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes;

    #[test]
    fn a_box_has_its_area_volume_and_bounds_wherever_it_is() {
        let mut mesh = shapes::cuboid(Vec3::new(1.0, 2.0, 3.0));
        mesh.place(Quat::IDENTITY, Vec3::splat(100.0));
        assert!((mesh.area() - 22.0).abs() < 1e-3, "{}", mesh.area());
        assert!((mesh.signed_volume() - 6.0).abs() < 1e-3, "{}", mesh.signed_volume());
        assert_eq!(mesh.bounds().unwrap().size(), Vec3::new(1.0, 2.0, 3.0));
    }

    #[test]
    fn mirroring_keeps_the_outside_outside() {
        let mut mesh = shapes::cuboid(Vec3::ONE);
        mesh.transform(Mat4::from_scale(Vec3::new(-2.0, 1.0, 1.0)));
        assert!((mesh.signed_volume() - 2.0).abs() < 1e-6);
    }

    #[test]
    fn broken_meshes_are_refused() {
        let corner = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let mesh =
            |position: &[Vec3], triangle: &[[u32; 3]]| TriangleMesh::new(position.into(), triangle.into());
        assert!(matches!(mesh(&corner, &[]).check(), Err(MeshError::NoTriangles)));
        assert!(matches!(mesh(&corner, &[[0, 1, 3]]).check(), Err(MeshError::Index { vertex: 3, .. })));
        for bad in [f32::NAN, f32::INFINITY, 2e9] {
            let moved = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, bad, 0.0)];
            let result = mesh(&moved, &[[0, 1, 2]]).check();
            assert!(matches!(result, Err(MeshError::Coordinate { vertex: 2, .. })), "{bad}");
        }
        mesh(&corner, &[[0, 1, 2]]).check().unwrap();
    }
}
