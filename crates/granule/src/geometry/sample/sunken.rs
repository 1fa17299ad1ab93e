//! Spheres that stand for a solid: a layer of them just inside of its surface, and a lattice of them deeper inside.
//!
//! Spheres of the layer touch the surface from within, so that a flat side stays flat. They lie closer than they are wide and
//! overlap, so that no sphere of their size slips in between.

use glam::Vec3;

use super::cells::Cells;
use super::{SampleError, Solid, check_places, check_radius, surface};
use crate::geometry::bvh::MeshTree;
use crate::geometry::mesh::{Bounds, TriangleMesh};

/// Steps from the surface to the depth of the layer.
const STEPS: usize = 12;

/// Spheres of the layer may stick out by this part of the radius, where the solid is thin.
const MOST_OUT: f32 = 0.5;

/// Least distance of two spheres of the layer, in radii.
const LEAST_APART: f32 = 1.4;

/// Points that fill holes are spread for spheres of this part of the radius.
const FINER: f32 = 0.4;

/// Depth of the lattice, in radii: one below the layer.
const INNER: f32 = 2.2;

/// Centres of spheres of `radius` \[m\] that stand for a solid with this surface.
///
/// # Errors
/// Says why it cannot be sampled.
pub fn sunken(
    solid: &impl Solid,
    mesh: &TriangleMesh,
    radius: f32,
    seed: u64,
) -> Result<Vec<Vec3>, SampleError> {
    check_radius(radius)?;
    let bounds = solid.bounds();
    check_places(bounds, radius)?;
    if mesh.triangle.is_empty() {
        return Err(SampleError::Empty { radius });
    }
    let tree = MeshTree::new(mesh);
    // Even ones first; where these leave a hole, one of many finer ones fills it.
    let mut points = surface(mesh, &tree, radius, seed)?;
    points.extend(surface(mesh, &tree, FINER * radius, seed)?);
    let layer = points.iter().filter_map(|point| sink(solid, point.position, point.normal, radius)).collect();
    let mut all = thinned(layer, bounds, LEAST_APART * radius);
    all.extend(inner(solid, bounds, radius));
    if all.is_empty() { Err(SampleError::Empty { radius }) } else { Ok(all) }
}

/// The place near a point of the surface from which a sphere touches it from within; the deepest where the solid is too thin, and
/// none where that is hardly inside.
fn sink(solid: &impl Solid, point: Vec3, normal: Vec3, radius: f32) -> Option<Vec3> {
    let mut x = point - radius * normal;
    let mut best = (f32::INFINITY, x);
    for _ in 0..STEPS {
        let (distance, out) = solid.sample(x, -2.0 * radius);
        let off = (distance + radius).abs();
        if off < best.0 {
            best = (off, x);
        }
        x -= (distance + radius) * out;
    }
    (best.0 < MOST_OUT * radius).then_some(best.1)
}

/// Points of which none is nearer to an earlier one than `apart` \[m\].
fn thinned(points: Vec<Vec3>, bounds: Bounds, apart: f32) -> Vec<Vec3> {
    let cells = Cells::new(&points, bounds, apart);
    let mut stays = vec![true; points.len()];
    for (i, x) in points.iter().enumerate() {
        let crowded = |&j: &u32| {
            let j = j as usize;
            j < i && stays[j] && points[j].distance_squared(*x) < apart * apart
        };
        stays[i] = !cells.around(*x).any(|j| crowded(&j));
    }
    points.into_iter().zip(stays).filter_map(|(x, stays)| stays.then_some(x)).collect()
}

/// A lattice of touching spheres below the layer.
fn inner(solid: &impl Solid, bounds: Bounds, radius: f32) -> Vec<Vec3> {
    let side = 2.0 * radius;
    let count = (bounds.size() / side).floor().as_uvec3();
    let first = bounds.min + 0.5 * (bounds.size() - side * (count.as_vec3() - 1.0));
    let mut inside = Vec::new();
    for z in 0..count.z {
        for y in 0..count.y {
            for x in 0..count.x {
                let place = first + side * Vec3::new(x as f32, y as f32, z as f32);
                if solid.sample(place, -INNER * radius).0 <= -INNER * radius {
                    inside.push(place);
                }
            }
        }
    }
    inside
}
