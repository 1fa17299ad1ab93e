//! Triangles of a distance function's zero surface: naive surface nets (Gibson 1998).

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{UVec3, Vec3};
use granule::boundary::Sdf;
use granule_render::{Bounds, Mesh, Vertex, pack_color};

/// Cells along the longest side of the region.
const CELLS: f32 = 56.0;

/// A grid of distances.
struct Grid {
    origin: Vec3,
    spacing: f32,
    cells: UVec3,
}

impl Grid {
    fn over(bounds: &Bounds) -> Self {
        let size = bounds.max - bounds.min;
        let spacing = (size.max_element() / CELLS).max(1e-6);
        let cells = (size / spacing).ceil().as_uvec3().max(UVec3::ONE);
        Self { origin: bounds.min, spacing, cells }
    }

    fn node(&self, node: UVec3) -> Vec3 {
        self.origin + node.as_vec3() * self.spacing
    }

    fn distances(&self, sdf: &Sdf) -> Vec<f32> {
        let nodes = self.cells + 1;
        let all = (0..nodes.z)
            .flat_map(|z| (0..nodes.y).flat_map(move |y| (0..nodes.x).map(move |x| UVec3::new(x, y, z))));
        all.map(|node| sdf.distance(self.node(node))).collect()
    }

    fn index(&self, node: UVec3) -> usize {
        let nodes = self.cells + 1;
        ((node.z * nodes.y + node.y) * nodes.x + node.x) as usize
    }
}

/// The part of a solid's surface inside a region; `None` where there is none.
///
/// Every cell whose corners are on both sides of the surface gets a point, moved onto the surface along its normal;
/// every edge of the grid that the surface crosses joins the points of the four cells around it.
pub fn surface(sdf: &Sdf, region: &Bounds) -> Option<Arc<Mesh>> {
    let grid = Grid::over(region);
    let distances = grid.distances(sdf);
    let inside = |node: UVec3| distances[grid.index(node)] < 0.0;
    let mut vertices = Vec::new();
    let mut numbers: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let mut point = |cell: UVec3| {
        *numbers.entry(cell.to_array()).or_insert_with(|| {
            vertices.push(on_surface(sdf, &grid, cell));
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::new();
    for z in 0..grid.cells.z {
        for y in 0..grid.cells.y {
            for x in 0..grid.cells.x {
                let node = UVec3::new(x, y, z);
                for axis in 0..3 {
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    let along = unit(axis);
                    if node[u] == 0 || node[v] == 0 || inside(node) == inside(node + along) {
                        continue;
                    }
                    let quad =
                        [node, node - unit(u), node - unit(u) - unit(v), node - unit(v)].map(&mut point);
                    triangles.extend([[0, 1, 2], [0, 2, 3]].map(|corners| corners.map(|k| quad[k])));
                }
            }
        }
    }
    Mesh::new(vertices, triangles).ok()
}

fn unit(axis: usize) -> UVec3 {
    UVec3::from_array(std::array::from_fn(|k| u32::from(k == axis)))
}

/// The middle of a cell, moved onto the surface.
fn on_surface(sdf: &Sdf, grid: &Grid, cell: UVec3) -> Vertex {
    let mut place = grid.node(cell) + 0.5 * grid.spacing;
    let mut normal = Vec3::Y;
    for _ in 0..3 {
        let nearest = sdf.nearest(place);
        normal = nearest.normal;
        place -= nearest.distance.clamp(-grid.spacing, grid.spacing) * normal;
    }
    Vertex { position: place.into(), color: pack_color(Vec3::ONE, 1.0), normal: normal.into(), unused: 0 }
}

#[cfg(test)]
mod tests {
    use granule::boundary::Shape;

    use super::*;

    #[test]
    fn a_balls_surface_lies_on_the_ball_and_is_closed() {
        let sdf = Sdf::new(&Shape::Sphere { center: [0.1, 0.0, 0.0], radius: 0.5, hollow: false }).unwrap();
        let region = Bounds { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) };
        let mesh = surface(&sdf, &region).unwrap();
        let center = Vec3::new(0.1, 0.0, 0.0);
        let mut area = 0.0;
        for corners in mesh.triangles() {
            let [a, b, c] = corners.map(|corner| Vec3::from(mesh.vertices()[corner as usize].position));
            assert!((a.distance(center) - 0.5).abs() < 1e-4);
            area += 0.5 * (b - a).cross(c - a).length();
        }
        let exact = std::f32::consts::PI;
        assert!((area / exact - 1.0).abs() < 0.02, "{area} instead of {exact}");
        let far = Bounds { min: Vec3::splat(3.0), max: Vec3::splat(4.0) };
        assert!(surface(&sdf, &far).is_none());
    }
}
