//! Walls in double precision, for grains whose overlaps are a thousandth of their size.
//!
//! Single precision says which walls are near ([`Sdf::surfaces`](super::Sdf::surfaces)); how far away each is follows here
//! from the same shape in double precision, with the curvature that contact laws ask for. Meshes, alone or in a union, are
//! touched triangle by triangle ([`ContactMesh`](crate::geometry::ContactMesh)); where a mesh is cut by another shape, its
//! distances come from a grid and stay as they are, moved on by what rounding has taken from the point.

use glam::{DQuat, DVec2, DVec3, Vec2, Vec3};

use super::primitive::{Ball, Block, HalfSpace, Pill};
use super::profile::{Edge, Profile};
use super::sdf::{Node, Part, Surface};

/// A wall near a point, in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactSurface {
    /// Signed distance of the point from this wall \[m\], negative inside the solid.
    pub distance: f64,
    /// Unit normal out of the solid.
    pub normal: DVec3,
    /// Nearest point of this wall \[m\].
    pub closest: DVec3,
    /// Mean curvature [1/m], positive where the wall bulges: 1/R of a ball, 1/(2 R) of a cylinder, minus that inside; of a
    /// cone with the radius at the nearest point, as in LAMMPS; 0 for planes, edges and meshes.
    pub curvature: f64,
    /// Which face, edge or vertex of a mesh this is; 0 for other walls.
    pub feature: u32,
}

impl ExactSurface {
    fn plain(distance: f64, normal: DVec3, x: DVec3) -> Self {
        Self { distance, normal, closest: x - distance * normal, curvature: 0.0, feature: 0 }
    }

    fn inverted(self, hollow: bool) -> Self {
        if !hollow {
            return self;
        }
        Self { distance: -self.distance, normal: -self.normal, curvature: -self.curvature, ..self }
    }

    /// In the world, of a solid that is turned and moved.
    pub(super) fn in_world(self, rotation: DQuat, translation: DVec3) -> Self {
        Self { normal: rotation * self.normal, closest: rotation * self.closest + translation, ..self }
    }
}

fn wide(v: Vec3) -> DVec3 {
    v.as_dvec3()
}

/// A direction of single precision, as long as one.
fn unit(v: Vec3) -> DVec3 {
    v.as_dvec3().normalize()
}

fn wide2(v: Vec2) -> DVec2 {
    v.as_dvec2()
}

/// `offset` as a direction and a length; `fallback` where it has none.
fn direction(offset: DVec3, fallback: DVec3) -> (DVec3, f64) {
    let length = offset.length();
    if length <= 1e-300 { (fallback, 0.0) } else { (offset / length, length) }
}

impl Node {
    /// Gives every wall nearer to a point than `reach` \[m\]: as single precision sees it from `x`, and as double precision
    /// does from the same point `exact` \[m\]. Faces are numbered from `first_face`.
    pub(super) fn exact_surfaces(
        &self,
        (x, exact): (Vec3, DVec3),
        reach: f32,
        first_face: u16,
        out: &mut dyn FnMut(Surface, ExactSurface),
    ) {
        match self {
            Node::Grid(solid) => {
                let mut number = |surface: Surface, found| out(surface.with_face(first_face), found);
                solid.facets(x, exact, reach, &mut Vec::new(), &mut number);
            }
            Node::Union(parts) if parts.iter().any(|part| matches!(part.node, Node::Grid(_))) => {
                for part in parts {
                    part.node.exact_surfaces((x, exact), reach, first_face + part.first_face, out);
                }
            }
            node => node.surfaces(x, reach, 0, &mut |surface| {
                let found = node.exact_of(exact, &surface);
                out(surface.with_face(first_face + surface.face), found);
            }),
        }
    }

    /// Whether a wall may be within `reach` \[m\] of a point.
    pub(super) fn may_be_within(&self, x: Vec3, reach: f32) -> bool {
        match self {
            Node::Grid(solid) => solid.may_be_within(x, reach),
            Node::Union(parts) => parts.iter().any(|part| part.node.may_be_within(x, reach)),
            Node::Intersection { parts, .. } => parts.iter().all(|part| part.node.may_be_within(x, reach)),
            node => node.distance(x) < reach,
        }
    }

    /// The wall `near`, which single precision has found near the point, as double precision sees it from there. Where the
    /// two do not mean the same wall, which rounding in a corner can bring about, single precision is right.
    pub(super) fn exact_of(&self, x: DVec3, near: &Surface) -> ExactSurface {
        let found = self.exact(x, near);
        let rounding = 1e-5 * (x.abs().max_element() + near.distance.abs() as f64);
        let same = (found.distance - f64::from(near.distance)).abs() <= rounding;
        if same { found } else { moved_on(x, near) }
    }

