//! Nearest triangle and winding number of a mesh, by a tree of boxes.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::contact_data::ContactBranch;
use super::mesh::{Bounds, TriangleMesh, area_vector};
use super::topology::{EdgeUse, edge_uses, weld, winding};

/// Most triangles in a leaf.
const LEAF: usize = 4;
/// Depth of the stack; a balanced tree of 2^32 triangles is less deep.
const STACK: usize = 64;
/// A box this many times its radius away acts like a single dipole; the error of a winding number stays below 0.01.
const FAR: f32 = 2.5;
/// Triangles below which a branch is built without asking other threads.
const PARALLEL: usize = 4096;

/// The nearest point of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Distance \[m\], never negative.
    pub distance: f32,
    /// The point \[m\].
    pub point: Vec3,
    /// Its triangle, as numbered in the mesh.
    pub triangle: u32,
    /// Angle-weighted pseudonormal there: a point is outside if its offset from the nearest point lies along it
    /// \[BA05\]. Not of unit length.
    pub pseudonormal: Vec3,
}

/// A branch or leaf.
#[derive(Clone, Copy, Debug)]
struct Branch {
    min: Vec3,
    max: Vec3,
    /// First triangle of a leaf, right child of an inner branch; the left child follows its parent.
    first: u32,
    /// Triangles of a leaf; 0 for inner branches.
    count: u32,
}

/// What a branch is to a point far away.
#[derive(Clone, Copy, Debug)]
struct Dipole {
    center: Vec3,
    radius: f32,
    /// Sum of area vectors \[m2\].
    moment: Vec3,
}

/// Triangles in a tree.
#[derive(Clone, Debug)]
pub struct MeshTree {
    branch: Vec<Branch>,
    dipole: Vec<Dipole>,
    /// Corners, in the order of leaves.
    corners: Vec<[Vec3; 3]>,
    /// Number of each in the mesh.
    triangle: Vec<u32>,
    /// Pseudonormals of the three corners and of the edges opposite to them.
    corner_normal: Vec<[Vec3; 3]>,
    edge_normal: Vec<[Vec3; 3]>,
    /// Whether the sign of pseudonormals can be trusted: closed, manifold, consistently oriented.
    watertight: bool,
}

impl MeshTree {
    /// Builds the tree; the mesh must have passed [`TriangleMesh::check`].
    pub fn new(mesh: &TriangleMesh) -> Self {
        let mut items: Vec<(Vec3, u32)> = (0..mesh.triangle.len())
            .map(|k| (mesh.corners(k).into_iter().sum::<Vec3>() / 3.0, k as u32))
            .collect();
        let mut branch =
            vec![Branch { min: Vec3::ZERO, max: Vec3::ZERO, first: 0, count: 0 }; branches(items.len())];
        build(mesh, &mut items, 0, 0, &mut branch);
        let triangle: Vec<u32> = items.into_iter().map(|(_, triangle)| triangle).collect();
        let corners: Vec<[Vec3; 3]> = triangle.iter().map(|&k| mesh.corners(k as usize)).collect();
        let dipole = dipoles(&branch, &corners);
        let (corner_normal, edge_normal, watertight) = pseudonormals(mesh, &triangle);
        Self { branch, dipole, corners, triangle, corner_normal, edge_normal, watertight }
    }

    /// Whether the mesh is closed, without edges of more than two triangles, and consistently oriented.
    pub fn watertight(&self) -> bool {
        self.watertight
    }

    /// The nearest point of the mesh. `hint` is a place in the tree (from an earlier answer) that is likely near.
    pub fn nearest(&self, point: Vec3, hint: u32) -> (Nearest, u32) {
        let mut best = Candidate::new(&self.corners[hint as usize], point.as_dvec3(), hint);
        let mut stack = [(0_u32, 0.0_f32); STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (index, bound) = stack[depth];
            if f64::from(bound) >= best.distance_squared {
                continue;
            }
            let branch = &self.branch[index as usize];
            if branch.count > 0 {
                for k in branch.first..branch.first + branch.count {
                    let candidate = Candidate::new(&self.corners[k as usize], point.as_dvec3(), k);
                    if candidate.distance_squared < best.distance_squared {
                        best = candidate;
                    }
                }
                continue;
            }
            let children = [index + 1, branch.first];
            let bounds = children.map(|child| self.branch[child as usize].distance_squared(point));
            // The nearer child is pushed last and looked at first.
            let order = if bounds[0] <= bounds[1] { [1, 0] } else { [0, 1] };
            for side in order {
                if f64::from(bounds[side]) < best.distance_squared {
                    stack[depth] = (children[side], bounds[side]);
                    depth += 1;
                }
            }
        }
        (self.answer(best), best.place)
    }

