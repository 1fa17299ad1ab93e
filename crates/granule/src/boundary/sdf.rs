//! Signed distance to a compiled shape.

use glam::Vec3;

use super::combine;
use super::compile::{self, Resolution, ShapeError};
use super::grid_solid::GridSolid;
use super::primitive::{Ball, Block, HalfSpace, Pill};
use super::profile::Profile;
use super::shape::Shape;

/// One wall near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Signed distance of the point from this wall \[m\], negative inside the solid.
    pub distance: f32,
    /// Unit normal out of the solid.
    pub normal: Vec3,
    /// Nearest point of this wall \[m\]: the point minus `distance * normal`.
    pub closest: Vec3,
    /// Which wall of the solid this is: the same number for the same wall at every query.
    pub face: u16,
    /// Part of a kernel at the point that lies in the solid, and its derivative along the normal [1/m], where they are
    /// known better than from the plane through `closest`.
    pub lambda: Option<(f32, f32)>,
}

impl Surface {
    /// A wall that nothing but its nearest point is known of.
    pub(super) fn plain(distance: f32, normal: Vec3, closest: Vec3) -> Self {
        Self { distance, normal, closest, face: 0, lambda: None }
    }

    /// The same wall seen from the other side: the solid becomes void.
    pub(super) fn inverted(self) -> Self {
        let lambda = self.lambda.map(|(lambda, derivative)| (1.0 - lambda, derivative));
        Self { distance: -self.distance, normal: -self.normal, lambda, ..self }
    }

    pub(super) fn with_face(self, face: u16) -> Self {
        Self { face, ..self }
    }
}

/// A solid compiled for distance queries.
///
/// Limitations: distances are exact for single shapes; for combinations they are the minimum or maximum of the parts',
/// which is a lower bound of the true distance outside a cut solid and of the true depth inside a union.
#[derive(Clone, Debug)]
pub struct Sdf {
    node: Node,
    face_count: u16,
}

/// How much distances change at most from place to place; those from meshes may have errors.
pub const MOST_SLOPE: f32 = 1.05;

/// Some parts of a combined solid: a bit each, the last for all from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts(u32);

impl Parts {
    /// All of them.
    pub const ALL: Self = Self(u32::MAX);

    /// Those of either.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// None of them.
    pub const NONE: Self = Self(0);

    #[inline]
    pub(super) fn of(self, parts: &[Part]) -> impl Iterator<Item = &Part> {
        let bit = move |k: usize| self.0 >> k.min(31) & 1 == 1;
        parts.iter().enumerate().filter(move |(k, _)| bit(*k)).map(|(_, part)| part)
    }
}

/// A part and the number of its first face.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) node: Node,
    pub(super) first_face: u16,
}

/// The tree of a compiled solid. Subtractions are gone: they are intersections with inverted parts.
#[derive(Clone, Debug)]
pub(super) enum Node {
    HalfSpace(HalfSpace),
    Block { block: Block, hollow: bool },
    Ball { ball: Ball, hollow: bool },
    Pill { pill: Pill, hollow: bool },
    Profile { profile: Profile, hollow: bool },
    Grid(GridSolid),
    Union(Vec<Part>),
    Intersection { parts: Vec<Part>, edge_face: u16 },
}

impl Sdf {
    /// Compiles a shape.
    ///
    /// # Errors
    /// Says which value of the shape is wrong and what is allowed.
    pub fn new(shape: &Shape) -> Result<Self, ShapeError> {
        Self::resolved(shape, None)
    }

    /// Compiles a shape with meshes resolved for grains: their distances and wall integrals are good for contact. Without
    /// a resolution they are as fine as suits the mesh.
    ///
    /// # Errors
    /// Says which value of the shape is wrong and what is allowed.
    pub fn resolved(shape: &Shape, resolution: Option<&Resolution>) -> Result<Self, ShapeError> {
        let (node, face_count) = compile::compile(shape, resolution)?;
        Ok(Self { node, face_count })
    }

    pub(super) fn node(&self) -> &Node {
        &self.node
    }

    /// Signed distance of `x` from the solid [m], negative inside.
    #[inline]
    pub fn distance(&self, x: Vec3) -> f32 {
        self.node.distance(x)
    }

