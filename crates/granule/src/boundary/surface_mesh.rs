//! Triangles of a solid's surface: naive surface nets (Gibson 1998).

use std::collections::BTreeMap;

use glam::{UVec3, Vec3};

use super::sdf::Sdf;

/// Triangles that follow a solid's surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Corners \[m\].
    pub position: Vec<Vec3>,
    /// Unit normals out of the solid, one per corner.
    pub normal: Vec<Vec3>,
    /// Corners of each triangle, anticlockwise seen from outside.
    pub triangle: Vec<[u32; 3]>,
}

/// A grid of distances.
struct Grid<'a> {
    sdf: &'a Sdf,
    origin: Vec3,
    spacing: f32,
    cells: UVec3,
}

impl Grid<'_> {
    fn node(&self, node: UVec3) -> Vec3 {
        self.origin + node.as_vec3() * self.spacing
    }

    fn distances(&self) -> Vec<f32> {
        let nodes = self.cells + 1;
        let all = (0..nodes.z)
            .flat_map(|z| (0..nodes.y).flat_map(move |y| (0..nodes.x).map(move |x| UVec3::new(x, y, z))));
        all.map(|node| self.sdf.distance(self.node(node))).collect()
    }

    fn index(&self, node: UVec3) -> usize {
        let nodes = self.cells + 1;
        ((node.z * nodes.y + node.y) * nodes.x + node.x) as usize
    }

    /// The middle of a cell, moved onto the surface, and the normal there.
    fn on_surface(&self, cell: UVec3) -> (Vec3, Vec3) {
        let mut place = self.node(cell) + 0.5 * self.spacing;
        let mut normal = Vec3::Y;
        for _ in 0..3 {
            let nearest = self.sdf.nearest(place);
            normal = nearest.normal;
            place -= nearest.distance.clamp(-self.spacing, self.spacing) * normal;
        }
        (place, normal)
    }
}

impl Sdf {
    /// The part of the surface inside a region, as triangles, with about `cells` of them along its longest side.
    ///
    /// Every cell whose corners are on both sides of the surface gets a point, moved onto the surface along its normal;
    /// every edge of the grid that the surface crosses joins the points of the four cells around it. A solid that lies
    /// in the region with room to spare gives a closed surface.
    pub fn surface_mesh(&self, (min, max): (Vec3, Vec3), cells: f32) -> SurfaceMesh {
        let spacing = ((max - min).max_element() / cells).max(1e-6);
        // Two cells of room, so that surfaces at the region's edge are closed.
        let (min, max) = (min - 2.0 * spacing, max + 2.0 * spacing);
        let cells = ((max - min) / spacing).ceil().as_uvec3().max(UVec3::ONE);
        let grid = Grid { sdf: self, origin: min, spacing, cells };
        let distances = grid.distances();
        let inside = |node: UVec3| distances[grid.index(node)] < 0.0;
        let mut mesh = SurfaceMesh::default();
        let mut known: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        let mut point = |cell: UVec3, mesh: &mut SurfaceMesh| {
            *known.entry(cell.to_array()).or_insert_with(|| {
                let (place, normal) = grid.on_surface(cell);
                mesh.position.push(place);
                mesh.normal.push(normal);
                mesh.position.len() as u32 - 1
            })
        };
        for z in 0..grid.cells.z {
            for y in 0..grid.cells.y {
                for x in 0..grid.cells.x {
                    let node = UVec3::new(x, y, z);
                    for axis in 0..3 {
                        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                        if node[u] == 0 || node[v] == 0 || inside(node) == inside(node + unit(axis)) {
                            continue;
                        }
                        let [a, b, c, d] = [node, node - unit(u), node - unit(u) - unit(v), node - unit(v)]
                            .map(|cell| point(cell, &mut mesh));
                        let outwards = inside(node);
                        mesh.triangle.extend(if outwards {
                            [[a, b, c], [a, c, d]]
                        } else {
                            [[a, c, b], [a, d, c]]
                        });
                    }
                }
            }
        }
        mesh
    }
}

fn unit(axis: usize) -> UVec3 {
    UVec3::from_array(std::array::from_fn(|k| u32::from(k == axis)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Shape;

    #[test]
    fn a_balls_surface_is_closed_and_faces_outwards() {
        let center = Vec3::new(0.1, 0.0, 0.0);
        let sdf = Sdf::new(&Shape::Sphere { center: center.into(), radius: 0.5, hollow: false }).unwrap();
        let mesh = sdf.surface_mesh(sdf.bounds().unwrap(), 40.0);
        let (mut area, mut volume) = (0.0, 0.0);
        for triangle in &mesh.triangle {
            let [a, b, c] = triangle.map(|corner| mesh.position[corner as usize] - center);
            assert!((a.length() - 0.5).abs() < 1e-4);
            area += 0.5 * (b - a).cross(c - a).length();
            volume += a.dot(b.cross(c)) / 6.0;
        }
        let (exact_area, exact_volume) = (std::f32::consts::PI, std::f32::consts::PI / 6.0);
        assert!((area / exact_area - 1.0).abs() < 0.02, "{area} instead of {exact_area}");
        assert!((volume / exact_volume - 1.0).abs() < 0.02, "{volume} instead of {exact_volume}");
    }
}