    fn answer(&self, best: Candidate) -> Nearest {
        Nearest {
            distance: best.distance_squared.sqrt() as f32,
            point: best.point.as_vec3(),
            triangle: self.triangle[best.place as usize],
            pseudonormal: self.pseudonormal(&best),
        }
    }

    fn pseudonormal(&self, near: &Candidate) -> Vec3 {
        let place = near.place as usize;
        match near.feature {
            Feature::Face => area_vector(self.corners[place]).normalize_or_zero().as_vec3(),
            Feature::Corner(k) => self.corner_normal[place][k],
            Feature::Edge(k) => self.edge_normal[place][k],
        }
    }

    /// Signed distance [m], negative inside, the nearest point, and the hint for the next query.
    ///
    /// Watertight meshes have the sign of their pseudonormals, others that of the winding number.
    pub fn signed(&self, point: Vec3, hint: u32) -> (f32, Nearest, u32) {
        let (nearest, hint) = self.nearest(point, hint);
        let inside = if self.watertight {
            (point - nearest.point).dot(nearest.pseudonormal) < 0.0
        } else {
            self.winding_number(point) > 0.5
        };
        (if inside { -nearest.distance } else { nearest.distance }, nearest, hint)
    }

    /// Gives the nearest point of every triangle that is at most `reach` \[m\] away, in the order of the tree.
    pub(super) fn within(&self, point: DVec3, reach: f64, mut visit: impl FnMut(NearTriangle)) {
        let rounded = point.as_vec3();
        // What rounding of the point may take away.
        let farthest = (reach + 1e-6 * (point.abs().max_element() + reach)) as f32;
        let mut stack = [0_u32; STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let index = stack[depth];
            let branch = &self.branch[index as usize];
            if branch.distance_squared(rounded) > farthest * farthest {
                continue;
            }
            if branch.count == 0 {
                stack[depth] = branch.first;
                stack[depth + 1] = index + 1;
                depth += 2;
                continue;
            }
            for place in branch.first..branch.first + branch.count {
                let near = Candidate::new(&self.corners[place as usize], point, place);
                if near.distance_squared <= reach * reach {
                    visit(NearTriangle {
                        distance_squared: near.distance_squared,
                        point: near.point,
                        triangle: self.triangle[place as usize],
                        feature: near.feature,
                        pseudonormal: self.pseudonormal(&near),
                    });
                }
            }
        }
    }

    /// Numbers of the triangles in the mesh, in the order of leaves.
    pub(super) fn order(&self) -> &[u32] {
        &self.triangle
    }

    /// Pseudonormals of the corners of a triangle and of the edges opposite to them, and its own, by its place in the order of leaves.
    pub(super) fn normals(&self, place: usize) -> ([Vec3; 3], [Vec3; 3], Vec3) {
        let own = area_vector(self.corners[place]).normalize_or_zero().as_vec3();
        (self.corner_normal[place], self.edge_normal[place], own)
    }

    /// The branches with what follows each of them.
    pub(super) fn branches(&self) -> Vec<ContactBranch> {
        let mut next: Vec<Option<u32>> = vec![None; self.branch.len()];
        for (index, branch) in self.branch.iter().enumerate().filter(|(_, branch)| branch.count == 0) {
            next[index + 1] = Some(branch.first);
            next[branch.first as usize] = next[index];
        }
        let of = |(branch, next): (&Branch, Option<u32>)| {
            let Branch { min, max, first, count } = *branch;
            ContactBranch { min, max, next, first, count }
        };
        self.branch.iter().zip(next).map(of).collect()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let of_triangle = size_of::<[Vec3; 3]>() * 3 + size_of::<u32>();
        self.branch.len() * (size_of::<Branch>() + size_of::<Dipole>()) + self.triangle.len() * of_triangle
    }

