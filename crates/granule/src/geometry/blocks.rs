//! Solids made of bricks.

use std::collections::HashMap;

use glam::Vec3;

use super::mesh::TriangleMesh;

/// The closed surface of those bricks of a grid that `solid` chooses. `lines` are the coordinates of the grid's planes
/// along each axis \[m\], ascending; a brick is named by the numbers of its lower planes. Bricks should touch by faces, not by
/// edges or corners alone, for the surface to be a manifold.
pub fn blocks(lines: [&[f32]; 3], solid: impl Fn([usize; 3]) -> bool) -> TriangleMesh {
    let count = lines.map(|axis| axis.len() as isize - 1);
    let inside = |brick: [isize; 3]| {
        let there = (0..3).all(|k| (0..count[k]).contains(&brick[k]));
        there && solid(brick.map(|k| k as usize))
    };
    let mut mesh = TriangleMesh::default();
    let mut known: HashMap<[usize; 3], u32> = HashMap::new();
    let mut corner = |at: [usize; 3], mesh: &mut TriangleMesh| {
        *known.entry(at).or_insert_with(|| {
            mesh.position.push(Vec3::new(lines[0][at[0]], lines[1][at[1]], lines[2][at[2]]));
            mesh.position.len() as u32 - 1
        })
    };
    for z in 0..count[2] {
        for y in 0..count[1] {
            for x in 0..count[0] {
                let brick = [x, y, z];
                if !inside(brick) {
                    continue;
                }
                for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
                    let mut beyond = brick;
                    beyond[axis] += 2 * side - 1;
                    if inside(beyond) {
                        continue;
                    }
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    let quad = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(du, dv)| {
                        let mut at = brick.map(|k| k as usize);
                        at[axis] += side as usize;
                        at[u] += du;
                        at[v] += dv;
                        corner(at, &mut mesh)
                    });
                    let [a, b, c, d] = if side == 1 { quad } else { [quad[3], quad[2], quad[1], quad[0]] };
                    mesh.triangle.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
    }
    mesh
}

/// The bed of a dump truck with walls of `thickness` \[m\], centred at the origin, open above and behind (towards -x): a
/// floor, two sides and a front wall.
pub fn dump_bed(size: Vec3, thickness: f32) -> TriangleMesh {
    let Vec3 { x, y, z } = 0.5 * size;
    let (xs, ys) = ([-x, x - thickness, x], [-y, thickness - y, y]);
    let zs = [-z, thickness - z, z - thickness, z];
    blocks([&xs, &ys, &zs], |[x, y, z]| y == 0 || z != 1 || x == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::solid;

    #[test]
    fn an_angle_of_bricks_is_closed_and_has_its_volume() {
        let (xs, ys, zs) = ([0.0, 1.0, 3.0], [0.0, 0.5, 2.0], [0.0, 1.0]);
        let mesh = blocks([&xs, &ys, &zs], |[x, y, _]| x == 0 || y == 0);
        let mesh = solid(&mesh).unwrap();
        assert!((mesh.signed_volume() - 3.0).abs() < 1e-5, "{}", mesh.signed_volume());
    }
}
