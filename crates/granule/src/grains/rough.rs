//! Rough walls: spheres on their surfaces, out of order.

use glam::Vec3;

use super::FillError;
use crate::boundary::Sdf;
use crate::geometry::sample::{self, Ball};
use crate::geometry::{MeshTree, TriangleMesh};
use crate::random::Random;

/// Area per point of [`sample::surface`], in squared radii: with a radius of a diameter over its root, points have a
/// squared diameter each.
const AREA_PER_POINT: f32 = 2.9;
/// Farthest that spheres are moved along the surface out of their even places, in diameters.
const JITTER: f32 = 0.2;
/// Farthest that they are moved out of the wall or into it, in diameters.
const DEPTH: f32 = 0.1;
/// Cells of the grid that follows the surface, per diameter.
const CELLS: f32 = 2.0;
/// Most cells of it.
const MOST_CELLS: f64 = 5e7;

/// Covers a wall between two corners \[m\] with spheres of a diameter \[m\], about one per squared diameter: centres on the
/// surface, moved by a tenth of a diameter along the normal and a fifth along the surface at most, so that about half of
/// each looks out. Only where the wall faces space: `is_open` tells whether a point outside the wall is free.
///
/// # Errors
/// Says where there are too many of them, or none.
pub fn cover_with_spheres(
    wall: &Sdf,
    (min, max): (Vec3, Vec3),
    diameter: f32,
    seed: u64,
    is_open: impl Fn(Vec3) -> bool,
) -> Result<Vec<Ball>, FillError> {
    let radius = 0.5 * diameter;
    // A little wider than the region, so that flat walls on its faces are found.
    let (low, high) = (min - diameter, max + diameter);
    let cells = (high - low).as_dvec3() * f64::from(CELLS / diameter);
    let count = cells.x * cells.y * cells.z;
    if count.is_nan() || count > MOST_CELLS {
        return Err(FillError::TooMany { count, most: MOST_CELLS });
    }
    let surface = wall.surface_mesh((low, high), cells.max_element() as f32);
    let mesh = TriangleMesh::new(surface.position, surface.triangle);
    if mesh.triangle.is_empty() {
        return Err(FillError::Empty { radius });
    }
    let mut random = Random::new(seed);
    let even =
        sample::surface(&mesh, &MeshTree::new(&mesh), diameter / AREA_PER_POINT.sqrt(), random.bits())?;
    let mut spheres = Vec::new();
    for point in even {
        let mut jitter = || Vec3::new(random.signed(), random.signed(), random.signed());
        let (along, out) = (jitter().clamp_length_max(1.0), jitter().x);
        let aside = along - along.dot(point.normal) * point.normal;
        let moved = point.position + JITTER * diameter * aside;
        let nearest = wall.nearest(moved);
        let place = moved - nearest.distance * nearest.normal;
        let inside = place.cmpge(min - 1e-3 * diameter).all() && place.cmple(max + 1e-3 * diameter).all();
        if inside && is_open(place + radius * nearest.normal) {
            spheres.push(Ball { center: place + out * DEPTH * diameter * nearest.normal, radius });
        }
    }
    if spheres.is_empty() { Err(FillError::Empty { radius }) } else { Ok(spheres) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Shape;

    const D: f32 = 0.05;

    fn cover(shape: &Shape, region: ([f32; 3], [f32; 3]), is_open: impl Fn(Vec3) -> bool) -> Vec<Ball> {
        let wall = Sdf::new(shape).unwrap();
        cover_with_spheres(&wall, (region.0.into(), region.1.into()), D, 7, is_open).unwrap()
    }

    /// Smallest distance of two spheres, in diameters.
    fn closest(balls: &[Ball]) -> f32 {
        let pairs = balls.iter().enumerate().flat_map(|(i, a)| balls[..i].iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| a.center.distance(b.center) / D).fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn a_floor_gets_one_sphere_per_squared_diameter_out_of_order() {
        let floor = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
        let region = ([0.0, -0.1, 0.0], [1.0, 0.1, 1.0]);
        let balls = cover(&floor, region, |_| true);
        let per_area = balls.len() as f32 * D * D;
        assert!((per_area - 1.0).abs() < 0.1, "{per_area} per squared diameter");
        for ball in &balls {
            assert!(ball.center.y.abs() <= 0.1001 * D && ball.radius == 0.5 * D, "{ball:?}");
            assert!(ball.center.x > -0.01 * D && ball.center.z < 1.0 + 0.01 * D, "{ball:?}");
        }
        // No holes that a sphere of the same size falls through, none on top of each other, no flat layer.
        let gap = |x: f32, z: f32| {
            let to = |ball: &Ball| (ball.center - Vec3::new(x, ball.center.y, z)).length() / D;
            balls.iter().map(to).fold(f32::INFINITY, f32::min)
        };
        let grid = (2..19).flat_map(|i| (2..19).map(move |j| (i as f32 * D, j as f32 * D)));
        assert!(grid.map(|(x, z)| gap(x, z)).fold(0.0, f32::max) < 1.2);
        assert!(closest(&balls) > 0.3, "{}", closest(&balls));
        let mean = balls.iter().map(|b| b.center.y.abs()).sum::<f32>() / balls.len() as f32;
        assert!((mean / (0.05 * D) - 1.0).abs() < 0.2, "{mean}");
        assert_eq!(balls, cover(&floor, region, |_| true), "the same every time");
    }

    #[test]
    fn walls_are_covered_where_they_face_space() {
        // A container's inner faces, six of 1 m2.
        let tub = Shape::Box { min: [0.0; 3], max: [1.0; 3], hollow: true };
        let balls = cover(&tub, ([0.0; 3], [1.0; 3]), |_| true);
        let per_area = balls.len() as f32 * D * D / 6.0;
        assert!((per_area - 1.0).abs() < 0.15, "{per_area}");
        // Only half of a floor looks out where a block stands on the other.
        let floor = Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
        let region = ([0.0, -0.1, 0.0], [1.0, 0.1, 1.0]);
        let balls = cover(&floor, region, |x| x.x < 0.5);
        assert!(balls.iter().all(|ball| ball.center.x < 0.5 + 0.01), "covered under the block");
        assert!((balls.len() as f32 * D * D / 0.5 - 1.0).abs() < 0.15, "{}", balls.len());
        // A ball: 4 pi r^2.
        let round = Shape::Sphere { center: [0.0; 3], radius: 0.4, hollow: false };
        let balls = cover(&round, ([-0.4; 3], [0.4; 3]), |_| true);
        let area = 4.0 * std::f32::consts::PI * 0.16;
        assert!((balls.len() as f32 * D * D / area - 1.0).abs() < 0.15, "{}", balls.len());
        assert!(balls.iter().all(|ball| (ball.center.length() - 0.4).abs() < 0.11 * D));
    }

    #[test]
    fn regions_without_a_wall_or_with_too_much_of_it_are_refused() {
        let floor = Sdf::new(&Shape::Plane { point: [0.0; 3], normal: [0.0, 1.0, 0.0] }).unwrap();
        let cover = |low: f32, diameter| {
            let region = (Vec3::new(0.0, low, 0.0), Vec3::new(1.0, low + 0.1, 1.0));
            cover_with_spheres(&floor, region, diameter, 1, |_| true)
        };
        assert_eq!(cover(1.0, D), Err(FillError::Empty { radius: 0.5 * D }));
        assert!(matches!(cover(0.0, 1e-5), Err(FillError::TooMany { .. })));
    }
}
