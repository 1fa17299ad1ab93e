//! Distances of sixteen points at a time: twin of [`Sdf::distance`].

use glam::{Vec2, Vec3};

use super::primitive::{Block, TINY};
use super::profile::Profile;
use super::sdf::{Node, Parts, Sdf};
use crate::simd::{Instructions, LANES, Lanes, Real, Vectorised};

/// Sixteen points, a column per axis.
type Points = [[f32; LANES]; 3];

impl Sdf {
    /// Signed distances of sixteen points from the solid [m], negative inside.
    pub fn distances(&self, x: &Points, instructions: Instructions) -> [f32; LANES] {
        distances(self.node(), x, Parts::ALL, instructions)
    }

    /// The same, where only the chosen parts decide.
    pub fn distances_by(&self, x: &Points, chosen: Parts, instructions: Instructions) -> [f32; LANES] {
        distances(self.node(), x, chosen, instructions)
    }

    /// Whether sixteen distances at a time are faster than as many one by one: not those from meshes.
    pub fn is_fast_by_sixteen(&self) -> bool {
        fn is_fast(node: &Node) -> bool {
            match node {
                Node::Union(parts) | Node::Intersection { parts, .. } => {
                    parts.iter().all(|part| is_fast(&part.node))
                }
                node => !matches!(node, Node::Grid(_)),
            }
        }
        is_fast(self.node())
    }
}

fn distances(node: &Node, x: &Points, chosen: Parts, instructions: Instructions) -> [f32; LANES] {
    let (parts, nearest) = match node {
        Node::Union(parts) => (parts, true),
        Node::Intersection { parts, .. } => (parts, false),
        single => return instructions.run(Single { node: single, x }),
    };
    let mut of_parts = chosen.of(parts).map(|part| distances(&part.node, x, Parts::ALL, instructions));
    let mut out = of_parts.next().unwrap_or([f32::INFINITY; LANES]);
    for part in of_parts {
        for k in 0..LANES {
            out[k] = if nearest { out[k].min(part[k]) } else { out[k].max(part[k]) };
        }
    }
    out
}

/// A solid that is not combined of others.
struct Single<'a> {
    node: &'a Node,
    x: &'a Points,
}

impl Vectorised for Single<'_> {
    type Output = [f32; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [f32; LANES] {
        let x = [L::from_array(&self.x[0]), L::from_array(&self.x[1]), L::from_array(&self.x[2])];
        let (distance, hollow) = match self.node {
            Node::HalfSpace(plane) => (dot(less(x, plane.point), plane.normal), false),
            Node::Block { block, hollow } => (from_block(block, x), *hollow),
            Node::Ball { ball, hollow } => (length(less(x, ball.center)) - L::splat(ball.radius), *hollow),
            Node::Pill { pill, hollow } => {
                let offset = less(x, pill.from);
                let along = dot(offset, pill.axis).at_least(L::splat(0.0)).at_most(L::splat(pill.length));
                (length(without(offset, along, pill.axis)) - L::splat(pill.radius), *hollow)
            }
            Node::Profile { profile, hollow } => (from_profile(profile, x), *hollow),
            Node::Grid(_) | Node::Union(_) | Node::Intersection { .. } => return self.one_by_one(),
        };
        if hollow { (-distance).to_array() } else { distance.to_array() }
    }
}

impl Single<'_> {
    fn one_by_one(&self) -> [f32; LANES] {
        let mut out = [0.0; LANES];
        for (k, out) in out.iter_mut().enumerate() {
            *out = self.node.distance(Vec3::new(self.x[0][k], self.x[1][k], self.x[2][k]));
        }
        out
    }
}

#[inline(always)]
fn less<L: Real>(x: [L; 3], point: Vec3) -> [L; 3] {
    [x[0] - L::splat(point.x), x[1] - L::splat(point.y), x[2] - L::splat(point.z)]
}

#[inline(always)]
fn dot<L: Real>(x: [L; 3], with: Vec3) -> L {
    x[0] * L::splat(with.x) + x[1] * L::splat(with.y) + x[2] * L::splat(with.z)
}

#[inline(always)]
fn length<L: Real>(x: [L; 3]) -> L {
    (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).root()
}

/// `x - part * axis`.
#[inline(always)]
fn without<L: Real>(x: [L; 3], part: L, axis: Vec3) -> [L; 3] {
    [x[0] - part * L::splat(axis.x), x[1] - part * L::splat(axis.y), x[2] - part * L::splat(axis.z)]
}

#[inline(always)]
fn from_block<L: Real>(block: &Block, x: [L; 3]) -> L {
    let zero = L::splat(0.0);
    let [a, b, c] = [
        beyond(block.min.x, block.max.x, x[0]),
        beyond(block.min.y, block.max.y, x[1]),
        beyond(block.min.z, block.max.z, x[2]),
    ];
    let outside = length([a.at_least(zero), b.at_least(zero), c.at_least(zero)]);
    outside + a.at_least(b).at_least(c).at_most(zero)
}

