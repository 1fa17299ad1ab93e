//! What is connected to what: welded vertices, edges and components.

use std::collections::HashMap;

use glam::{DVec3, Vec3};

use super::mesh::TriangleMesh;

/// For every vertex the first one at the same place: exactly there, or within `tolerance` \[m\].
pub(super) fn weld(position: &[Vec3], tolerance: f32) -> Vec<u32> {
    if tolerance > 0.0 { weld_within(position, tolerance) } else { weld_exact(position) }
}

fn weld_exact(position: &[Vec3]) -> Vec<u32> {
    let mut first = HashMap::with_capacity(position.len());
    // Adding 0 makes -0 equal to 0.
    let key = |p: &Vec3| (*p + Vec3::ZERO).to_array().map(f32::to_bits);
    position.iter().enumerate().map(|(k, p)| *first.entry(key(p)).or_insert(k as u32)).collect()
}

/// Cells are twice the tolerance wide, so what is near lies in one of two cells along each axis.
fn weld_within(position: &[Vec3], tolerance: f32) -> Vec<u32> {
    let side = 2.0 * f64::from(tolerance);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(position.len());
    let mut welded = Vec::with_capacity(position.len());
    for (k, p) in position.iter().enumerate() {
        let place = p.as_dvec3() / side;
        let cell = place.floor().to_array().map(|c| c as i64);
        let step = (place - place.floor()).to_array().map(|t| if t < 0.5 { -1 } else { 1 });
        let mut found: Option<u32> = None;
        for corner in 0..8 {
            let key = [0, 1, 2].map(|axis| cell[axis] + if corner >> axis & 1 == 1 { step[axis] } else { 0 });
            for &other in cells.get(&key).into_iter().flatten() {
                if position[other as usize].distance(*p) <= tolerance {
                    found = Some(found.map_or(other, |best| best.min(other)));
                }
            }
        }
        welded.push(found.unwrap_or_else(|| {
            cells.entry(cell).or_default().push(k as u32);
            k as u32
        }));
    }
    welded
}

/// An edge, smaller vertex first, of a triangle; `forward` if the triangle runs from the smaller to the larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EdgeUse {
    pub edge: [u32; 2],
    pub triangle: u32,
    pub forward: bool,
}

/// The edges of all triangles, sorted, so that uses of the same edge stand together.
pub(super) fn edge_uses(triangles: &[[u32; 3]]) -> Vec<EdgeUse> {
    let mut uses = Vec::with_capacity(3 * triangles.len());
    for (triangle, vertices) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (vertices[k], vertices[(k + 1) % 3]);
            uses.push(EdgeUse { edge: [a.min(b), a.max(b)], triangle: triangle as u32, forward: a < b });
        }
    }
    uses.sort_unstable();
    uses
}

/// Sets that are merged; a set's name is its smallest member.
#[derive(Debug)]
pub(super) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    pub fn find(&mut self, mut member: u32) -> u32 {
        while self.0[member as usize] != member {
            let parent = self.0[self.0[member as usize] as usize];
            self.0[member as usize] = parent;
            member = parent;
        }
        member
    }

    pub fn merge(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Whether a triangle has no area: its height over the longest edge is within rounding of single precision.
pub(super) fn is_degenerate([a, b, c]: [Vec3; 3]) -> bool {
    let [a, b, c] = [a, b, c].map(Vec3::as_dvec3);
    let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    let reach = [a, b, c].map(|corner: DVec3| corner.abs().max_element()).into_iter().fold(0.0, f64::max);
    let rounding = f64::from(f32::EPSILON) * reach;
    (b - a).cross(c - a).length() <= rounding * longest.sqrt()
}

/// Solid angle of a triangle seen from a point, over 4 pi: its part of the winding number (Van Oosterom and Strackee).
pub(super) fn winding([a, b, c]: [Vec3; 3], point: Vec3) -> f64 {
    let [a, b, c] = [a, b, c].map(|corner| (corner - point).as_dvec3());
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    numerator.atan2(denominator) / (2.0 * std::f64::consts::PI)
}

/// Winding number of some triangles around a point: 1 inside of a closed mesh, 0 outside.
pub(super) fn winding_number(
    mesh: &TriangleMesh,
    triangles: impl IntoIterator<Item = u32>,
    point: Vec3,
) -> f64 {
    triangles.into_iter().map(|triangle| winding(mesh.corners(triangle as usize), point)).sum()
}
