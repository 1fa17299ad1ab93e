//! Where a ball touches a triangle mesh: on faces, edges and vertices, each once.
//!
//! A ball touches a surface where the distance from its centre has a local minimum within its radius. On triangles such a
//! point lies inside a face; on an edge whose triangles all lead away from the centre; or on a vertex whose edges all do. A
//! flat wall of many triangles thus touches once, a convex edge once, a concave one on both sides.

use glam::DVec3;

use super::bvh::{Feature, MeshTree};
use super::mesh::TriangleMesh;
use super::topology::{edge_uses, weld};

/// Cosine by which a direction may lead towards the centre and still count as leading away. A choice, far above rounding;
/// what is found twice for it is found at one place.
const SLACK: f64 = 1e-10;

/// Contacts nearer to each other than this share of the reach are one. A choice: walls that a thousandth of a radian, or
/// rounding of vertices, folds are flat.
const SAME_PLACE: f64 = 1e-3;

/// A place where a ball may touch a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacetContact {
    /// Which face, edge or vertex it is: the same number for the same one at every query.
    pub feature: u32,
    /// Signed distance of the centre \[m\], negative inside the solid.
    pub distance: f64,
    /// Unit normal out of the solid.
    pub normal: DVec3,
    /// The touched point \[m\].
    pub point: DVec3,
}

/// Lists of different lengths, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Where each list begins in the items, and where the last one ends.
    pub first: Vec<u32>,
    /// The items of all.
    pub item: Vec<u32>,
}

impl Lists {
    /// From pairs of list and item; pairs that repeat count once.
    fn new(count: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut first = vec![0; count + 1];
        pairs.iter().for_each(|(list, _)| first[*list as usize + 1] += 1);
        (0..count).for_each(|k| first[k + 1] += first[k]);
        Self { first, item: pairs.into_iter().map(|(_, item)| item).collect() }
    }

    fn of(&self, list: u32) -> &[u32] {
        &self.item[self.first[list as usize] as usize..self.first[list as usize + 1] as usize]
    }
}

/// A mesh that balls touch.
#[derive(Clone, Debug)]
pub struct ContactMesh {
    pub(super) tree: MeshTree,
    pub(super) position: Vec<DVec3>,
    /// Vertices of each triangle, welded.
    pub(super) triangle: Vec<[u32; 3]>,
    /// The edge opposite to each corner of each triangle.
    pub(super) edge_of: Vec<[u32; 3]>,
    /// Vertices opposite to each edge.
    pub(super) apex: Lists,
    /// Vertices joined to each vertex.
    pub(super) joined: Lists,
}

/// The nearest point of one triangle.
struct Near {
    distance: f64,
    point: DVec3,
    /// Out of the solid, of any length.
    outwards: DVec3,
    triangle: u32,
    feature: Feature,
}

