//! A solid whose distances are on a grid: triangle meshes.

use std::sync::Arc;

use glam::Vec3;

use super::motion::Pose;
use super::sdf::Surface;
use crate::geometry::VolumeMap;

/// Walls whose normals differ by less than this cosine's angle are one wall.
const SAME_WALL: f32 = 0.9;
/// Slopes shorter than this come from between two walls and are no normals.
const RELIABLE_SLOPE: f32 = 0.95;
/// How far from a point its further walls are looked for, relative to the reach of the query.
const PROBE_STEP: f32 = 0.55;
/// How far each of two walls must stand in front of the other, relative to the probes' step.
const IN_FRONT: f32 = 0.03;
/// Most walls that meet at a point.
const MOST_WALLS: usize = 4;

/// Directions of the probes: along the axes and the diagonals of a cube.
const PROBES: [Vec3; 14] = {
    const D: f32 = 0.577_350_26;
    [
        Vec3::X,
        Vec3::NEG_X,
        Vec3::Y,
        Vec3::NEG_Y,
        Vec3::Z,
        Vec3::NEG_Z,
        Vec3::new(D, D, D),
        Vec3::new(D, D, -D),
        Vec3::new(D, -D, D),
        Vec3::new(D, -D, -D),
        Vec3::new(-D, D, D),
        Vec3::new(-D, D, -D),
        Vec3::new(-D, -D, D),
        Vec3::new(-D, -D, -D),
    ]
};

/// A solid given by its volume map.
#[derive(Clone, Debug)]
pub(super) struct GridSolid {
    pub(super) map: Arc<VolumeMap>,
    /// Where the map's frame lies in that of the shape.
    pub(super) pose: Pose,
    /// Bounds of the mesh in the shape's frame.
    pub(super) bounds: (Vec3, Vec3),
    /// Whether the solid is everything outside the mesh.
    pub(super) hollow: bool,
}

/// A wall seen from a point: its nearest point and its normal.
#[derive(Clone, Copy, Default)]
struct Wall {
    foot: Vec3,
    normal: Vec3,
}

impl GridSolid {
    pub(super) fn distance(&self, x: Vec3) -> f32 {
        self.sample(self.pose.body_from_world(x)).0
    }

    /// Distance and direction in the map's frame. Beyond the grid a container is solid.
    fn sample(&self, local: Vec3) -> (f32, Vec3) {
        let bounds = self.map.grid().bounds();
        if !self.hollow || bounds.contains(local) {
            return self.map.distance(local);
        }
        let inside = local.clamp(bounds.min, bounds.max);
        let (distance, _) = self.map.distance(inside);
        let outwards = local - inside;
        (distance - outwards.length(), -outwards.normalize_or(Vec3::Y))
    }

    pub(super) fn nearest(&self, x: Vec3) -> Surface {
        let (distance, direction) = self.sample(self.pose.body_from_world(x));
        let normal = self.pose.rotation * direction.normalize_or(Vec3::Y);
        Surface { distance, normal, closest: x - distance * normal, face: 0, lambda: None }
    }

    /// All walls near `x`: the nearest one, and where walls meet at a concave angle each of them. The first one holds
    /// the wall integral of all.
    pub(super) fn surfaces(&self, x: Vec3, reach: f32, emit: &mut impl FnMut(Surface)) {
        let local = self.pose.body_from_world(x);
        let (distance, direction) = self.sample(local);
        if distance >= reach {
            return;
        }
        let normal = direction.normalize_or(Vec3::Y);
        let own = Wall { foot: local - distance * normal, normal };
        let mut walls = [own; MOST_WALLS];
        let mut count = 1;
        if self.map.concave_near(local) {
            count = self.meeting_walls(local, own, reach, &mut walls);
        }
        let (lambda, gradient) = self.map.lambda(local);
        for (k, wall) in walls[..count].iter().enumerate() {
            let distance = (local - wall.foot).dot(wall.normal);
            let integral = if k == 0 { (lambda, gradient.dot(wall.normal)) } else { (0.0, 0.0) };
            let normal = self.pose.rotation * wall.normal;
            emit(Surface {
                distance,
                normal,
                closest: x - distance * normal,
                face: 0,
                lambda: Some(integral),
            });
        }
    }

    /// The walls that meet near a point, nearest first, and how many. Between two walls the field's slope is neither's
    /// normal, so walls are looked for around the point where the slope is reliable, and taken as planes from there.
    fn meeting_walls(&self, local: Vec3, own: Wall, reach: f32, walls: &mut [Wall; MOST_WALLS]) -> usize {
        let step = PROBE_STEP * reach;
        let mut found = [(f32::INFINITY, own); PROBES.len() + 1];
        let mut found_count = 0;
        let places = std::iter::once(local).chain(PROBES.map(|direction| local + step * direction));
        for place in places {
            let Some(wall) = self.reliable_wall(place) else { continue };
            let distance = (local - wall.foot).dot(wall.normal);
            if distance < reach {
                found[found_count] = (distance, Wall { foot: local - distance * wall.normal, ..wall });
                found_count += 1;
            }
        }
        let found = &mut found[..found_count];
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut count = 0;
        for (_, wall) in found.iter() {
            if count < MOST_WALLS && walls[..count].iter().all(|other| meet(wall, other, IN_FRONT * step)) {
                walls[count] = *wall;
                count += 1;
            }
        }
        count.max(1)
    }