    /// How often the mesh winds around a point: 1 inside, 0 outside, in between near holes \[JKS13\], with the
    /// dipoles of \[BDS18\] far away.
    pub fn winding_number(&self, point: Vec3) -> f32 {
        let mut sum = 0.0;
        let mut stack = [0_u32; STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let index = stack[depth] as usize;
            let (branch, dipole) = (&self.branch[index], &self.dipole[index]);
            let offset = dipole.center - point;
            let distance = offset.length();
            if distance > FAR * dipole.radius {
                let far = offset.dot(dipole.moment) / distance.powi(3) / (4.0 * std::f32::consts::PI);
                sum += f64::from(far);
            } else if branch.count > 0 {
                for k in branch.first..branch.first + branch.count {
                    sum += winding(self.corners[k as usize], point);
                }
            } else {
                stack[depth] = branch.first;
                stack[depth + 1] = index as u32 + 1;
                depth += 2;
            }
        }
        sum as f32
    }
}

impl Branch {
    #[inline]
    fn distance_squared(&self, point: Vec3) -> f32 {
        // A little less than the exact bound, so that rounding never prunes the nearest triangle.
        Bounds { min: self.min, max: self.max }.distance_squared(point) * (1.0 - 1e-5)
    }
}

/// Branches of the tree over so many triangles.
fn branches(count: usize) -> usize {
    if count <= LEAF { 1 } else { 1 + branches(count / 2) + branches(count - count / 2) }
}

/// Divides triangles at the median of their centres along the longest axis; `branch` is exactly as long as needed.
fn build(mesh: &TriangleMesh, items: &mut [(Vec3, u32)], first: usize, at: usize, branch: &mut [Branch]) {
    let (mut bounds, mut centers) = (Bounds::EMPTY, Bounds::EMPTY);
    for (center, triangle) in items.iter() {
        centers.include(*center);
        mesh.corners(*triangle as usize).into_iter().for_each(|corner| bounds.include(corner));
    }
    let (min, max) = (bounds.min, bounds.max);
    if items.len() <= LEAF {
        branch[0] = Branch { min, max, first: first as u32, count: items.len() as u32 };
        return;
    }
    let axis = centers.size().max_position();
    let half = items.len() / 2;
    let key = |item: &(Vec3, u32)| (item.0[axis], item.1);
    items.select_nth_unstable_by(half, |a, b| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    });
    let left_count = branches(half);
    branch[0] = Branch { min, max, first: (at + 1 + left_count) as u32, count: 0 };
    let (left_items, right_items) = items.split_at_mut(half);
    let (left, right) = branch[1..].split_at_mut(left_count);
    let large = left_items.len() > PARALLEL;
    let mut build_left = || build(mesh, left_items, first, at + 1, left);
    let mut build_right = || build(mesh, right_items, first + half, at + 1 + left_count, right);
    if large {
        rayon::join(build_left, build_right);
    } else {
        build_left();
        build_right();
    }
}

/// The dipoles of all branches, children before parents.
fn dipoles(branch: &[Branch], corners: &[[Vec3; 3]]) -> Vec<Dipole> {
    let none = Dipole { center: Vec3::ZERO, radius: 0.0, moment: Vec3::ZERO };
    let mut dipole = vec![none; branch.len()];
    // Moment, area and area times centre of each.
    let mut sums = vec![(DVec3::ZERO, 0.0_f64, DVec3::ZERO); branch.len()];
    for index in (0..branch.len()).rev() {
        let one = &branch[index];
        let leaf = || {
            corners[one.first as usize..(one.first + one.count) as usize].iter().map(|corners| {
                let vector = 0.5 * area_vector(*corners);
                let center = corners.iter().sum::<Vec3>().as_dvec3() / 3.0;
                (vector, vector.length(), vector.length() * center)
            })
        };
        let add = |a: (DVec3, f64, DVec3), b: (DVec3, f64, DVec3)| (a.0 + b.0, a.1 + b.1, a.2 + b.2);
        sums[index] = if one.count > 0 {
            leaf().fold((DVec3::ZERO, 0.0, DVec3::ZERO), add)
        } else {
            add(sums[index + 1], sums[one.first as usize])
        };
        let (moment, area, weighted) = sums[index];
        let middle = 0.5 * (one.min + one.max);
        let center = if area > 0.0 { (weighted / area).as_vec3() } else { middle };
        let radius = (one.max - center).max(center - one.min).length();
        dipole[index] = Dipole { center, radius, moment: moment.as_vec3() };
    }
    dipole
}