    /// The same without a look at the distance. The face of `near` is counted from this node's first.
    fn exact(&self, x: DVec3, near: &Surface) -> ExactSurface {
        match self {
            Node::HalfSpace(plane) => plane.exact(x),
            Node::Block { block, hollow: true } => block.exact_wall(x, near.face),
            Node::Block { block, hollow: false } => block.exact(x),
            Node::Ball { ball, hollow } => ball.exact(x).inverted(*hollow),
            Node::Pill { pill, hollow } => pill.exact(x).inverted(*hollow),
            Node::Profile { profile, hollow } => profile.exact(x, near, *hollow),
            Node::Grid(_) => moved_on(x, near),
            Node::Union(parts) => exact_part(parts, x, near),
            Node::Intersection { edge_face, .. } if near.face >= *edge_face => moved_on(x, near),
            Node::Intersection { parts, .. } => exact_part(parts, x, near),
        }
    }
}

/// A wall that is known in single precision only, at a point that it was not rounded for.
pub(super) fn moved_on(x: DVec3, near: &Surface) -> ExactSurface {
    let normal = unit(near.normal);
    let rounded = wide(near.closest) + f64::from(near.distance) * wide(near.normal);
    ExactSurface::plain(f64::from(near.distance) + normal.dot(x - rounded), normal, x)
}

fn exact_part(parts: &[Part], x: DVec3, near: &Surface) -> ExactSurface {
    let part = parts.iter().rev().find(|part| part.first_face <= near.face);
    match part {
        Some(part) => part.node.exact(x, &near.with_face(near.face - part.first_face)),
        None => moved_on(x, near),
    }
}

impl HalfSpace {
    fn exact(&self, x: DVec3) -> ExactSurface {
        let normal = unit(self.normal);
        ExactSurface::plain(normal.dot(x - wide(self.point)), normal, x)
    }
}

impl Block {
    /// One of the six walls of a container.
    fn exact_wall(&self, x: DVec3, face: u16) -> ExactSurface {
        let axis = usize::from(face / 2).min(2);
        let (wall, sign) =
            if face.is_multiple_of(2) { (self.min[axis], 1.0) } else { (self.max[axis], -1.0) };
        ExactSurface::plain(sign * (x[axis] - f64::from(wall)), sign * DVec3::AXES[axis], x)
    }

    /// The nearest point of a solid.
    fn exact(&self, x: DVec3) -> ExactSurface {
        let (min, max) = (wide(self.min), wide(self.max));
        let beyond = (min - x).max(x - max);
        let deepest = beyond.max_element();
        let axis = (0..3).find(|&axis| beyond[axis] == deepest).unwrap_or(0);
        let sign = if min[axis] - x[axis] > x[axis] - max[axis] { -1.0 } else { 1.0 };
        let face = sign * DVec3::AXES[axis];
        if deepest <= 0.0 {
            return ExactSurface::plain(deepest, face, x);
        }
        let closest = x.clamp(min, max);
        let (normal, distance) = direction(x - closest, face);
        ExactSurface { distance, normal, closest, curvature: 0.0, feature: 0 }
    }
}

impl Ball {
    fn exact(&self, x: DVec3) -> ExactSurface {
        let (center, radius) = (wide(self.center), f64::from(self.radius));
        let (normal, length) = direction(x - center, DVec3::Y);
        ExactSurface {
            distance: length - radius,
            normal,
            closest: center + radius * normal,
            curvature: 1.0 / radius,
            feature: 0,
        }
    }
}

impl Pill {
    fn exact(&self, x: DVec3) -> ExactSurface {
        let (from, axis, radius) = (wide(self.from), unit(self.axis), f64::from(self.radius));
        let place = (x - from).dot(axis);
        let along = place.clamp(0.0, f64::from(self.length));
        let spine = from + along * axis;
        let (normal, length) = direction(x - spine, axis.any_orthonormal_vector());
        let round = if along == place { 0.5 } else { 1.0 };
        ExactSurface {
            distance: length - radius,
            normal,
            closest: spine + radius * normal,
            curvature: round / radius,
            feature: 0,
        }
    }
}

/// A point in the half-plane through it and an axis.
struct Local {
    p: DVec2,
    radial: DVec3,
    axis: DVec3,
    origin: DVec3,
}

impl Local {
    fn surface(&self, distance: f64, normal: DVec2, closest: DVec2) -> ExactSurface {
        // Caps lie across the axis.
        let leans = normal.x.abs() > 1e-6;
        let curvature = if leans { 0.5 * normal.x.signum() / closest.x.max(1e-30) } else { 0.0 };
        ExactSurface {
            distance,
            normal: normal.x * self.radial + normal.y * self.axis,
            closest: self.origin + closest.x * self.radial + closest.y * self.axis,
            curvature,
            feature: 0,
        }
    }

