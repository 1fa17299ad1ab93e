//! The bucket of an excavator.

use glam::{Vec2, Vec3};

use super::contour;
use super::parts::{cuboid, limb, polygon, polyline, repeated, turned};
use crate::geometry::TriangleMesh;

/// Thickness of the plates \[m\].
const PLATE: f32 = 0.05;
/// Half the width \[m\].
const HALF: f32 = 0.36;
/// Where the back plate goes through, from the top to the lip \[m\].
const PROFILE: [Vec2; 8] = [
    Vec2::new(-0.16, 0.40),
    Vec2::new(-0.33, 0.25),
    Vec2::new(-0.40, 0.04),
    Vec2::new(-0.36, -0.17),
    Vec2::new(-0.21, -0.31),
    Vec2::new(0.00, -0.345),
    Vec2::new(0.20, -0.30),
    Vec2::new(0.40, -0.21),
];
/// Pieces of the curve between two of these.
const PIECES: usize = 8;

/// A bucket about one metre long, opening up and towards +x, where its teeth are; its ears, with the holes of the pins, are behind
/// above. `divisions` cells along a metre.
pub fn bucket(divisions: u32) -> TriangleMesh {
    let profile = curve();
    let bounds = [Vec3::new(-0.50, -0.40, -0.40), Vec3::new(0.57, 0.60, 0.40)];
    let mut mesh = contour(|x| distance(x, &profile), bounds, 1.0 / divisions.max(50) as f32);
    let middle = mesh.bounds().map_or(Vec3::ZERO, |bounds| bounds.center());
    mesh.position.iter_mut().for_each(|x| *x -= middle);
    mesh
}

/// The back plate's line: Catmull and Rom's curve through the points.
fn curve() -> Vec<Vec2> {
    let at = |k: isize| PROFILE[k.clamp(0, PROFILE.len() as isize - 1) as usize];
    let mut points = Vec::new();
    for k in 0..PROFILE.len() as isize - 1 {
        let [a, b, c, d] = [at(k - 1), at(k), at(k + 1), at(k + 2)];
        for piece in 0..PIECES {
            let t = piece as f32 / PIECES as f32;
            let (linear, square, cube) = (c - a, 2.0 * a - 5.0 * b + 4.0 * c - d, 3.0 * (b - c) + d - a);
            points.push(b + 0.5 * t * (linear + t * (square + t * cube)));
        }
    }
    points.push(PROFILE[PROFILE.len() - 1]);
    points
}

fn distance(x: Vec3, profile: &[Vec2]) -> f32 {
    let x = Vec3::new(x.x, x.y, x.z.abs());
    let side = Vec2::new(x.x, x.y);
    let shell = (polyline(side, profile) - 0.5 * PLATE).max(x.z - HALF);
    let cheek = polygon(side, profile).max((x.z - HALF + 0.5 * PLATE).abs() - 0.5 * PLATE);
    let [top, lip] = [PROFILE[0], PROFILE[PROFILE.len() - 1]];
    let rim = limb(x, [top.extend(HALF - 0.02), lip.extend(HALF - 0.02)], [0.036, 0.036]);
    shell.min(cheek).min(rim).min(teeth(x, lip)).min(ears(x, side))
}

/// Five teeth along the floor's direction, and the blade between them.
fn teeth(x: Vec3, lip: Vec2) -> f32 {
    let along = (lip - PROFILE[PROFILE.len() - 2]).to_angle();
    let at = turned(x - lip.extend(0.0), along);
    let blade = cuboid(at, Vec3::new(0.05, 0.03, HALF));
    let tooth = Vec3::new(at.x - 0.06, at.y, repeated(at.z, 0.165, 2.0));
    // Thinner towards the tip, from both sides and above.
    let taper =
        (tooth.y.abs() - 0.036 + 0.11 * (tooth.x + 0.05)).max(tooth.z.abs() - 0.045 + 0.1 * (tooth.x + 0.05));
    blade.min(taper.max((tooth.x - 0.035).abs() - 0.075))
}

/// Two pairs of holes for the pins, in plates that stand on the back.
fn ears(x: Vec3, side: Vec2) -> f32 {
    let pins = [Vec2::new(-0.20, 0.49), Vec2::new(-0.40, 0.34)];
    let plate = [(pins[0], Vec2::new(-0.22, 0.33)), (pins[1], Vec2::new(-0.36, 0.20)), (pins[0], pins[1])]
        .map(|(from, to)| polyline(side, &[from, to]) - 0.07)
        .into_iter()
        .fold(f32::INFINITY, f32::min);
    let holes = pins.map(|pin| 0.032 - side.distance(pin)).into_iter().fold(f32::NEG_INFINITY, f32::max);
    // Not where the load is.
    let behind = (x.x - side_of_back(x.y)).max(-1.0);
    plate.max(holes).max((x.z - 0.13).abs() - 0.025).max(behind)
}

/// A line that leaves the back plate's middle to its left \[m\].
fn side_of_back(y: f32) -> f32 {
    if y > 0.40 { 1.0 } else { -0.16 - (0.40 - y) }
}