/// How far numbers are below `min` or above `max`; negative between them.
#[inline(always)]
fn beyond<L: Real>(min: f32, max: f32, x: L) -> L {
    (L::splat(min) - x).at_least(x - L::splat(max))
}

/// Twin of [`Profile::distance`].
#[inline(always)]
fn from_profile<L: Real>(profile: &Profile, x: [L; 3]) -> L {
    let (zero, tiny) = (L::splat(0.0), L::splat(TINY));
    let offset = less(x, profile.origin);
    let z = dot(offset, profile.axis);
    let radial = length(without(offset, z, profile.axis));
    let beside_axis = tiny + L::splat(1e-6) * length(offset);
    let p = [beside_axis.if_below(radial, radial, zero), z];
    let along = |by: Vec2, p: [L; 2]| L::splat(by.x) * p[0] + L::splat(by.y) * p[1];
    let mut depth = L::splat(f32::NEG_INFINITY);
    let (mut square, mut height, mut over) = (L::splat(f32::INFINITY), zero, zero);
    for edge in &profile.edge {
        let q = [p[0] - L::splat(edge.start.x), p[1] - L::splat(edge.start.y)];
        let (edge_height, place) = (along(edge.normal, q), along(edge.along, q));
        depth = depth.at_least(edge_height);
        let beside = place - place.at_least(zero).at_most(L::splat(edge.length));
        let beside = beside * beside;
        let edge_square = edge_height * edge_height + beside;
        height = edge_square.if_below(square, edge_height, height);
        over = edge_square.if_below(square, beside, over);
        square = square.at_most(edge_square);
    }
    let distance = square.root();
    // Over an edge, or on its end.
    let outside = zero.if_below(over, tiny.if_below(distance, distance, height), height);
    zero.if_below(depth, outside, depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Shape;
    use crate::random::Random;

    /// Distances at random points, sixteen at a time and one by one.
    fn compare(shape: &Shape) {
        let sdf = Sdf::new(shape).unwrap();
        let mut random = Random::new(11);
        let (mut inside, mut outside) = (0, 0);
        for _ in 0..60 {
            let mut x = [[0.0; LANES]; 3];
            x.as_flattened_mut().iter_mut().for_each(|x| *x = 3.0 * random.unit() - 1.5);
            // One on the axis of most.
            (x[0][0], x[2][0]) = (0.0, 0.0);
            let best = sdf.distances(&x, Instructions::best());
            for (k, found) in best.into_iter().enumerate() {
                let point = Vec3::new(x[0][k], x[1][k], x[2][k]);
                let expected = sdf.distance(point);
                assert!((found - expected).abs() < 2e-6, "{shape:?} {point}: {found} {expected}");
                inside += u32::from(found < 0.0);
                outside += u32::from(found > 0.0);
            }
            for instructions in Instructions::ALL.into_iter().filter(|set| set.available()) {
                assert_eq!(sdf.distances(&x, instructions), best, "{shape:?}");
            }
        }
        assert!(inside > 10 && outside > 10, "{shape:?}: {inside} {outside}");
    }

    #[test]
    fn sixteen_distances_are_those_of_the_points_one_by_one() {
        let shapes = r#"
            [[shape]]
            plane = { point = [0, 0.1, 0], normal = [0.6, 0.8, 0] }
            [[shape]]
            box = { min = [-0.7, -0.4, -0.5], max = [0.6, 0.9, 0.8] }
            [[shape]]
            box = { min = [-0.7, -0.4, -0.5], max = [0.6, 0.9, 0.8], hollow = true }
            [[shape]]
            sphere = { center = [0.1, 0, 0], radius = 0.8 }
            [[shape]]
            capsule = { from = [0, -0.5, 0], to = [0.2, 0.6, 0], radius = 0.4 }
            [[shape]]
            cylinder = { from = [0, -0.5, 0], to = [0, 0.6, 0], radius = 0.9, hollow = true }
            [[shape]]
            cone = { from = [0, -0.5, 0], to = [0, 0.9, 0], from_radius = 0.2, to_radius = 1.1 }
            [[shape]]
            subtraction = [
                { box = { min = [-1, -1, -1], max = [1, 1, 1] } },
                { cone = { from = [0, 0, 0], to = [0, 1.5, 0], from_radius = 0.2, to_radius = 0.9 } },
                { cylinder = { from = [0, -1.2, 0], to = [0, 0.1, 0], radius = 0.2 } },
            ]
            [[shape]]
            union = [
                { sphere = { center = [0.5, 0, 0], radius = 0.5 } },
                { box = { min = [-1, -1, -1], max = [0, 0, 1] } },
            ]
        "#;
        #[derive(serde::Deserialize)]
        struct Shapes {
            shape: Vec<Shape>,
        }
        toml::from_str::<Shapes>(shapes).unwrap().shape.iter().for_each(compare);
    }
}