/// Normals of corners, weighted by angles, and of edges, for the triangles in the order of the tree.
fn pseudonormals(mesh: &TriangleMesh, order: &[u32]) -> (Vec<[Vec3; 3]>, Vec<[Vec3; 3]>, bool) {
    let welded = weld(&mesh.position, 0.0);
    let vertices: Vec<[u32; 3]> =
        mesh.triangle.iter().map(|triangle| triangle.map(|vertex| welded[vertex as usize])).collect();
    let normal: Vec<DVec3> = (0..vertices.len())
        .into_par_iter()
        .map(|k| area_vector(mesh.corners(k)).normalize_or_zero())
        .collect();
    let mut at_vertex = vec![DVec3::ZERO; mesh.position.len()];
    for (k, triangle) in vertices.iter().enumerate() {
        let corners = mesh.corners(k).map(Vec3::as_dvec3);
        for c in 0..3 {
            let (a, b) = (corners[(c + 1) % 3] - corners[c], corners[(c + 2) % 3] - corners[c]);
            // Robust for needles, unlike the arc cosine.
            at_vertex[triangle[c] as usize] += a.cross(b).length().atan2(a.dot(b)) * normal[k];
        }
    }
    let mut at_edge = vec![[Vec3::ZERO; 3]; vertices.len()];
    let mut watertight = true;
    for edge in edge_uses(&vertices).chunk_by(|a, b| a.edge == b.edge) {
        watertight &= matches!(edge, [a, b] if a.forward != b.forward);
        let sum: DVec3 = edge.iter().map(|one: &EdgeUse| normal[one.triangle as usize]).sum();
        for one in edge {
            let corners = vertices[one.triangle as usize];
            let opposite = corners.iter().position(|vertex| !one.edge.contains(vertex)).unwrap_or(0);
            at_edge[one.triangle as usize][opposite] = sum.as_vec3();
        }
    }
    let corner_normal =
        order.iter().map(|&k| vertices[k as usize].map(|v| at_vertex[v as usize].as_vec3())).collect();
    (corner_normal, order.iter().map(|&k| at_edge[k as usize]).collect(), watertight)
}

/// The part of a triangle that a nearest point lies on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Feature {
    /// Between its edges.
    Face,
    /// One of its corners.
    Corner(usize),
    /// The edge opposite to a corner.
    Edge(usize),
}

/// The nearest point of a triangle that is near.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearTriangle {
    /// \[m2\].
    pub distance_squared: f64,
    /// The point \[m\].
    pub point: DVec3,
    /// The triangle, as numbered in the mesh.
    pub triangle: u32,
    /// What of it the point lies on.
    pub feature: Feature,
    /// As [`Nearest::pseudonormal`].
    pub pseudonormal: Vec3,
}

/// A triangle's nearest point.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    distance_squared: f64,
    point: DVec3,
    feature: Feature,
    place: u32,
}

