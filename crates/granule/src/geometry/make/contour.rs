//! Meshes of what a distance describes, with its sharp edges.
//!
//! Dual contouring \[JLSW02\]: every cell that the surface crosses gets a vertex, as near as it can be to the planes that touch the
//! surface where it crosses the cell's edges; every crossed edge gets a quadrangle of the four vertices around it.

use std::collections::BTreeMap;

use glam::{IVec3, Mat3, Vec3};
use rayon::prelude::*;

use crate::geometry::TriangleMesh;

/// Pull of a vertex towards the middle of its crossings, where planes do not say where it is; of the sum of squares.
const PULL: f32 = 0.02;
/// Vertices keep this part of a cell away from its faces, so that no two of them meet.
const RIM: f32 = 0.05;
/// Side of the bricks, in cells, that are passed over where the surface is far.
const BRICK: i32 = 8;
/// Part of a cell that nodes lie off the bounds by: flat faces at round numbers then lie between nodes.
const OFFSET: f32 = 0.37;

/// The closed surface where `distance` \[m\] is 0, negative inside, between two corners \[m\] that hold all of it; about `cell` \[m\] from
/// vertex to vertex. Parts should be thicker, and gaps wider, than two cells.
pub fn contour(distance: impl Fn(Vec3) -> f32 + Sync, [low, high]: [Vec3; 2], cell: f32) -> TriangleMesh {
    let origin = low - (1.0 + OFFSET) * cell;
    let count = ((high - origin) / cell).ceil().as_ivec3() + 2;
    let field = Field { distance: &distance, origin, cell, count };
    let mut values = field.values();
    field.close_diagonals(&mut values);
    let crossings = field.crossings(&values);
    let (vertex, position) = field.vertices(&crossings);
    let mut mesh = TriangleMesh { position, ..TriangleMesh::default() };
    for (k, crossing) in crossings.iter().enumerate() {
        let [a, b, c, d] = vertex[k];
        let quad = if crossing.leaves { [a, b, c, d] } else { [d, c, b, a] };
        mesh.triangle.extend(field.divided(quad, &mesh.position));
    }
    mesh
}

/// An edge of the grid that the surface crosses.
struct Crossing {
    node: IVec3,
    axis: usize,
    /// Whether the edge begins inside.
    leaves: bool,
    point: Vec3,
    normal: Vec3,
}

impl Crossing {
    /// The cells around the edge, counter-clockwise as seen from where it leads.
    fn cells_around(&self) -> [IVec3; 4] {
        let (u, v) = (IVec3::AXES[(self.axis + 1) % 3], IVec3::AXES[(self.axis + 2) % 3]);
        [self.node - u - v, self.node - v, self.node, self.node - u]
    }

    /// Whether two edges of one cell lie on one of its faces: they share a coordinate that neither runs along.
    fn shares_face(&self, other: &Self) -> bool {
        let same =
            |axis: usize| axis != self.axis && axis != other.axis && self.node[axis] == other.node[axis];
        (0..3).any(same)
    }
}

struct Field<'a, F> {
    distance: &'a F,
    origin: Vec3,
    cell: f32,
    /// Nodes along each axis.
    count: IVec3,
}