    /// The same point as seen across the axis.
    fn across(&self) -> Self {
        Self { p: DVec2::new(-self.p.x, self.p.y), radial: -self.radial, ..*self }
    }
}

/// Signed distance of a point from the line of an edge, the place along it, and the edge's normal and direction.
fn measure(edge: &Edge, p: DVec2) -> (f64, f64, DVec2, DVec2) {
    let (normal, along) = (wide2(edge.normal).normalize(), wide2(edge.along).normalize());
    let offset = p - wide2(edge.start);
    (normal.dot(offset), along.dot(offset), normal, along)
}

impl Profile {
    fn exact_local(&self, x: DVec3) -> Local {
        let (origin, axis) = (wide(self.origin), unit(self.axis));
        let offset = x - origin;
        let z = offset.dot(axis);
        let (radial, length) = direction(offset - z * axis, axis.any_orthonormal_vector());
        Local { p: DVec2::new(length, z), radial, axis, origin }
    }

    fn exact(&self, x: DVec3, near: &Surface, hollow: bool) -> ExactSurface {
        let local = self.exact_local(x);
        let (face, count) = (usize::from(near.face), self.edge.len());
        match (hollow, face) {
            // A container's faces are its edges, and these seen across the axis.
            (true, _) if face < count => on_edge(&self.edge[face], &local).inverted(true),
            (true, _) if face < 2 * count => {
                on_edge(&self.edge[face - count], &local.across()).inverted(true)
            }
            (true, _) => moved_on(x, near),
            (false, 0) => self.exact_nearest(&local),
            // The wall beyond the axis of a bore.
            (false, _) => {
                let across = local.across();
                let bore = self.edge.iter().filter(|edge| edge.normal.x < 0.0);
                let found =
                    bore.map(|edge| on_edge(edge, &across)).min_by(|a, b| a.distance.total_cmp(&b.distance));
                found.unwrap_or_else(|| moved_on(x, near))
            }
        }
    }

    /// The nearest point of the solid.
    fn exact_nearest(&self, local: &Local) -> ExactSurface {
        let (mut depth, mut inside) = (f64::NEG_INFINITY, None);
        let (mut square, mut outside) = (f64::INFINITY, None);
        for edge in &self.edge {
            let (height, place, normal, along) = measure(edge, local.p);
            if height > depth {
                (depth, inside) = (height, Some(edge));
            }
            let clamped = place.clamp(0.0, f64::from(edge.length));
            let from_edge = height * height + (place - clamped) * (place - clamped);
            if height > 0.0 && from_edge < square {
                square = from_edge;
                outside = Some((height, place == clamped, normal, wide2(edge.start) + clamped * along));
            }
        }
        match (inside, outside) {
            (Some(edge), _) if depth <= 0.0 => on_edge(edge, local),
            (_, Some((height, true, normal, closest))) => local.surface(height, normal, closest),
            (_, Some((_, false, _, closest))) => {
                let distance = square.sqrt();
                let normal = (local.p - closest) / distance;
                ExactSurface { curvature: 0.0, ..local.surface(distance, normal, closest) }
            }
            // Reached only by a point that is not a number.
            _ => ExactSurface::plain(f64::NAN, local.axis, local.origin),
        }
    }
}

/// The wall that an edge makes, as a solid's.
fn on_edge(edge: &Edge, local: &Local) -> ExactSurface {
    let (height, _, normal, _) = measure(edge, local.p);
    local.surface(height, normal, local.p - height * normal)
}

#[cfg(test)]
mod tests {
    use super::super::{Boundaries, Shape};
    use super::*;
    use crate::random::Random;

    fn shapes() -> Vec<Shape> {
        let (from, to) = ([0.1, -0.2, 0.05], [0.25, 0.3, 0.2]);
        let ball = Shape::Sphere { center: [0.1, 0.1, 0.0], radius: 0.3, hollow: false };
        let block = Shape::Box { min: [-0.2; 3], max: [0.3, 0.2, 0.4], hollow: false };
        vec![
            Shape::Plane { point: [0.1, 0.2, -0.1], normal: [0.3, 1.0, -0.2] },
            block.clone(),
            Shape::Box { min: [-0.5; 3], max: [0.5; 3], hollow: true },
            ball.clone(),
            Shape::Sphere { center: [0.0; 3], radius: 0.6, hollow: true },
            Shape::Capsule { from, to, radius: 0.1, hollow: false },
            Shape::Cylinder { from, to, radius: 0.15, hollow: false },
            Shape::Cylinder { from: [0.0, -0.5, 0.0], to: [0.0, 0.5, 0.0], radius: 0.5, hollow: true },
            Shape::Cone { from, to, from_radius: 0.2, to_radius: 0.05, hollow: true },
            Shape::Funnel { from, to, from_radius: 0.1, to_radius: 0.3, thickness: 0.02 },
            Shape::Union(vec![ball.clone(), block.clone()]),
            Shape::Subtraction(vec![block, ball]),
        ]
    }