    /// The parts of a combination that decide about distances within `radius` [m] of `center`; all of other solids.
    pub fn parts_within(&self, center: Vec3, radius: f32) -> Parts {
        let deciding = |parts: &[Part], sign: f32| {
            // By how much a part may be beaten by another at the centre and still win nearby.
            let distance = |part: &Part| sign * part.node.distance(center);
            let first = parts.iter().map(distance).fold(f32::NEG_INFINITY, f32::max);
            let slack = 2.0 * MOST_SLOPE * radius;
            let near = parts.iter().map(|part| distance(part) >= first - slack);
            Parts(near.enumerate().fold(0, |bits, (k, near)| bits | u32::from(near) << k.min(31)))
        };
        match &self.node {
            Node::Union(parts) => deciding(parts, -1.0),
            Node::Intersection { parts, .. } => deciding(parts, 1.0),
            _ => Parts::ALL,
        }
    }

    /// As [`distance`](Self::distance), where no other parts decide.
    #[inline]
    pub fn distance_by(&self, x: Vec3, chosen: Parts) -> f32 {
        match &self.node {
            Node::Union(parts) => {
                chosen.of(parts).map(|part| part.node.distance(x)).fold(f32::INFINITY, f32::min)
            }
            Node::Intersection { parts, .. } => {
                chosen.of(parts).map(|part| part.node.distance(x)).fold(f32::NEG_INFINITY, f32::max)
            }
            node => node.distance(x),
        }
    }

    /// As [`nearest`](Self::nearest), where no other parts decide.
    pub fn nearest_by(&self, x: Vec3, chosen: Parts) -> Surface {
        match &self.node {
            Node::Union(parts) => combine::nearest_part(chosen.of(parts), x, |a, b| a < b),
            Node::Intersection { parts, .. } => combine::nearest_part(chosen.of(parts), x, |a, b| a > b),
            node => node.nearest(x),
        }
    }

    /// Smallest and largest corner of the solid [m]; `None` if it has no bounds.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.node.bounds()
    }

    /// Bounds of all walls but planes [m]: those of the cavity for a container.
    pub fn wall_bounds(&self) -> Option<(Vec3, Vec3)> {
        self.node.wall_bounds()
    }

    /// Distance from `x` beyond which there are no walls but planes [m]: how far a turning solid reaches.
    pub fn farthest_wall(&self, x: Vec3) -> f32 {
        self.node.wall_bounds().map_or(0.0, |(min, max)| (x - min).abs().max((x - max).abs()).length())
    }

    /// The nearest wall alone: its `distance` is [`distance`](Self::distance), its normal that one's gradient.
    pub fn nearest(&self, x: Vec3) -> Surface {
        self.node.nearest(x)
    }

    /// Gives every wall nearer to `x` than `reach` [m], those that `x` has penetrated included.
    ///
    /// * A container (hollow shape) gives each of its faces, so that a concave corner gives all that meet there. A
    ///   narrow hollow cone or cylinder and a funnel also give the wall beyond the axis.
    /// * A convex solid gives its nearest point.
    /// * A union gives the walls of all its parts. An intersection or subtraction gives those walls of its parts that
    ///   bound the combined solid, and the convex edges where two of them meet.
    pub fn surfaces(&self, x: Vec3, reach: f32, out: &mut impl FnMut(Surface)) {
        self.node.surfaces(x, reach, 0, out);
    }

    /// How many numbers [`Surface::face`] runs over.
    pub fn face_count(&self) -> u16 {
        self.face_count
    }
}

impl Node {
    pub(super) fn distance(&self, x: Vec3) -> f32 {
        let signed = |distance: f32, hollow: bool| if hollow { -distance } else { distance };
        match self {
            Node::HalfSpace(plane) => plane.distance(x),
            Node::Block { block, hollow } => signed(block.distance(x), *hollow),
            Node::Ball { ball, hollow } => signed(ball.distance(x), *hollow),
            Node::Pill { pill, hollow } => signed(pill.distance(x), *hollow),
            Node::Profile { profile, hollow } => signed(profile.distance(x), *hollow),
            Node::Grid(solid) => solid.distance(x),
            Node::Union(parts) => {
                parts.iter().map(|part| part.node.distance(x)).fold(f32::INFINITY, f32::min)
            }
            Node::Intersection { parts, .. } => {
                parts.iter().map(|part| part.node.distance(x)).fold(f32::NEG_INFINITY, f32::max)
            }
        }
    }