impl<F: Fn(Vec3) -> f32 + Sync> Field<'_, F> {
    fn place(&self, node: IVec3) -> Vec3 {
        self.origin + self.cell * node.as_vec3()
    }

    fn index(&self, node: IVec3) -> usize {
        ((node.z * self.count.y + node.y) * self.count.x + node.x) as usize
    }

    /// Distances at all nodes \[m\]; where the surface is far, that of the middle of the brick around.
    fn values(&self) -> Vec<f32> {
        let reach = 0.5 * 3.0f32.sqrt() * BRICK as f32 * self.cell;
        let slice = (self.count.x * self.count.y) as usize;
        let mut values = vec![0.0; slice * self.count.z as usize];
        values.par_chunks_mut(slice * BRICK as usize).enumerate().for_each(|(k, values)| {
            let first = IVec3::new(0, 0, k as i32 * BRICK);
            for by in (0..self.count.y).step_by(BRICK as usize) {
                for bx in (0..self.count.x).step_by(BRICK as usize) {
                    let low = first + IVec3::new(bx, by, 0);
                    let middle = (self.distance)(self.place(low) + 0.5 * BRICK as f32 * self.cell);
                    let high = (low + BRICK).min(self.count);
                    for node in nodes(low, high) {
                        let value = if middle.abs() > 1.5 * reach {
                            middle
                        } else {
                            (self.distance)(self.place(node))
                        };
                        values[self.index(node - first)] = value;
                    }
                }
            }
        });
        values
    }

    fn crossings(&self, values: &[f32]) -> Vec<Crossing> {
        let inner =
            |z: i32| nodes(IVec3::new(1, 1, z), IVec3::new(self.count.x - 1, self.count.y - 1, z + 1));
        let of_slice = |z: i32| {
            let edges = inner(z).flat_map(|node| (0..3).map(move |axis| (node, axis)));
            edges.filter_map(|(node, axis)| self.crossing(values, node, axis)).collect::<Vec<_>>()
        };
        (1..self.count.z - 1).into_par_iter().flat_map_iter(of_slice).collect()
    }

    fn crossing(&self, values: &[f32], node: IVec3, axis: usize) -> Option<Crossing> {
        let next = node + IVec3::AXES[axis];
        let (from, to) = (values[self.index(node)], values[self.index(next)]);
        if (from < 0.0) == (to < 0.0) {
            return None;
        }
        let (mut inside, mut outside) = (self.place(node), self.place(next));
        if to < 0.0 {
            (inside, outside) = (outside, inside);
        }
        for _ in 0..12 {
            let middle = 0.5 * (inside + outside);
            *if (self.distance)(middle) < 0.0 { &mut inside } else { &mut outside } = middle;
        }
        let point = 0.5 * (inside + outside);
        let h = 0.02 * self.cell;
        let slope = |e: Vec3| (self.distance)(point + h * e) - (self.distance)(point - h * e);
        let normal = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z)).normalize_or_zero();
        Some(Crossing { node, axis, leaves: from < 0.0, point, normal })
    }

    /// Lets outer nodes belong to the solid until no face of a cell has its inner nodes on a diagonal: sheets that meet along an
    /// edge of the grid would be no surface there.
    fn close_diagonals(&self, values: &mut [f32]) {
        let mut changed = true;
        while changed {
            changed = false;
            for node in nodes(IVec3::ZERO, self.count - 1) {
                for axis in 0..3 {
                    let (u, v) = (IVec3::AXES[(axis + 1) % 3], IVec3::AXES[(axis + 2) % 3]);
                    let corner = [node, node + u, node + u + v, node + v].map(|node| self.index(node));
                    let inside = corner.map(|k| values[k] < 0.0);
                    if inside[0] == inside[2] && inside[1] == inside[3] && inside[0] != inside[1] {
                        values[corner[usize::from(inside[0])]] = -f32::MIN_POSITIVE;
                        changed = true;
                    }
                }
            }
        }
    }

    /// A vertex for every sheet of the surface in every cell: for each crossing its numbers in the four cells around, and their
    /// places \[m\].
    fn vertices(&self, crossings: &[Crossing]) -> (Vec<[u32; 4]>, Vec<Vec3>) {
        let mut of_cell: BTreeMap<[i32; 3], Vec<(usize, usize)>> = BTreeMap::new();
        for (k, crossing) in crossings.iter().enumerate() {
            for (side, cell) in crossing.cells_around().into_iter().enumerate() {
                of_cell.entry(cell.to_array()).or_default().push((k, side));
            }
        }
        let mut vertex = vec![[0; 4]; crossings.len()];
        let mut position = Vec::new();
        for (cell, own) in &of_cell {
            for sheet in sheets(crossings, own) {
                let parts: Vec<&Crossing> = sheet.iter().map(|&(k, _)| &crossings[k]).collect();
                sheet.iter().for_each(|&(k, side)| vertex[k][side] = position.len() as u32);
                position.push(self.vertex(IVec3::from(*cell), &parts));
            }
        }
        (vertex, position)
    }

    /// ```text
    /// x = c + (sum n n^T + e I)^-1 sum n (n . (p - c))          c: the mean of the crossings p with normals n
    /// ```
    fn vertex(&self, cell: IVec3, crossings: &[&Crossing]) -> Vec3 {
        let share = 1.0 / crossings.len() as f32;
        let middle = share * crossings.iter().map(|crossing| crossing.point).sum::<Vec3>();
        let mut planes = Mat3::from_diagonal(Vec3::splat(PULL));
        let mut off = Vec3::ZERO;
        for Crossing { point, normal, .. } in crossings {
            planes += Mat3::from_cols(*normal * normal.x, *normal * normal.y, *normal * normal.z) * share;
            off += share * normal.dot(*point - middle) * *normal;
        }
        let low = self.place(cell);
        (middle + planes.inverse() * off).clamp(low + RIM * self.cell, low + (1.0 - RIM) * self.cell)
    }

    /// Two triangles of a quadrangle, divided where its diagonal is nearer to the surface.
    fn divided(&self, [a, b, c, d]: [u32; 4], position: &[Vec3]) -> [[u32; 3]; 2] {
        let off = |p: u32, q: u32| (self.distance)(0.5 * (position[p as usize] + position[q as usize])).abs();
        if off(a, c) <= off(b, d) { [[a, b, c], [a, c, d]] } else { [[b, c, d], [b, d, a]] }
    }
}

/// The crossings of a cell by sheets: those on one face belong together, as no face has more than two.
fn sheets(crossings: &[Crossing], own: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    let mut sheets: Vec<Vec<(usize, usize)>> = Vec::new();
    for &one in own {
        let meets = |sheet: &Vec<(usize, usize)>| {
            sheet.iter().any(|&(k, _)| crossings[k].shares_face(&crossings[one.0]))
        };
        let (touched, mut others): (Vec<_>, Vec<_>) = sheets.into_iter().partition(meets);
        others.push(touched.into_iter().flatten().chain([one]).collect());
        sheets = others;
    }
    sheets
}

/// Nodes from one corner to before another, in the order of memory.
fn nodes(low: IVec3, high: IVec3) -> impl Iterator<Item = IVec3> {
    (low.z..high.z).flat_map(move |z| {
        (low.y..high.y).flat_map(move |y| (low.x..high.x).map(move |x| IVec3::new(x, y, z)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::inspect;
    use crate::geometry::make::parts::cuboid;

    #[test]
    fn a_box_keeps_its_edges_and_a_ball_its_volume() {
        let half = Vec3::new(0.3, 0.21, 0.4);
        let mesh = contour(|x| cuboid(x, half), [-half, half], 0.05);
        let size = mesh.bounds().unwrap().size();
        assert!((size - 2.0 * half).abs().max_element() < 2e-3, "{size}");
        assert!((inspect(&mesh).volume / f64::from(8.0 * half.element_product()) - 1.0).abs() < 5e-3);
        let ball = contour(|x| x.length() - 0.5, [Vec3::splat(-0.5), Vec3::splat(0.5)], 0.04);
        let report = inspect(&ball);
        assert!(report.closed && report.oriented, "{report:?}");
        assert!((report.volume / (std::f64::consts::PI / 6.0) - 1.0).abs() < 0.01, "{report:?}");
    }
}
