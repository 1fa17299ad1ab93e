//! A squirrel that sits and holds an acorn.

use glam::Vec3;

use super::contour;
use super::parts::{blend, ellipsoid, limb, turned};
use crate::geometry::TriangleMesh;

/// Middles and radii along the tail \[m\].
const TAIL: [([f32; 2], f32); 9] = [
    ([-0.10, 0.10], 0.055),
    ([-0.24, 0.10], 0.075),
    ([-0.36, 0.19], 0.10),
    ([-0.41, 0.34], 0.12),
    ([-0.38, 0.50], 0.13),
    ([-0.32, 0.65], 0.13),
    ([-0.32, 0.79], 0.12),
    ([-0.40, 0.88], 0.09),
    ([-0.49, 0.87], 0.05),
];

/// A squirrel about one metre high, centred at the origin, that looks along +x. `divisions` cells along a metre.
pub fn squirrel(divisions: u32) -> TriangleMesh {
    let bounds = [Vec3::new(-0.57, -0.01, -0.24), Vec3::new(0.38, 1.02, 0.24)];
    let mut mesh = contour(distance, bounds, 1.0 / divisions.max(30) as f32);
    let middle = mesh.bounds().map_or(Vec3::ZERO, |bounds| bounds.center());
    mesh.position.iter_mut().for_each(|x| *x -= middle);
    mesh
}

fn distance(x: Vec3) -> f32 {
    // Both sides are alike.
    let side = Vec3::new(x.x, x.y, x.z.abs());
    let body = blend(trunk(side), legs(side), 0.05);
    let body = blend(body, head(side), 0.06);
    let body = blend(body, arms(side), 0.025);
    let body = blend(body, tail(x), 0.04);
    let eye = side.distance(Vec3::new(0.224, 0.728, 0.07)) - 0.026;
    body.min(eye).min(acorn(x)).max(-x.y)
}

fn trunk(x: Vec3) -> f32 {
    let belly = ellipsoid(turned(x - Vec3::new(0.0, 0.28, 0.0), -0.2), Vec3::new(0.165, 0.24, 0.15));
    let chest = ellipsoid(x - Vec3::new(0.07, 0.47, 0.0), Vec3::new(0.115, 0.14, 0.11));
    blend(belly, chest, 0.08)
}

fn legs(x: Vec3) -> f32 {
    let haunch = ellipsoid(turned(x - Vec3::new(0.01, 0.17, 0.115), 0.5), Vec3::new(0.17, 0.125, 0.075));
    let foot = limb(x, [Vec3::new(0.0, 0.03, 0.125), Vec3::new(0.225, 0.025, 0.145)], [0.045, 0.036]);
    blend(haunch, foot, 0.03)
}

fn head(x: Vec3) -> f32 {
    let skull = ellipsoid(x - Vec3::new(0.155, 0.70, 0.0), Vec3::new(0.125, 0.115, 0.105));
    let cheek = x.distance(Vec3::new(0.185, 0.655, 0.055)) - 0.068;
    let snout = limb(x, [Vec3::new(0.22, 0.67, 0.0), Vec3::new(0.305, 0.645, 0.0)], [0.068, 0.034]);
    let ear = limb(x, [Vec3::new(0.10, 0.79, 0.062), Vec3::new(0.075, 0.91, 0.092)], [0.05, 0.02]);
    let nose = ellipsoid(x - Vec3::new(0.332, 0.655, 0.0), Vec3::new(0.021, 0.018, 0.024));
    blend(blend(skull, cheek, 0.04), blend(snout, ear, 0.02), 0.04).min(nose)
}

fn arms(x: Vec3) -> f32 {
    let (shoulder, elbow) = (Vec3::new(0.09, 0.49, 0.095), Vec3::new(0.175, 0.36, 0.105));
    let hand = Vec3::new(0.265, 0.435, 0.05);
    let arm = limb(x, [shoulder, elbow], [0.055, 0.04]).min(limb(x, [elbow, hand], [0.04, 0.027]));
    arm.min(x.distance(hand + Vec3::new(0.02, 0.012, -0.006)) - 0.028)
}

/// Limbs along a curve, with the waves of its fur.
fn tail(x: Vec3) -> f32 {
    let at = |k: usize| Vec3::new(TAIL[k].0[0], TAIL[k].0[1], 0.0);
    let flat = Vec3::new(x.x, x.y, 1.25 * x.z);
    let mut tail = f32::INFINITY;
    for k in 0..TAIL.len() - 1 {
        tail = blend(tail.min(1e3), limb(flat, [at(k), at(k + 1)], [TAIL[k].1, TAIL[k + 1].1]), 0.03);
    }
    // Furrows along it.
    let full = ((x.y - 0.12) / 0.2).clamp(0.0, 1.0);
    let furrows = (88.0 * x.z + 5.0 * (9.0 * x.y).sin()).sin();
    0.85 * (tail - 0.005 * full * furrows)
}

fn acorn(x: Vec3) -> f32 {
    let x = turned(x - Vec3::new(0.31, 0.455, 0.0), -0.3);
    let nut = ellipsoid(x, Vec3::new(0.042, 0.06, 0.042));
    let cup = ellipsoid(x - Vec3::new(0.0, 0.03, 0.0), Vec3::new(0.054, 0.038, 0.054)).max(0.022 - x.y);
    let stem = limb(x, [Vec3::new(0.0, 0.06, 0.0), Vec3::new(0.01, 0.088, 0.0)], [0.016, 0.014]);
    nut.min(cup).min(stem)
}