impl Candidate {
    /// By the regions of Ericson's "Real-Time Collision Detection" (5.1.5), in double precision, so that needles
    /// are no exception.
    #[inline]
    fn new(corners: &[Vec3; 3], p: DVec3, place: u32) -> Self {
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let (ab, ac, ap) = (b - a, c - a, p - a);
        let make = |point: DVec3, feature| Self {
            distance_squared: (p - point).length_squared(),
            point,
            feature,
            place,
        };
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return make(a, Feature::Corner(0));
        }
        let bp = p - b;
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        if d3 >= 0.0 && d4 <= d3 {
            return make(b, Feature::Corner(1));
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return make(a + d1 / (d1 - d3) * ab, Feature::Edge(2));
        }
        let cp = p - c;
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        if d6 >= 0.0 && d5 <= d6 {
            return make(c, Feature::Corner(2));
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return make(a + d2 / (d2 - d6) * ac, Feature::Edge(1));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return make(b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b), Feature::Edge(0));
        }
        let sum = va + vb + vc;
        // Not so only for triangles without area, whose edges belong to neighbours, too.
        if sum > 0.0 {
            make(a + (vb * ab + vc * ac) / sum, Feature::Face)
        } else {
            make(a, Feature::Corner(0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes;
    use crate::random::Random;

    fn random_point(random: &mut Random, reach: f32) -> Vec3 {
        reach * Vec3::new(random.signed(), random.signed(), random.signed())
    }

    #[test]
    fn nearest_points_are_those_of_brute_force() {
        let mesh = shapes::bumpy(1.0, 12);
        let tree = MeshTree::new(&mesh);
        assert!(tree.watertight());
        let mut random = Random::new(3);
        let mut hint = 0;
        for _ in 0..500 {
            let point = random_point(&mut random, 2.0);
            let (nearest, next) = tree.nearest(point, hint);
            hint = next;
            let brute = (0..mesh.triangle.len())
                .map(|k| Candidate::new(&mesh.corners(k), point.as_dvec3(), 0).distance_squared)
                .fold(f64::INFINITY, f64::min)
                .sqrt();
            assert!((f64::from(nearest.distance) - brute).abs() < 1e-6, "{point}");
            assert!((nearest.point.distance(point) - nearest.distance).abs() < 1e-5);
        }
    }

    #[test]
    fn both_signs_agree_with_the_exact_winding_number() {
        let mut mesh = shapes::drum(1.0, 1.5, 0.3, 24);
        mesh.append(&shapes::sphere(0.3, 6));
        let tree = MeshTree::new(&mesh);
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let point = random_point(&mut random, 1.3);
            let exact: f64 = (0..mesh.triangle.len()).map(|k| winding(mesh.corners(k), point)).sum();
            let (distance, ..) = tree.signed(point, 0);
            if distance.abs() > 1e-4 {
                assert_eq!(distance < 0.0, exact > 0.5, "{point}");
                assert!((f64::from(tree.winding_number(point)) - exact).abs() < 0.02, "{point}");
            }
        }
    }

    /// A blade along z whose edge lies on the axis, with an angle of 20 degrees between its faces.
    fn blade() -> TriangleMesh {
        let half = 10f32.to_radians().tan();
        let section = [[0.0, 0.0], [1.0, -half], [1.0, half]];
        let position = [-1.0, 1.0].into_iter().flat_map(|z| section.map(|[x, y]| Vec3::new(x, y, z)));
        let sides =
            [[0, 1], [1, 2], [2, 0]].into_iter().flat_map(|[a, b]| [[a, b, b + 3], [a, b + 3, a + 3]]);
        let caps = [[0, 2, 1], [3, 4, 5]];
        TriangleMesh {
            position: position.collect(),
            triangle: sides.chain(caps).collect(),
            ..TriangleMesh::default()
        }
    }

    /// Around an edge sharper than a right angle the normal of one face would call a part of the outside inside \[BA05\]:
    /// at 20 degrees, all directions within 70 degrees of the other face's normal.
    #[test]
    fn all_around_the_edge_of_a_blade_is_outside() {
        let tree = MeshTree::new(&blade());
        assert!(tree.watertight());
        assert!(tree.signed(Vec3::new(0.5, 0.0, 0.0), 0).0 < -0.05, "faces look outwards");
        // The edge is nearest within 80 degrees of the direction away from the blade.
        for degrees in (-77..=77).step_by(7) {
            let (sin, cos) = (degrees as f32).to_radians().sin_cos();
            let (distance, nearest, _) = tree.signed(Vec3::new(-0.1 * cos, 0.1 * sin, 0.0), 0);
            assert!((distance - 0.1).abs() < 1e-5, "{degrees} degrees: {distance} m");
            assert!(nearest.point.length() < 1e-5, "{degrees} degrees: {}", nearest.point);
            let normal = nearest.pseudonormal.normalize();
            assert!(
                normal.distance(Vec3::NEG_X) < 1e-5,
                "{degrees} degrees: the mean of both faces, {normal}"
            );
        }
    }

    #[test]
    fn an_open_mesh_has_the_sign_of_its_winding_number() {
        let mut mesh = shapes::sphere(1.0, 16);
        mesh.triangle.truncate(mesh.triangle.len() - 3);
        let tree = MeshTree::new(&mesh);
        assert!(!tree.watertight());
        assert!(tree.signed(Vec3::ZERO, 0).0 < -0.9);
        assert!(tree.signed(Vec3::splat(2.0), 0).0 > 0.9);
    }
}