impl ContactMesh {
    /// A mesh, which must have passed [`TriangleMesh::check`], with its normals out of the solid.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let welded = weld(&mesh.position, 0.0);
        let triangle: Vec<[u32; 3]> =
            mesh.triangle.iter().map(|corners| corners.map(|vertex| welded[vertex as usize])).collect();
        let mut edge_of = vec![[0; 3]; triangle.len()];
        let (mut apex, mut joined, mut edges) = (Vec::new(), Vec::new(), 0);
        for uses in edge_uses(&triangle).chunk_by(|a, b| a.edge == b.edge) {
            for one in uses {
                let corners = &triangle[one.triangle as usize];
                let opposite = corners.iter().position(|vertex| !one.edge.contains(vertex)).unwrap_or(0);
                edge_of[one.triangle as usize][opposite] = edges;
                apex.push((edges, corners[opposite]));
            }
            let [a, b] = uses[0].edge;
            joined.extend([(a, b), (b, a)]);
            edges += 1;
        }
        let position: Vec<DVec3> = mesh.position.iter().map(|x| x.as_dvec3()).collect();
        Self {
            tree: MeshTree::new(mesh),
            triangle,
            edge_of,
            apex: Lists::new(edges as usize, apex),
            joined: Lists::new(position.len(), joined),
            position,
        }
    }

    /// Where a ball around `x` \[m\] touches that reaches so far \[m\], nearest first. A centre inside the solid touches at the
    /// nearest point alone; one that is deeper than the reach touches nothing.
    pub fn contacts(&self, x: DVec3, reach: f64, out: &mut Vec<FacetContact>) {
        out.clear();
        let mut found: Vec<Near> = Vec::new();
        self.tree.within(x, reach, |near| {
            found.push(Near {
                distance: near.distance_squared.sqrt(),
                point: near.point,
                outwards: near.pseudonormal.as_dvec3(),
                triangle: near.triangle,
                feature: near.feature,
            });
        });
        found.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.triangle.cmp(&b.triangle)));
        let Some(nearest) = found.first() else { return };
        if self.is_inside(x, nearest) {
            out.push(self.contact(x, nearest, -1.0));
            return;
        }
        let same = SAME_PLACE * reach;
        for near in &found {
            let known = |other: &FacetContact| other.point.distance_squared(near.point) <= same * same;
            let before = (x - near.point).dot(near.outwards) >= 0.0;
            if before && !out.iter().any(known) && self.is_nearest_around(x, near) {
                out.push(self.contact(x, near, 1.0));
            }
        }
    }

    fn is_inside(&self, x: DVec3, nearest: &Near) -> bool {
        if self.tree.watertight() {
            (x - nearest.point).dot(nearest.outwards) < 0.0
        } else {
            self.tree.winding_number(x.as_vec3()) > 0.5
        }
    }

    fn contact(&self, x: DVec3, near: &Near, sign: f64) -> FacetContact {
        let normal = if near.distance > 1e-30 {
            sign * (x - near.point) / near.distance
        } else {
            near.outwards.normalize_or(DVec3::Y)
        };
        let feature = self.feature(near);
        FacetContact { feature, distance: sign * near.distance, normal, point: near.point }
    }

    /// Number of a feature: triangles first, then edges, then vertices.
    fn feature(&self, near: &Near) -> u32 {
        let (triangles, edges) = (self.triangle.len() as u32, self.apex.first.len() as u32 - 1);
        match near.feature {
            Feature::Face => near.triangle,
            Feature::Edge(k) => triangles + self.edge_of[near.triangle as usize][k],
            Feature::Corner(k) => triangles + edges + self.triangle[near.triangle as usize][k],
        }
    }

    /// Whether no point of the mesh around the nearest point of a triangle is nearer.
    fn is_nearest_around(&self, x: DVec3, near: &Near) -> bool {
        let offset = x - near.point;
        let corners = &self.triangle[near.triangle as usize];
        let leads_away = |from: DVec3, to: u32| {
            let way = self.position[to as usize] - from;
            offset.dot(way) <= SLACK * near.distance * way.length()
        };
        match near.feature {
            Feature::Face => true,
            // The offset is normal to the edge, so that any point of it does for the way to a vertex opposite to it.
            Feature::Edge(k) => {
                let apex = self.apex.of(self.edge_of[near.triangle as usize][k]);
                apex.iter().all(|&apex| leads_away(near.point, apex))
            }
            Feature::Corner(k) => self.joined.of(corners[k]).iter().all(|&to| leads_away(near.point, to)),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let lists = |lists: &Lists| 4 * (lists.first.len() + lists.item.len());
        self.tree.bytes()
            + 24 * (self.position.len() + self.triangle.len())
            + lists(&self.apex)
            + lists(&self.joined)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::geometry::shapes;
    use crate::random::Random;

    /// A box of half sides `half` whose sides are grids of two triangles a cell.
    fn fine_box(half: f32, cells: i32) -> TriangleMesh {
        let (mut position, mut triangle) = (Vec::new(), Vec::new());
        for axis in 0..3 {
            for side in [-1.0f32, 1.0] {
                let at = |u: i32, v: i32| {
                    let place = |k: i32| half * (2.0 * k as f32 / cells as f32 - 1.0);
                    let mut x = Vec3::splat(side * half);
                    (x[(axis + 1) % 3], x[(axis + 2) % 3]) = (place(u), place(v));
                    x
                };
                for (u, v) in (0..cells).flat_map(|u| (0..cells).map(move |v| (u, v))) {
                    let first = position.len() as u32;
                    position.extend([at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)]);
                    for corners in [[0, 1, 2], [0, 2, 3]] {
                        let [a, b, c] = corners.map(|k: u32| first + k);
                        triangle.push(if side > 0.0 { [a, b, c] } else { [a, c, b] });
                    }
                }
            }
        }
        TriangleMesh::new(position, triangle)
    }

    fn contacts(mesh: &ContactMesh, x: DVec3, reach: f64) -> Vec<FacetContact> {
        let mut out = Vec::new();
        mesh.contacts(x, reach, &mut out);
        out
    }

    /// Balls outside a box touch its nearest point and nothing else, however many triangles its sides have.
    #[test]
    fn a_convex_solid_is_touched_once() {
        let mesh = ContactMesh::new(&fine_box(0.5, 7));
        let mut random = Random::new(1);
        let (mut faces, mut edges, mut vertices) = (0, 0, 0);
        for _ in 0..20_000 {
            let x = 0.7 * Vec3::new(random.signed(), random.signed(), random.signed()).as_dvec3();
            let closest = x.clamp(DVec3::splat(-0.5), DVec3::splat(0.5));
            let distance = x.distance(closest);
            let found = contacts(&mesh, x, 0.2);
            if distance == 0.0 || distance > 0.2 {
                continue;
            }
            assert_eq!(found.len(), 1, "{x}: {found:?}");
            assert!((found[0].distance - distance).abs() < 1e-12, "{x}: {found:?}");
            assert!(found[0].point.distance(closest) < 1e-9, "{x}: {found:?}");
            assert!((found[0].normal - (x - closest) / distance).length() < 1e-9, "{x}: {found:?}");
            match (0..3).filter(|&k| closest[k].abs() == 0.5).count() {
                1 => faces += 1,
                2 => edges += 1,
                _ => vertices += 1,
            }
        }
        assert!(faces > 1000 && edges > 1000 && vertices > 100, "{faces} {edges} {vertices}");
    }

    /// Seams of triangles in a flat side: straight over vertices and edges there is one contact at every place.
    #[test]
    fn a_flat_wall_is_touched_once_on_its_seams() {
        let mesh = ContactMesh::new(&fine_box(0.5, 8));
        for k in -4..=4 {
            for along in 0..=1000 {
                // Along a row of vertices, and across all of them on a diagonal.
                let t = 0.98 * (f64::from(along) / 1000.0 - 0.5);
                for x in [DVec3::new(t, 0.6, f64::from(k) / 8.0 * 0.99), DVec3::new(t, 0.6, t)] {
                    let found = contacts(&mesh, x, 0.11);
                    assert_eq!(found.len(), 1, "{x}: {found:?}");
                    assert!((found[0].distance - 0.1).abs() < 1e-7, "{x}: {found:?}");
                    assert!(found[0].normal.y > 1.0 - 1e-12);
                }
            }
        }
    }

    /// Inside a container a ball touches as many sides as are near.
    #[test]
    fn a_container_is_touched_on_all_near_sides() {
        let mut inside = fine_box(0.5, 5);
        inside.flip();
        let mesh = ContactMesh::new(&inside);
        let mut random = Random::new(2);
        let mut seen = [0; 4];
        for _ in 0..20_000 {
            let x = 0.499 * Vec3::new(random.signed(), random.signed(), random.signed()).as_dvec3();
            let found = contacts(&mesh, x, 0.1);
            let mut expected: Vec<f64> = (0..3).map(|k| 0.5 - x[k].abs()).filter(|d| *d <= 0.1).collect();
            expected.sort_unstable_by(f64::total_cmp);
            assert_eq!(found.len(), expected.len(), "{x}: {found:?}");
            for (one, distance) in found.iter().zip(&expected) {
                assert!((one.distance - distance).abs() < 1e-9, "{x}: {found:?}");
            }
            seen[expected.len()] += 1;
        }
        assert!(seen.iter().all(|seen| *seen > 100), "{seen:?}");
    }

    /// A centre that has come through the surface is pushed out of the nearest side.
    #[test]
    fn a_centre_inside_touches_at_the_nearest_point() {
        let mesh = ContactMesh::new(&fine_box(0.5, 3));
        let found = contacts(&mesh, DVec3::new(0.1, 0.49, 0.2), 0.1);
        assert_eq!(found.len(), 1);
        assert!((found[0].distance + 0.01).abs() < 1e-12);
        assert!(found[0].normal.y > 0.999_999);
    }

    /// Distances are those of the tree, which brute force checks, on a mesh with bumps and hollows.
    #[test]
    fn the_first_contact_is_the_nearest_point() {
        let bumpy = shapes::bumpy(1.0, 12);
        let (mesh, tree) = (ContactMesh::new(&bumpy), MeshTree::new(&bumpy));
        let mut random = Random::new(7);
        let mut several = 0;
        for _ in 0..3000 {
            let x = 1.5 * Vec3::new(random.signed(), random.signed(), random.signed());
            let (distance, ..) = tree.signed(x, 0);
            let found = contacts(&mesh, x.as_dvec3(), 0.3);
            match found.first() {
                Some(first) => assert!((first.distance - f64::from(distance)).abs() < 1e-6, "{x}: {found:?}"),
                None => assert!(distance.abs() > 0.2999, "{x} {distance}"),
            }
            several += u32::from(found.len() > 1);
        }
        assert!(several > 20, "{several}");
    }
}
