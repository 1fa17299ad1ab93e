//! Closed meshes of simple solids, facing outwards, centred at the origin.

use std::collections::HashMap;
use std::f32::consts::TAU;

use glam::Vec3;

use super::mesh::TriangleMesh;

/// A box with edges of `size` \[m\].
pub fn cuboid(size: Vec3) -> TriangleMesh {
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
        size * Vec3::new(sign(0), sign(1), sign(2))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangle = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh::new((0..8).map(corner).collect(), triangle)
}

/// A sphere of `radius` \[m\]: an octahedron whose faces are divided `divisions` times along each edge
/// (8 divisions^2 triangles); vertices lie on the sphere.
pub fn sphere(radius: f32, divisions: u32) -> TriangleMesh {
    radial(divisions, |_| radius)
}

/// A rounded shape with bumps and dents, somewhat like a toy animal, of roughly `radius` \[m\].
pub fn bumpy(radius: f32, divisions: u32) -> TriangleMesh {
    radial(divisions, |n| {
        let waves = 0.10 * (5.0 * n.x + 1.0).sin() * (4.0 * n.y).cos() + 0.06 * (9.0 * n.z + 2.0 * n.x).sin();
        let ear = |at: Vec3| (-14.0 * (n - at.normalize()).length_squared()).exp();
        let ears = 0.35 * (ear(Vec3::new(0.45, 1.0, 0.2)) + ear(Vec3::new(-0.45, 1.0, 0.2)));
        radius * (0.85 + waves + ears)
    })
}

/// A star-shaped solid: the distance \[m\] of its surface from the origin in every direction.
pub fn radial(divisions: u32, radius: impl Fn(Vec3) -> f32) -> TriangleMesh {
    let mut mesh = unit_octahedron(divisions.max(1));
    for position in &mut mesh.position {
        let normal = position.normalize();
        *position = radius(normal) * normal;
    }
    mesh
}

/// The octahedron |x| + |y| + |z| = 1, each edge divided; shared vertices stand once.
fn unit_octahedron(divisions: u32) -> TriangleMesh {
    let n = divisions as i32;
    let mut mesh = TriangleMesh::default();
    let mut index = HashMap::new();
    for signs in 0..8 {
        let sign = [0, 1, 2].map(|bit| if signs >> bit & 1 == 1 { -1 } else { 1 });
        let mut vertex = |i: i32, j: i32| {
            let key = [sign[0] * i, sign[1] * j, sign[2] * (n - i - j)];
            *index.entry(key).or_insert_with(|| {
                mesh.position.push(Vec3::from(key.map(|k| k as f32)) / n as f32);
                mesh.position.len() as u32 - 1
            })
        };
        let mirrored = sign[0] * sign[1] * sign[2] < 0;
        let mut push = |[a, b, c]: [u32; 3]| mesh.triangle.push(if mirrored { [a, c, b] } else { [a, b, c] });
        for i in 0..n {
            for j in 0..n - i {
                push([vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)]);
                if i + j < n - 1 {
                    push([vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)]);
                }
            }
        }
    }
    mesh
}

/// A torus around the y axis: `ring` \[m\] from the axis to the middle of the tube, `tube` \[m\] its radius; vertices lie
/// on the torus.
pub fn torus(ring: f32, tube: f32, ring_segments: u32, tube_segments: u32) -> TriangleMesh {
    let (m, n) = (ring_segments.max(3), tube_segments.max(3));
    let outline = (0..n).map(|k| {
        let angle = TAU * k as f32 / n as f32;
        [ring + tube * angle.cos(), tube * angle.sin()]
    });
    lathe(&outline.collect::<Vec<_>>(), m)
}

/// A cylinder along y with flat ends: `radius` and `height` \[m\].
pub fn cylinder(radius: f32, height: f32, segments: u32) -> TriangleMesh {
    let h = 0.5 * height;
    lathe(&[[0.0, -h], [radius, -h], [radius, h], [0.0, h]], segments)
}

