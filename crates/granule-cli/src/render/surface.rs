//! Triangles of a distance function's zero surface: naive surface nets (Gibson 1998).

use std::collections::BTreeMap;

use glam::{UVec3, Vec3};
use granule::boundary::Sdf;
use granule_render::{Bounds, Vertex};

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

/// The part of a solid's surface inside a region, as triangles of one colour.
///
/// Every cell whose corners are on both sides of the surface gets a point, moved onto the surface along its normal;
/// every edge of the grid that the surface crosses joins the points of the four cells around it.
pub fn surface(sdf: &Sdf, region: &Bounds, color: u32) -> Vec<Vertex> {
    let grid = Grid::over(region);
    let distances = grid.distances(sdf);
    let inside = |node: UVec3| distances[grid.index(node)] < 0.0;
    let mut points: BTreeMap<[u32; 3], Vertex> = BTreeMap::new();
    let mut point =
        |cell: UVec3| *points.entry(cell.to_array()).or_insert_with(|| on_surface(sdf, &grid, cell, color));
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
                    triangles.extend([0, 1, 2, 0, 2, 3].map(|k| quad[k]));
                }
            }
        }
    }
    triangles
}

fn unit(axis: usize) -> UVec3 {
    UVec3::from_array(std::array::from_fn(|k| u32::from(k == axis)))
}

/// The middle of a cell, moved onto the surface.
fn on_surface(sdf: &Sdf, grid: &Grid, cell: UVec3, color: u32) -> Vertex {
    let mut place = grid.node(cell) + 0.5 * grid.spacing;
    let mut normal = Vec3::Y;
    for _ in 0..3 {
        let nearest = sdf.nearest(place);
        normal = nearest.normal;
        place -= nearest.distance.clamp(-grid.spacing, grid.spacing) * normal;
    }
    Vertex { position: place.into(), color, normal: normal.into(), unused: 0 }
}

#[cfg(test)]
mod tests {
    use granule::boundary::Shape;

    use super::*;

    #[test]
    fn a_balls_surface_lies_on_the_ball_and_is_closed() {
        let sdf = Sdf::new(&Shape::Sphere { center: [0.1, 0.0, 0.0], radius: 0.5, hollow: false }).unwrap();
        let region = Bounds { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) };
        let triangles = surface(&sdf, &region, 0);
        let center = Vec3::new(0.1, 0.0, 0.0);
        let mut area = 0.0;
        for corners in triangles.as_chunks::<3>().0 {
            let [a, b, c] = corners.map(|corner| Vec3::from(corner.position));
            assert!((a.distance(center) - 0.5).abs() < 1e-4);
            area += 0.5 * (b - a).cross(c - a).length();
        }
        let exact = std::f32::consts::PI;
        assert!((area / exact - 1.0).abs() < 0.02, "{area} instead of {exact}");
    }
}
