//! Walls of unions and intersections.
//!
//! A wall of a part bounds an intersection exactly where its nearest point lies in all other parts. Where it does not,
//! the nearest point of the intersection may be an edge in which two parts meet; it is found from both walls.

use glam::Vec3;

use super::sdf::{Part, Surface};

/// Rejected walls kept to look for edges, and edges given; more are ignored.
const CANDIDATE_COUNT: usize = 16;
/// Edges that one intersection gives at most.
pub(super) const EDGE_COUNT: u16 = 4;

/// Nearest wall of the part that is `first` by distance, as far as its own faces go.
pub(super) fn nearest_part<'a>(
    parts: impl Iterator<Item = &'a Part>,
    x: Vec3,
    first: impl Fn(f32, f32) -> bool,
) -> Surface {
    let mut best: Option<(&Part, f32)> = None;
    for part in parts {
        let distance = part.node.distance(x);
        if best.is_none_or(|(_, so_far)| first(distance, so_far)) {
            best = Some((part, distance));
        }
    }
    match best {
        Some((part, _)) => {
            let surface = part.node.nearest(x);
            surface.with_face(surface.face + part.first_face)
        }
        // Compiling refuses combinations without parts.
        None => Surface { distance: f32::INFINITY, normal: Vec3::Y, closest: x, face: 0, lambda: None },
    }
}

/// Walls of an intersection that are nearer than `reach`.
pub(super) fn intersection_surfaces(
    parts: &[Part],
    edge_face: u16,
    x: Vec3,
    reach: f32,
    emit: &mut dyn FnMut(Surface),
) {
    let tolerance = 1e-4 * reach.min(1.0);
    // The part that x is deepest out of. Within the solid only its walls lead out.
    let mut outermost = (0, f32::NEG_INFINITY);
    for (i, part) in parts.iter().enumerate() {
        let distance = part.node.distance(x);
        if distance > outermost.1 {
            outermost = (i, distance);
        }
    }
    let mut candidate =
        [(0_usize, Surface { distance: 0.0, normal: Vec3::Y, closest: x, face: 0, lambda: None });
            CANDIDATE_COUNT];
    let mut candidate_count = 0;
    let mut found = false;
    for (i, part) in parts.iter().enumerate() {
        part.node.surfaces(x, reach, part.first_face, &mut |surface| {
            if surface.distance < 0.0 && i != outermost.0 {
                return;
            }
            let mut cut_away = false;
            let mut repeated = false;
            for (j, other) in parts.iter().enumerate().filter(|(j, _)| *j != i) {
                let distance = other.node.distance(surface.closest);
                cut_away |= distance > tolerance;
                // A wall that two parts share is given by the first of them.
                repeated |= j < i
                    && distance >= -tolerance
                    && other.node.nearest(surface.closest).normal.dot(surface.normal) > 0.99;
            }
            if cut_away {
                if surface.distance > 0.0 && candidate_count < CANDIDATE_COUNT {
                    candidate[candidate_count] = (i, surface);
                    candidate_count += 1;
                }
            } else if !repeated {
                found = true;
                emit(surface);
            }
        });
    }
    edges_between(parts, &candidate[..candidate_count], x, reach, tolerance, |number, surface| {
        emit(surface.with_face(edge_face + number));
    });
    // Inside the solid there is always a way out.
    if !found && outermost.1 <= 0.0 {
        let part = &parts[outermost.0];
        let surface = part.node.nearest(x);
        emit(surface.with_face(surface.face + part.first_face));
    }
}

/// Edges nearer than `reach` in which two of the walls meet, each with its number; walls come with their parts.
fn edges_between(
    parts: &[Part],
    walls: &[(usize, Surface)],
    x: Vec3,
    reach: f32,
    tolerance: f32,
    mut emit: impl FnMut(u16, Surface),
) {
    let mut edges = [Vec3::ZERO; EDGE_COUNT as usize];
    let mut edge_count = 0;
    for (a, first) in walls.iter().enumerate() {
        for second in &walls[a + 1..] {
            if first.0 == second.0 || edge_count == edges.len() {
                continue;
            }
            let Some(edge) = edge_between(parts, first, second, x, tolerance) else { continue };
            let (offset, distance) = (x - edge, (x - edge).length());
            let known = edges[..edge_count].iter().any(|e| (*e - edge).length() < 10.0 * tolerance);
            if known || distance >= reach || distance <= tolerance {
                continue;
            }
            edges[edge_count] = edge;
            let normal = offset / distance;
            emit(edge_count as u16, Surface { distance, normal, closest: edge, face: 0, lambda: None });
            edge_count += 1;
        }
    }
}

/// The point nearest to `x` of the edge in which two walls meet, if it bounds the intersection and faces `x`.
///
/// The walls are taken as planes first, then corrected a few times by the parts' true distances.
fn edge_between(
    parts: &[Part],
    first: &(usize, Surface),
    second: &(usize, Surface),
    x: Vec3,
    tolerance: f32,
) -> Option<Vec3> {
    let (a, b) = meet(first.1.distance, first.1.normal, second.1.distance, second.1.normal)?;
    if a <= 0.0 || b <= 0.0 {
        return None;
    }
    let mut y = x - a * first.1.normal - b * second.1.normal;
    for _ in 0..3 {
        let (one, two) = (parts[first.0].node.nearest(y), parts[second.0].node.nearest(y));
        let (a, b) = meet(one.distance, one.normal, two.distance, two.normal)?;
        y -= a * one.normal + b * two.normal;
    }
    let bounds = parts.iter().enumerate().all(|(k, part)| {
        let distance = part.node.distance(y);
        let on_wall = k != first.0 && k != second.0 || distance >= -10.0 * tolerance;
        distance <= 10.0 * tolerance && on_wall
    });
    bounds.then_some(y)
}

/// Steps along two normals that reduce both distances to zero; `None` for nearly parallel walls.
fn meet(d1: f32, n1: Vec3, d2: f32, n2: Vec3) -> Option<(f32, f32)> {
    let c = n1.dot(n2);
    let determinant = 1.0 - c * c;
    (determinant > 1e-3).then(|| ((d1 - c * d2) / determinant, (d2 - c * d1) / determinant))
}
