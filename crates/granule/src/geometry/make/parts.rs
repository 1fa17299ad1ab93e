//! Distances from simple solids \[m\], negative inside; never more than the true ones.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};

/// A box around the origin with half its edges.
pub fn cuboid(x: Vec3, half: Vec3) -> f32 {
    let beyond = x.abs() - half;
    beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0)
}

/// A cylinder or cone on the origin along y, with its radii below and above.
pub fn frustum(x: Vec3, height: f32, below: f32, above: f32) -> f32 {
    let slope = (below - above) / height;
    let side = (Vec2::new(x.x, x.z).length() - below + slope * x.y) / (1.0 + slope * slope).sqrt();
    side.max(x.y - height).max(-x.y)
}

/// An ellipsoid around the origin; near its surface only.
pub fn ellipsoid(x: Vec3, radii: Vec3) -> f32 {
    let scaled = (x / radii).length();
    let steepness = (x / (radii * radii)).length();
    if steepness < 1e-6 { -radii.min_element() } else { scaled * (scaled - 1.0) / steepness }
}

/// The hull of two balls: the ball of the family between them that is nearest along the surface's normal.
pub fn limb(x: Vec3, [from, to]: [Vec3; 2], [thick, thin]: [f32; 2]) -> f32 {
    let (axis, length) = ((to - from).normalize_or_zero(), from.distance(to));
    let along = (x - from).dot(axis);
    let across = (x - from - along * axis).length();
    let sine = ((thick - thin) / length).clamp(-0.99, 0.99);
    let at = (along - across * sine / (1.0 - sine * sine).sqrt()).clamp(0.0, length);
    Vec2::new(across, along - at).length() - (thick + (thin - thick) * at / length)
}

/// Two solids with a fillet of about `width` \[m\] between them.
pub fn blend(a: f32, b: f32, width: f32) -> f32 {
    let near = (width - (a - b).abs()).max(0.0);
    a.min(b) - near * near / (4.0 * width)
}

/// The place in the first of `count` equal sectors around y, turned so that the sector's middle is along x.
pub fn sector(x: Vec3, count: u32) -> Vec3 {
    let width = TAU / count as f32;
    let angle = x.z.atan2(x.x);
    let within = angle - width * (angle / width).round();
    let radius = Vec2::new(x.x, x.z).length();
    Vec3::new(radius * within.cos(), x.y, radius * within.sin())
}

/// The place relative to the nearest of `2 each + 1` points `period` \[m\] apart, the middle one at 0.
pub fn repeated(x: f32, period: f32, each: f32) -> f32 {
    x - period * (x / period).round().clamp(-each, each)
}

/// A place turned around z by an angle \[radians\], clockwise, as seen by a part that is turned counter-clockwise.
pub fn turned(x: Vec3, angle: f32) -> Vec3 {
    let at = Vec2::from_angle(-angle).rotate(Vec2::new(x.x, x.y));
    Vec3::new(at.x, at.y, x.z)
}

/// Distance from a line of straight pieces in the plane.
pub fn polyline(x: Vec2, points: &[Vec2]) -> f32 {
    points.windows(2).map(|piece| x.distance(nearest(x, piece[0], piece[1]))).fold(f32::INFINITY, f32::min)
}

/// Distance from a closed polygon in the plane, negative inside.
pub fn polygon(x: Vec2, points: &[Vec2]) -> f32 {
    let (mut least, mut turns) = (f32::INFINITY, 0.0);
    for (k, &from) in points.iter().enumerate() {
        let to = points[(k + 1) % points.len()];
        least = least.min(x.distance(nearest(x, from, to)));
        turns += (from - x).angle_to(to - x);
    }
    if turns.abs() > PI { -least } else { least }
}

fn nearest(x: Vec2, from: Vec2, to: Vec2) -> Vec2 {
    let along = to - from;
    from + along * ((x - from).dot(along) / along.length_squared()).clamp(0.0, 1.0)
}
