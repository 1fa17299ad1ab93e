//! A sand castle.

use glam::Vec3;

use super::contour;
use super::parts::{cuboid, frustum, repeated, sector};
use crate::geometry::TriangleMesh;

/// Half the distance between corner towers \[m\].
const CORNER: f32 = 0.37;
/// Height of towers and walls up to their parapets \[m\].
const TOWER: f32 = 0.36;
const WALL: f32 = 0.22;
const KEEP: f32 = 0.44;

/// A castle one metre wide, centred at the origin: four tapering towers and the walls between them, all with battlements, a gate
/// towards +z, a courtyard and a keep with a pointed roof. `divisions` cells along a metre.
pub fn castle(divisions: u32) -> TriangleMesh {
    let bounds = [Vec3::new(-0.51, 0.0, -0.51), Vec3::new(0.51, 0.84, 0.51)];
    let mut mesh = contour(distance, bounds, 1.0 / divisions.max(20) as f32);
    let middle = mesh.bounds().map_or(Vec3::ZERO, |bounds| bounds.center());
    mesh.position.iter_mut().for_each(|x| *x -= middle);
    mesh
}

fn distance(x: Vec3) -> f32 {
    let yard = cuboid(x - Vec3::new(0.0, 0.02, 0.0), Vec3::new(CORNER, 0.02, CORNER));
    yard.min(tower(x)).min(walls(x)).min(keep(x))
}

/// The corner towers: one, mirrored.
fn tower(x: Vec3) -> f32 {
    let x = Vec3::new(x.x.abs() - CORNER, x.y, x.z.abs() - CORNER);
    let solid = frustum(x, TOWER, 0.13, 0.105).min(parapet(x, TOWER, 0.125, 8));
    let slit = Vec3::new(0.16, 0.0, 0.0);
    let outwards = Vec3::new(0.5f32.sqrt() * (x.x + x.z), x.y - 0.23, 0.5f32.sqrt() * (x.z - x.x));
    solid.max(-cuboid(outwards - slit, Vec3::new(0.07, 0.035, 0.014)))
}

/// The rim of a tower from a height on \[m\]: a ledge, and merlons on it.
fn parapet(x: Vec3, from: f32, radius: f32, merlons: u32) -> f32 {
    let ledge = frustum(x - Vec3::Y * (from - 0.03), 0.03, radius - 0.02, radius).min(frustum(
        x - Vec3::Y * from,
        0.025,
        radius,
        radius,
    ));
    let depth = 0.022;
    let width = 0.55 * std::f32::consts::PI * radius / merlons as f32;
    let middle = Vec3::new(radius - depth, from + 0.045, 0.0);
    let merlon = cuboid(sector(x, merlons) - middle, Vec3::new(depth, 0.035, width));
    // Cut round outside, as the ledge is.
    ledge.min(merlon.max(frustum(x - Vec3::Y * from, 0.1, radius, radius)))
}

/// The walls between the towers, and the gate.
fn walls(x: Vec3) -> f32 {
    // All four are that along x at +z; only the front one has the gate.
    let front = x.z > x.x.abs();
    let (along, across) = if x.z.abs() > x.x.abs() { (x.x, x.z.abs()) } else { (x.z, x.x.abs()) };
    let at = Vec3::new(along, x.y, across - CORNER);
    let wall = cuboid(at - Vec3::Y * (0.5 * WALL), Vec3::new(CORNER, 0.5 * WALL, 0.045));
    let merlon = Vec3::new(repeated(along, 0.084, 2.0), x.y - WALL - 0.02, at.z - 0.026);
    let solid = wall.min(cuboid(merlon, Vec3::new(0.023, 0.035, 0.019)));
    if !front {
        return solid;
    }
    let frame = cuboid(at - Vec3::new(0.0, 0.14, 0.01), Vec3::new(0.105, 0.14, 0.06));
    let cap = cuboid(at - Vec3::new(0.0, 0.29, 0.01), Vec3::new(0.12, 0.022, 0.07));
    let teeth = Vec3::new(repeated(along, 0.08, 1.0), x.y - 0.32, at.z - 0.055);
    let house = frame.min(cap).min(cuboid(teeth, Vec3::new(0.02, 0.03, 0.02)));
    let arch = Vec3::new(along, (x.y - 0.13).max(0.0), 0.0).length() - 0.058;
    let passage = arch.max(at.z.abs() - 0.2).max(0.04 - x.y);
    solid.min(house).max(-passage)
}

/// The keep: a round tower with a turret on it.
fn keep(x: Vec3) -> f32 {
    let body = frustum(x, KEEP, 0.205, 0.165).min(parapet(x, KEEP, 0.19, 10));
    let window = sector(x, 6) - Vec3::new(0.2, 0.31, 0.0);
    let arch =
        Vec3::new(0.0, (window.y - 0.02).max(0.0) + (window.y + 0.03).min(0.0), window.z).length() - 0.021;
    let body = body.max(-arch.max(window.x.abs() - 0.045));
    let turret = frustum(x - Vec3::Y * KEEP, 0.18, 0.095, 0.085);
    let roof = frustum(x - Vec3::Y * (KEEP + 0.18), 0.2, 0.12, 0.006);
    body.min(turret).min(roof)
}