    pub(super) fn nearest(&self, x: Vec3) -> Surface {
        let signed = |surface: Surface, hollow: bool| if hollow { surface.inverted() } else { surface };
        match self {
            Node::HalfSpace(plane) => plane.nearest(x),
            Node::Block { block, hollow } => signed(block.nearest(x), *hollow),
            Node::Ball { ball, hollow } => signed(ball.nearest(x), *hollow),
            Node::Pill { pill, hollow } => signed(pill.nearest(x), *hollow),
            Node::Profile { profile, hollow } => signed(profile.nearest(x), *hollow),
            Node::Grid(solid) => solid.nearest(x),
            Node::Union(parts) => combine::nearest_part(parts.iter(), x, |a, b| a < b),
            Node::Intersection { parts, .. } => combine::nearest_part(parts.iter(), x, |a, b| a > b),
        }
    }

    /// Walls nearer than `reach`, their faces numbered from `first_face`.
    pub(super) fn surfaces(&self, x: Vec3, reach: f32, first_face: u16, out: &mut dyn FnMut(Surface)) {
        let mut emit = |surface: Surface| {
            if surface.distance < reach {
                out(surface.with_face(surface.face + first_face));
            }
        };
        match self {
            Node::HalfSpace(plane) => emit(plane.nearest(x)),
            Node::Block { block, hollow: true } => block.walls(x, reach, &mut emit),
            Node::Block { block, hollow: false } => emit(block.nearest(x)),
            Node::Ball { ball, hollow: true } => emit(ball.nearest(x).inverted()),
            Node::Ball { ball, hollow: false } => emit(ball.nearest(x)),
            Node::Pill { pill, hollow: true } => emit(pill.nearest(x).inverted()),
            Node::Pill { pill, hollow: false } => emit(pill.nearest(x)),
            Node::Profile { profile, hollow: true } => profile.walls(x, reach, &mut emit),
            Node::Profile { profile, hollow: false } => profile.outside(x, &mut emit),
            Node::Grid(solid) => solid.surfaces(x, reach, &mut emit),
            Node::Union(parts) => {
                for part in parts {
                    part.node.surfaces(x, reach, first_face + part.first_face, out);
                }
            }
            Node::Intersection { parts, edge_face } => {
                combine::intersection_surfaces(parts, *edge_face, x, reach, &mut emit);
            }
        }
    }

    /// Bounds of the walls, planes aside: those of the cavity for a container.
    fn wall_bounds(&self) -> Option<(Vec3, Vec3)> {
        match self {
            Node::HalfSpace(_) => None,
            Node::Block { block, .. } => Some(block.bounds()),
            Node::Ball { ball, .. } => Some(ball.bounds()),
            Node::Pill { pill, .. } => Some(pill.bounds()),
            Node::Profile { profile, .. } => Some(profile.bounds()),
            Node::Grid(solid) => Some(solid.bounds),
            Node::Union(parts) | Node::Intersection { parts, .. } => parts
                .iter()
                .filter_map(|part| part.node.wall_bounds())
                .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))),
        }
    }

    fn bounds(&self) -> Option<(Vec3, Vec3)> {
        match self {
            Node::HalfSpace(_)
            | Node::Block { hollow: true, .. }
            | Node::Ball { hollow: true, .. }
            | Node::Pill { hollow: true, .. }
            | Node::Profile { hollow: true, .. }
            | Node::Grid(GridSolid { hollow: true, .. }) => None,
            Node::Block { .. }
            | Node::Ball { .. }
            | Node::Pill { .. }
            | Node::Profile { .. }
            | Node::Grid(_) => self.wall_bounds(),
            Node::Union(parts) => parts
                .iter()
                .map(|part| part.node.bounds())
                .reduce(|a, b| a.zip(b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))))
                .flatten(),
            Node::Intersection { parts, .. } => parts
                .iter()
                .filter_map(|part| part.node.bounds())
                .reduce(|a, b| (a.0.max(b.0), a.1.min(b.1)))
                // Parts that do not meet leave nothing: a single point bounds it.
                .map(|(min, max)| (min, max.max(min))),
        }
    }
}