    /// At points of single precision both precisions must agree, for every shape and face.
    #[test]
    fn double_precision_sees_the_walls_of_single_precision() {
        let mut random = Random::new(5);
        for (k, shape) in shapes().into_iter().enumerate() {
            let boundaries = Boundaries::new([("wall", shape, None, None)]).unwrap();
            let wall = boundaries.iter().next().unwrap();
            let mut seen = 0;
            for _ in 0..4000 {
                let x = 0.8 * Vec3::new(random.signed(), random.signed(), random.signed());
                wall.near(x, x.as_dvec3(), 0.1, &mut |near, exact| {
                    let apart = (f64::from(near.distance) - exact.distance).abs();
                    assert!(apart < 2e-6, "shape {k}: {near:?} {exact:?}");
                    let turned = (near.normal.as_dvec3() - exact.normal).length();
                    assert!(turned < 2e-3 || near.distance.abs() < 1e-3, "shape {k}: {near:?} {exact:?}");
                    let back = exact.closest + exact.distance * exact.normal - x.as_dvec3();
                    assert!(back.length() < 2e-6, "shape {k}: {exact:?}");
                    seen += 1;
                });
            }
            assert!(seen > 50, "shape {k}: {seen}");
        }
    }

    /// A grain 10 m from the origin that a plane, a cylinder and a box see move by a nanometre.
    #[test]
    fn nanometres_are_seen_far_from_the_origin() {
        let far = [10.0, 0.0, 10.0];
        let inside =
            Shape::Cylinder { from: [10.0, -1.0, 10.0], to: [10.0, 1.0, 10.0], radius: 0.5, hollow: true };
        let floor = Shape::Plane { point: far, normal: [1.0, 2.0, 2.0] };
        let tank = Shape::Box { min: [9.5, -0.5, 9.5], max: [10.5, 0.5, 10.5], hollow: true };
        for (shape, out) in
            [(inside, DVec3::X), (floor, DVec3::new(-1.0, -2.0, -2.0) / 3.0), (tank, DVec3::X)]
        {
            let boundaries = Boundaries::new([("wall", shape, None, None)]).unwrap();
            let wall = boundaries.iter().next().unwrap();
            let distance = |x: DVec3| {
                let mut nearest = f64::INFINITY;
                wall.near(x.as_vec3(), x, 0.1, &mut |_, exact| nearest = nearest.min(exact.distance));
                nearest
            };
            let x = DVec3::from(far.map(f64::from)) + 0.49 * out;
            let x = if distance(x).is_finite() { x } else { DVec3::from(far.map(f64::from)) - 0.01 * out };
            let moved = distance(x) - distance(x + 1e-9 * out);
            assert!((moved - 1e-9).abs() < 1e-13, "{moved}");
        }
    }

    /// LAMMPS: R_w = -2 R_c in a cylinder, -2 R(z) in a cone, -R_s in a sphere; planes are flat.
    #[test]
    fn curvatures_are_those_of_the_contact_law() {
        let curvature = |shape: Shape, x: DVec3| {
            let boundaries = Boundaries::new([("wall", shape, None, None)]).unwrap();
            let mut nearest = (f64::INFINITY, 0.0);
            boundaries.iter().next().unwrap().near(x.as_vec3(), x, 0.3, &mut |_, exact| {
                if exact.distance < nearest.0 {
                    nearest = (exact.distance, exact.curvature);
                }
            });
            nearest.1
        };
        let axis = ([0.0, -1.0, 0.0], [0.0, 1.0, 0.0]);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-5, "{a} {b}");
        let x = DVec3::new(0.45, 0.0, 0.0);
        near(curvature(Shape::Cylinder { from: axis.0, to: axis.1, radius: 0.5, hollow: true }, x), -1.0);
        near(curvature(Shape::Cylinder { from: axis.0, to: axis.1, radius: 0.4, hollow: false }, x), 1.25);
        near(curvature(Shape::Sphere { center: [0.0; 3], radius: 0.5, hollow: true }, x), -2.0);
        near(curvature(Shape::Plane { point: [0.0; 3], normal: [1.0, 0.0, 0.0] }, 0.1 * x), 0.0);
        // 45 degrees: the nearest point of a cone of radius 0.6 + z seen from 0.45 lies at 0.525.
        let cone = Shape::Cone { from: axis.0, to: axis.1, from_radius: 0.0, to_radius: 1.2, hollow: true };
        let x = DVec3::new(0.5, 0.0, 0.0);
        let slope = 0.6f64;
        let along = (0.5 * slope + 0.0) / (slope * slope + 1.0);
        let radius = 0.6 + slope * (along - 0.6 * slope / (slope * slope + 1.0));
        near(curvature(cone, x), -0.5 / radius);
    }
}
