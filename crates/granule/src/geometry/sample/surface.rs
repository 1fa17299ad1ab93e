//! Points spread evenly over a surface.

use glam::Vec3;
use rayon::prelude::*;

use super::cells::Cells;
use super::{MOST_CELLS, SampleError, check_radius};
use crate::geometry::bvh::MeshTree;
use crate::geometry::mesh::{Bounds, TriangleMesh};
use crate::random::Random;

/// Area of the surface per point, in squared radii.
const AREA_PER_POINT: f64 = 2.9;
/// Points farther apart than this, in radii, leave each other alone; also the side of the search cells.
const CUTOFF: f32 = 3.2;
/// Sweeps, and the step of the first one; steps shrink linearly.
const SWEEPS: usize = 150;
const FIRST_STEP: f32 = 0.35;
/// Longest step, in radii.
const LONGEST: f32 = 0.5;
/// Points whose normals differ by more than this (a cosine) are on different sides of a thin wall.
const OTHER_SIDE: f32 = -0.5;

/// A point on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Position \[m\].
    pub position: Vec3,
    /// Unit normal out of the solid.
    pub normal: Vec3,
}

/// Spreads points over a mesh so that spheres of `radius` \[m\] around them cover it.
///
/// Points start at random, as many as the area needs, and repel each other within a cutoff (\[Lon09\] 6.3, with a
/// search cell as wide as the cutoff); every step ends at the nearest point of the mesh.
pub fn surface(
    mesh: &TriangleMesh,
    tree: &MeshTree,
    radius: f32,
    seed: u64,
) -> Result<Vec<SurfacePoint>, SampleError> {
    check_radius(radius)?;
    let bounds = mesh.bounds().ok_or(SampleError::Empty { radius })?.grown(radius);
    let count = mesh.area() / (AREA_PER_POINT * f64::from(radius).powi(2));
    let cells = (bounds.size().as_dvec3() / f64::from(CUTOFF * radius)).ceil();
    let places = (cells.x * cells.y * cells.z).max(count);
    if places.is_nan() || places > MOST_CELLS {
        return Err(SampleError::TooMany { count: places, most: MOST_CELLS });
    }
    let mut points = scatter(mesh, (count.ceil() as usize).max(1), seed);
    for sweep in 0..SWEEPS {
        let step = FIRST_STEP * (1.0 - sweep as f32 / SWEEPS as f32);
        points = repel(&points, tree, bounds, radius, step);
    }
    Ok(points)
}

/// Points at random, with the same chance everywhere.
fn scatter(mesh: &TriangleMesh, count: usize, seed: u64) -> Vec<SurfacePoint> {
    let mut sum = 0.0;
    let ends: Vec<f64> = (0..mesh.triangle.len())
        .map(|k| {
            sum += crate::geometry::mesh::area_vector(mesh.corners(k)).length();
            sum
        })
        .collect();
    let mut random = Random::new(seed);
    (0..count)
        .map(|k| {
            // Stratified over the area: one point in each of equal parts.
            let at = sum * (k as f64 + f64::from(random.unit())) / count as f64;
            let triangle = ends.partition_point(|end| *end < at).min(ends.len() - 1);
            let corners = mesh.corners(triangle);
            let (mut u, mut v) = (random.unit(), random.unit());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let [a, b, c] = corners;
            let normal = crate::geometry::mesh::area_vector(corners).normalize_or_zero().as_vec3();
            SurfacePoint { position: a + u * (b - a) + v * (c - a), normal }
        })
        .collect()
}

/// Every point after one step away from its neighbours, along the surface.
fn repel(
    points: &[SurfacePoint],
    tree: &MeshTree,
    bounds: Bounds,
    radius: f32,
    step: f32,
) -> Vec<SurfacePoint> {
    let cutoff = CUTOFF * radius;
    let position: Vec<Vec3> = points.iter().map(|point| point.position).collect();
    let cells = Cells::new(&position, bounds, cutoff);
    points
        .par_iter()
        .enumerate()
        .with_min_len(128)
        .map(|(i, point)| {
            let mut push = Vec3::ZERO;
            for j in cells.around(point.position) {
                let other = &points[j as usize];
                let offset = point.position - other.position;
                let distance = offset.length();
                if j as usize == i || distance >= cutoff || point.normal.dot(other.normal) < OTHER_SIDE {
                    continue;
                }
                let upwards = if i < j as usize { Vec3::Y } else { Vec3::NEG_Y };
                let direction = if distance > 1e-6 * radius { offset / distance } else { upwards };
                push += (1.0 - distance / cutoff).powi(2) * direction;
            }
            push -= push.dot(point.normal) * point.normal;
            let way = (2.0 * step * radius * push).clamp_length_max(LONGEST * radius);
            let (nearest, _) = tree.nearest(point.position + way, 0);
            SurfacePoint { position: nearest.point, normal: nearest.pseudonormal.normalize_or(point.normal) }
        })
        .collect()
}