/// A closed drum along y: an outer cylinder of `radius` and `height` \[m\] with a hollow inside, its wall and both end
/// caps of the same `thickness` \[m\]. Grains live in the hollow.
pub fn drum(radius: f32, height: f32, thickness: f32, segments: u32) -> TriangleMesh {
    let mut mesh = cylinder(radius, height, segments);
    let mut hollow = cylinder(radius - thickness, height - 2.0 * thickness, segments);
    hollow.flip();
    mesh.append(&hollow);
    mesh
}

/// A box with `size` \[m\] outside that is open at the top (y), its walls and floor of the same `thickness` \[m\].
pub fn truck_bed(size: Vec3, thickness: f32) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let half = 0.5 * size;
    let inner = half - thickness;
    let ring = |half: Vec3, y: f32| {
        [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]]
            .map(|[x, z]| Vec3::new(x * half.x, y, z * half.z))
    };
    let rings =
        [ring(half, -half.y), ring(half, half.y), ring(inner, half.y), ring(inner, thickness - half.y)];
    mesh.position = rings.concat();
    let mut quad = |a: u32, b: u32, c: u32, d: u32| mesh.triangle.extend([[a, b, c], [a, c, d]]);
    quad(3, 2, 1, 0);
    for (lower, upper) in [(0, 4), (4, 8), (8, 12)] {
        for k in 0..4 {
            let next = (k + 1) % 4;
            quad(lower + k, lower + next, upper + next, upper + k);
        }
    }
    quad(12, 13, 14, 15);
    mesh
}

/// Turns a closed outline of points (distance from the y axis, height) \[m\] around the y axis. The outline runs
/// counter-clockwise; points on the axis become single vertices, and a side along the axis is left out.
pub fn lathe(outline: &[[f32; 2]], segments: u32) -> TriangleMesh {
    let segments = segments.max(3);
    let mut mesh = TriangleMesh::default();
    let first: Vec<(u32, bool)> = outline
        .iter()
        .map(|&[radius, height]| {
            let first = mesh.position.len() as u32;
            let on_axis = radius <= 0.0;
            for k in 0..if on_axis { 1 } else { segments } {
                let (sin, cos) = (TAU * k as f32 / segments as f32).sin_cos();
                mesh.position.push(Vec3::new(radius.max(0.0) * cos, height, -radius.max(0.0) * sin));
            }
            (first, on_axis)
        })
        .collect();
    for (k, &(lower, lower_on_axis)) in first.iter().enumerate() {
        let (upper, upper_on_axis) = first[(k + 1) % first.len()];
        for s in 0..segments {
            let next = (s + 1) % segments;
            match (lower_on_axis, upper_on_axis) {
                (true, true) => {}
                (true, false) => mesh.triangle.push([lower, upper + next, upper + s]),
                (false, true) => mesh.triangle.push([lower + s, lower + next, upper]),
                (false, false) => mesh
                    .triangle
                    .extend([[lower + s, lower + next, upper + next], [lower + s, upper + next, upper + s]]),
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use std::f32::consts::PI;

    use super::*;
    use crate::geometry::inspect;

    #[test]
    fn every_shape_is_closed_and_faces_outwards() {
        let size = Vec3::new(1.0, 0.6, 0.8);
        let cases = [
            ("cuboid", cuboid(size), 0.48),
            ("sphere", sphere(0.5, 40), 4.0 / 3.0 * PI * 0.125),
            ("torus", torus(0.5, 0.2, 120, 80), 2.0 * PI * PI * 0.5 * 0.04),
            ("cylinder", cylinder(0.4, 1.0, 200), PI * 0.16),
            ("drum", drum(0.4, 1.0, 0.1, 200), PI * (0.16 - 0.09 * 0.8)),
            ("truck bed", truck_bed(size, 0.1), 0.48 - 0.8 * 0.5 * 0.6),
        ];
        for (name, mesh, volume) in cases {
            let report = inspect(&mesh);
            assert!(report.closed && report.oriented, "{name}: {report:?}");
            assert_eq!((report.degenerate_triangles, report.non_manifold_edges), (0, 0), "{name}");
            let error = report.volume / f64::from(volume) - 1.0;
            assert!(error.abs() < 5e-3, "{name}: {} {volume}", report.volume);
        }
        let report = inspect(&bumpy(1.0, 50));
        assert!(report.closed && report.oriented && report.volume > 1.0, "{report:?}");
    }
}
