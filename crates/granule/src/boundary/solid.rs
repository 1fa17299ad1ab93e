//! Compiled solids as plain data, for devices that evaluate distances themselves.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::grid_solid::{Facets, SampledMap};
use super::motion::Pose;
use super::sdf::{Node, Part, Sdf};

/// A solid with its numbers. Subtractions are intersections with inverted parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// Everything behind a plane.
    HalfSpace {
        /// A point of the plane \[m\].
        point: Vec3,
        /// Unit normal out of the solid.
        normal: Vec3,
    },
    /// An axis-aligned box.
    Block {
        /// Smallest corner \[m\].
        min: Vec3,
        /// Largest corner \[m\].
        max: Vec3,
        /// Turned inside out.
        hollow: bool,
    },
    /// A ball.
    Ball {
        /// Centre \[m\].
        center: Vec3,
        /// Radius \[m\].
        radius: f32,
        /// Turned inside out.
        hollow: bool,
    },
    /// A cylinder with round ends.
    Pill {
        /// Centre of one end \[m\].
        from: Vec3,
        /// Unit vector along it.
        axis: Vec3,
        /// Distance of the ends' centres \[m\].
        length: f32,
        /// Radius \[m\].
        radius: f32,
        /// Turned inside out.
        hollow: bool,
    },
    /// A convex polygon turned about an axis.
    Profile {
        /// Origin of the polygon's coordinates \[m\].
        origin: Vec3,
        /// Unit vector along the axis.
        axis: Vec3,
        /// Edges.
        edges: Vec<ProfileEdge>,
        /// Whether the polygon reaches the axis.
        touches_axis: bool,
        /// Turned inside out.
        hollow: bool,
    },
    /// A mesh, whose distances are on a grid.
    Mesh {
        /// Distances and wall integrals.
        map: Arc<SampledMap>,
        /// Its triangles.
        facets: Arc<Facets>,
        /// Where the map's frame lies in that of the shape.
        pose: Pose,
        /// Whether the solid is everything outside the mesh, as the map has it already.
        hollow: bool,
    },
    /// All parts together, each with the number of its first face.
    Union(Vec<(Solid, u16)>),
    /// What all parts have in common.
    Intersection {
        /// Parts, each with the number of its first face.
        parts: Vec<(Solid, u16)>,
        /// Number of the first edge in which two parts meet.
        edge_face: u16,
    },
}

/// An edge of a profile in (radial, axial) coordinates \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileEdge {
    /// Where it begins.
    pub start: Vec2,
    /// Unit vector along it.
    pub along: Vec2,
    /// Its length \[m\].
    pub length: f32,
    /// Unit normal out of the polygon.
    pub normal: Vec2,
}

impl Sdf {
    /// The solid as data.
    pub fn solid(&self) -> Solid {
        solid(self.node())
    }
}

fn solid(node: &Node) -> Solid {
    match node {
        Node::HalfSpace(plane) => Solid::HalfSpace { point: plane.point, normal: plane.normal },
        Node::Block { block, hollow } => Solid::Block { min: block.min, max: block.max, hollow: *hollow },
        Node::Ball { ball, hollow } => {
            Solid::Ball { center: ball.center, radius: ball.radius, hollow: *hollow }
        }
        Node::Pill { pill, hollow } => Solid::Pill {
            from: pill.from,
            axis: pill.axis,
            length: pill.length,
            radius: pill.radius,
            hollow: *hollow,
        },
        Node::Profile { profile, hollow } => profile.solid(*hollow),
        Node::Grid(grid) => Solid::Mesh {
            map: Arc::clone(&grid.map),
            facets: Arc::clone(&grid.facets),
            pose: grid.pose,
            hollow: grid.hollow,
        },
        Node::Union(parts) => Solid::Union(solids(parts)),
        Node::Intersection { parts, edge_face } => {
            Solid::Intersection { parts: solids(parts), edge_face: *edge_face }
        }
    }
}

fn solids(parts: &[Part]) -> Vec<(Solid, u16)> {
    parts.iter().map(|part| (solid(&part.node), part.first_face)).collect()
}