    /// The wall that a place sees, if it sees one only.
    fn reliable_wall(&self, place: Vec3) -> Option<Wall> {
        let grid = self.map.grid();
        let value = |k: usize| self.map.nodes()[k][0];
        if !grid.bounds().contains(place) {
            return None;
        }
        let (_, slope) = grid.smooth(value, |node| grid.difference(&value, node), place);
        if slope.length() < RELIABLE_SLOPE {
            return None;
        }
        let (distance, direction) = self.map.distance(place);
        let normal = direction.normalize_or(Vec3::Y);
        Some(Wall { foot: place - distance * normal, normal })
    }
}

/// Whether two walls meet at a concave angle, each with its foot in front of the other.
fn meet(a: &Wall, b: &Wall, least: f32) -> bool {
    a.normal.dot(b.normal) < SAME_WALL
        && (a.foot - b.foot).dot(b.normal) > least
        && (b.foot - a.foot).dot(a.normal) > least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::{MeshShape, Resolution, Sdf, Shape};
    use crate::random::Random;
    use crate::sph::{Kernel, KernelKind};

    const D: f32 = 0.02;

    fn resolved(shape: &Shape) -> Sdf {
        let kernel = Kernel::new(KernelKind::Cubic, 2.0 * D);
        Sdf::resolved(shape, Some(&Resolution { kernel, spacing: D })).unwrap()
    }

    /// A cube of 0.3 m around the origin, as a mesh turned about y.
    fn cube(hollow: bool, angle: f32) -> Shape {
        let file = "builtin:cube".into();
        Shape::Mesh(MeshShape { size: Some(0.3), angle, hollow, ..MeshShape::of_file(file) })
    }

    fn walls(sdf: &Sdf, x: Vec3) -> Vec<Surface> {
        let mut walls = Vec::new();
        sdf.surfaces(x, 2.0 * D, &mut |surface| walls.push(surface));
        walls
    }

    /// Particles that touch two or three walls of a container see each of them, and no others.
    #[test]
    fn a_mesh_container_gives_every_wall_of_its_corners() {
        for angle in [0.0, 30.0] {
            let mesh = resolved(&cube(true, angle));
            let turn = glam::Quat::from_rotation_y(angle.to_radians());
            let block = resolved(&Shape::Box { min: [-0.15; 3], max: [0.15; 3], hollow: true });
            let mut random = Random::new(3);
            for _ in 0..2000 {
                // In a corner, along an edge or over a face; about a radius away from each wall there.
                let near = |random: &mut Random| -0.15 + D * (0.45 + 0.25 * random.unit());
                let mut x = Vec3::new(near(&mut random), near(&mut random), near(&mut random));
                for axis in 0..(random.unit() * 3.0) as usize {
                    x[axis] = 0.05 * random.signed();
                }
                let expected: Vec<Surface> =
                    walls(&block, x).into_iter().filter(|wall| wall.distance < D).collect();
                let found = walls(&mesh, turn * x);
                for wall in &expected {
                    let same = found.iter().find(|other| other.normal.dot(turn * wall.normal) > 0.99);
                    let same = same.unwrap_or_else(|| panic!("{angle}: no wall {wall:?} at {x}: {found:?}"));
                    assert!((same.distance - wall.distance).abs() < 0.05 * D, "{same:?} instead of {wall:?}");
                }
                let touching = found.iter().filter(|wall| wall.distance < D).count();
                assert_eq!(touching, expected.len(), "{angle}: {found:?} at {x}");
            }
        }
    }

    #[test]
    fn a_mesh_solid_gives_one_wall_also_at_its_edges() {
        let mesh = resolved(&cube(false, 0.0));
        let block = resolved(&Shape::Box { min: [-0.15; 3], max: [0.15; 3], hollow: false });
        let mut random = Random::new(4);
        for _ in 0..2000 {
            let x = 0.18 * Vec3::new(random.signed(), random.signed(), random.signed());
            let expected = block.nearest(x);
            if expected.distance < 0.3 * D || expected.distance > 1.8 * D {
                continue;
            }
            let found = walls(&mesh, x);
            assert_eq!(found.len(), 1, "{found:?} at {x}");
            assert!((found[0].distance - expected.distance).abs() < 0.05 * D, "{found:?} {expected:?}");
            assert!(found[0].normal.dot(expected.normal) > 0.9, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn a_container_is_solid_wherever_its_mesh_is_not() {
        let mesh = resolved(&cube(true, 0.0));
        assert!(mesh.distance(Vec3::ZERO) > 0.1);
        assert!((mesh.distance(Vec3::new(1.0, 0.0, 0.0)) + 0.85).abs() < 0.01);
        assert!(mesh.nearest(Vec3::new(1.0, 0.0, 0.0)).normal.x < -0.9);
        assert!(mesh.bounds().is_none());
    }
}
