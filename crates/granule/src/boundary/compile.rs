//! From shapes as scenes describe them to distance functions, with every value checked.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use thiserror::Error;

use super::combine;
use super::grid_solid::{Facets, GridSolid, MEETING_REACH, SampledMap};
use super::mesh_shape::MeshShape;
use super::motion::Pose;
use super::primitive::{Ball, Block, HalfSpace, Pill};
use super::profile::Profile;
use super::sdf::{Node, Part};
use super::shape::Shape;
use crate::geometry::VolumeMap;
use crate::geometry::cache::FieldCache;
use crate::sph::{Kernel, KernelKind};

/// Ends nearer than this \[m\] give no axis, normals shorter than this no direction.
const SHORTEST: f32 = 1e-9;

/// Cells along a mesh that no grain touches.
const MESH_CELLS: f32 = 64.0;

/// What is wrong with a shape.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// A number is infinite or not a number.
    #[error("{shape}: `{field}` must be finite, got {value:?}")]
    NotFinite {
        /// Kind of shape.
        shape: &'static str,
        /// Name of the value.
        field: &'static str,
        /// What was given.
        value: Vec<f32>,
    },
    /// A length must be above zero.
    #[error("{shape}: `{field}` must be greater than 0, got {value}")]
    NotPositive {
        /// Kind of shape.
        shape: &'static str,
        /// Name of the value.
        field: &'static str,
        /// What was given.
        value: f32,
    },
    /// A length must not be negative.
    #[error("{shape}: `{field}` must be 0 or greater, got {value}")]
    Negative {
        /// Kind of shape.
        shape: &'static str,
        /// Name of the value.
        field: &'static str,
        /// What was given.
        value: f32,
    },
    /// A plane's normal has no direction.
    #[error("plane: `normal` must not be zero, got {value:?}")]
    ZeroNormal {
        /// What was given.
        value: [f32; 3],
    },
    /// A box is empty or inside out.
    #[error("box: `min` must be smaller than `max` in every axis, got {min} and {max} in {axis}")]
    EmptyBox {
        /// Name of the axis.
        axis: char,
        /// Smallest coordinate that was given.
        min: f32,
        /// Largest coordinate that was given.
        max: f32,
    },
    /// Both ends are the same point.
    #[error("{shape}: `from` and `to` must differ, both are {value:?}")]
    NoAxis {
        /// Kind of shape.
        shape: &'static str,
        /// What was given.
        value: [f32; 3],
    },
    /// A cone needs a radius at one end at least.
    #[error("cone: `from_radius` and `to_radius` must not both be 0")]
    NoRadius,
    /// A mesh cannot be used.
    #[error("mesh {file}: {reason}")]
    Mesh {
        /// The file, or the name of a built-in mesh.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A combination has no parts.
    #[error("{operation}: needs at least one shape, got none")]
    NoParts {
        /// Kind of combination.
        operation: &'static str,
    },
    /// A part of a combination is wrong.
    #[error("{operation}, part {index}: {error}")]
    Part {
        /// Kind of combination.
        operation: &'static str,
        /// Number of the part, from 0.
        index: usize,
        /// What is wrong with it.
        error: Box<ShapeError>,
    },
    /// More walls than can be numbered.
    #[error("a shape may have at most {most} walls in all its parts, got {count}")]
    TooManyWalls {
        /// How many are allowed.
        most: u16,
        /// How many there are.
        count: usize,
    },
}

/// What meshes are resolved for.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// Kernel whose part in the solid is tabulated.
    pub kernel: Kernel,
    /// Particle spacing \[m\].
    pub spacing: f32,
}

impl Resolution {
    /// A resolution that suits a mesh of some size [m], for shapes that no grain touches.
    fn of_size(size: f32) -> Self {
        let spacing = 2.0 * size / MESH_CELLS;
        Self { kernel: Kernel::new(KernelKind::Cubic, 2.0 * spacing), spacing }
    }
}

/// Loads a mesh and finds its distances, or takes them from the disk.
fn grid_solid(
    shape: &MeshShape,
    inverted: bool,
    resolution: Option<&Resolution>,
) -> Result<GridSolid, ShapeError> {
    let wrong = |reason: String| ShapeError::Mesh { file: shape.file.clone(), reason };
    let mut mesh = shape.load().map_err(|error| wrong(error.error.to_string()))?;
    let bounds = mesh.bounds().ok_or_else(|| wrong("the mesh has no triangles".into()))?;
    let hollow = shape.hollow != inverted;
    if hollow {
        mesh.flip();
    }
    let size = bounds.size().max_element();
    let Resolution { kernel, spacing } = resolution.cloned().unwrap_or_else(|| Resolution::of_size(size));
    let cell = VolumeMap::default_cell(spacing);
    let cache = FieldCache::from_environment();
    let map = cache.volume_map(&mesh, &kernel, cell, MEETING_REACH * kernel.support());
    let (map, _) = map.map_err(|error| wrong(error.to_string()))?;
    let pose = Pose { rotation: shape.rotation(), translation: Vec3::from(shape.position) };
    let corners = (0..8).map(|k| {
        let side = Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32);
        pose.world_from_body(bounds.min + side * bounds.size())
    });
    let bounds = corners.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    let (map, facets) = (Arc::new(SampledMap::new(map, &kernel)), Arc::new(Facets::new(mesh)));
    Ok(GridSolid { map, facets, pose, bounds, hollow })
}

/// The tree of a shape and how many faces it has.
pub(super) fn compile(shape: &Shape, resolution: Option<&Resolution>) -> Result<(Node, u16), ShapeError> {
    let (node, count) = node(shape, false, resolution)?;
    match u16::try_from(count) {
        Ok(face_count) => Ok((node, face_count)),
        Err(_) => Err(ShapeError::TooManyWalls { most: u16::MAX, count }),
    }
}

/// The tree of a shape, turned inside out if `inverted`, and how many faces it has.
fn node(shape: &Shape, inverted: bool, resolution: Option<&Resolution>) -> Result<(Node, usize), ShapeError> {
    match shape {
        Shape::Plane { point, normal } => Ok((Node::HalfSpace(half_space(*point, *normal, inverted)?), 1)),
        Shape::Box { min, max, hollow } => {
            let (block, hollow) = (block(*min, *max)?, *hollow != inverted);
            Ok((Node::Block { block, hollow }, if hollow { usize::from(Block::FACE_COUNT) } else { 1 }))
        }
        Shape::Sphere { center, radius, hollow } => {
            let ball = Ball {
                center: finite("sphere", "center", *center)?,
                radius: positive("sphere", "radius", *radius)?,
            };
            Ok((Node::Ball { ball, hollow: *hollow != inverted }, 1))
        }
        Shape::Capsule { from, to, radius, hollow } => {
            let (from, axis, length) = axis("capsule", *from, *to)?;
            let pill = Pill { from, axis, length, radius: positive("capsule", "radius", *radius)? };
            Ok((Node::Pill { pill, hollow: *hollow != inverted }, 1))
        }
        Shape::Cylinder { from, to, radius, hollow } => {
            let (from, axis, length) = axis("cylinder", *from, *to)?;
            let radius = positive("cylinder", "radius", *radius)?;
            let corner = [(0.0, 0.0), (radius, 0.0), (radius, length), (0.0, length)].map(Vec2::from);
            Ok(revolved(Profile::new(from, axis, &corner, true), *hollow != inverted))
        }
        Shape::Cone { from, to, from_radius, to_radius, hollow } => {
            let (from, axis, length) = axis("cone", *from, *to)?;
            let from_radius = not_negative("cone", "from_radius", *from_radius)?;
            let to_radius = not_negative("cone", "to_radius", *to_radius)?;
            if from_radius == 0.0 && to_radius == 0.0 {
                return Err(ShapeError::NoRadius);
            }
            let corner = [(0.0, 0.0), (from_radius, 0.0), (to_radius, length), (0.0, length)].map(Vec2::from);
            Ok(revolved(Profile::new(from, axis, &corner, true), *hollow != inverted))
        }
        Shape::Funnel { from, to, from_radius, to_radius, thickness } => {
            let (from, axis, length) = axis("funnel", *from, *to)?;
            let from_radius = not_negative("funnel", "from_radius", *from_radius)?;
            let to_radius = not_negative("funnel", "to_radius", *to_radius)?;
            let thickness = positive("funnel", "thickness", *thickness)?;
            // The thickness is measured across the wall; its rims are flat, hence wider.
            let rim = thickness * length.hypot(to_radius - from_radius) / length;
            let corner = [
                (from_radius, 0.0),
                (from_radius + rim, 0.0),
                (to_radius + rim, length),
                (to_radius, length),
            ]
            .map(Vec2::from);
            Ok(revolved(Profile::new(from, axis, &corner, false), inverted))
        }
        // Turned inside out, a union is the intersection of its inverted parts, and the other way round.
        Shape::Union(shapes) => combination("union", shapes, inverted, |_| inverted, resolution),
        Shape::Intersection(shapes) => {
            combination("intersection", shapes, !inverted, |_| inverted, resolution)
        }
        Shape::Subtraction(shapes) => {
            combination("subtraction", shapes, !inverted, |index| (index > 0) != inverted, resolution)
        }
        Shape::Mesh(mesh) => Ok((Node::Grid(grid_solid(mesh, inverted, resolution)?), 1)),
    }
}

/// What is behind a plane, or before it if `inverted`.
fn half_space(point: [f32; 3], normal: [f32; 3], inverted: bool) -> Result<HalfSpace, ShapeError> {
    let point = finite("plane", "point", point)?;
    let direction = finite("plane", "normal", normal)?;
    // Scaled first, so that neither a tiny nor a huge normal under- or overflows.
    let scale = direction.abs().max_element();
    if scale < SHORTEST {
        return Err(ShapeError::ZeroNormal { value: normal });
    }
    let outward = (direction / scale).normalize();
    Ok(HalfSpace { point, normal: if inverted { -outward } else { outward } })
}

fn block(min: [f32; 3], max: [f32; 3]) -> Result<Block, ShapeError> {
    let block = Block { min: finite("box", "min", min)?, max: finite("box", "max", max)? };
    for (k, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
        if block.min[k] >= block.max[k] {
            return Err(ShapeError::EmptyBox { axis, min: block.min[k], max: block.max[k] });
        }
    }
    Ok(block)
}

fn revolved(profile: Profile, hollow: bool) -> (Node, usize) {
    let face_count = if hollow { profile.wall_count() } else { Profile::SOLID_FACE_COUNT };
    (Node::Profile { profile, hollow }, usize::from(face_count))
}

/// Compiles the parts of a union or, if `intersect`, of an intersection.
fn combination(
    operation: &'static str,
    shapes: &[Shape],
    intersect: bool,
    inverted: impl Fn(usize) -> bool,
    resolution: Option<&Resolution>,
) -> Result<(Node, usize), ShapeError> {
    if shapes.is_empty() {
        return Err(ShapeError::NoParts { operation });
    }
    let mut parts = Vec::with_capacity(shapes.len());
    let mut face_count = 0;
    for (index, shape) in shapes.iter().enumerate() {
        let (node, count) = node(shape, inverted(index), resolution).map_err(|error| ShapeError::Part {
            operation,
            index,
            error: Box::new(error),
        })?;
        parts.push(Part { node, first_face: number(face_count)? });
        face_count += count;
    }
    if !intersect {
        return Ok((Node::Union(parts), face_count));
    }
    let edge_face = number(face_count)?;
    Ok((Node::Intersection { parts, edge_face }, face_count + usize::from(combine::EDGE_COUNT)))
}

fn number(count: usize) -> Result<u16, ShapeError> {
    u16::try_from(count).map_err(|_| ShapeError::TooManyWalls { most: u16::MAX, count })
}

fn finite(shape: &'static str, field: &'static str, value: [f32; 3]) -> Result<Vec3, ShapeError> {
    let vector = Vec3::from(value);
    if vector.is_finite() {
        Ok(vector)
    } else {
        Err(ShapeError::NotFinite { shape, field, value: value.to_vec() })
    }
}

fn not_negative(shape: &'static str, field: &'static str, value: f32) -> Result<f32, ShapeError> {
    if !value.is_finite() {
        Err(ShapeError::NotFinite { shape, field, value: vec![value] })
    } else if value < 0.0 {
        Err(ShapeError::Negative { shape, field, value })
    } else {
        Ok(value)
    }
}

fn positive(shape: &'static str, field: &'static str, value: f32) -> Result<f32, ShapeError> {
    if !value.is_finite() {
        Err(ShapeError::NotFinite { shape, field, value: vec![value] })
    } else if value <= 0.0 {
        Err(ShapeError::NotPositive { shape, field, value })
    } else {
        Ok(value)
    }
}

/// Start, unit direction and length of the axis between two points.
fn axis(shape: &'static str, from: [f32; 3], to: [f32; 3]) -> Result<(Vec3, Vec3, f32), ShapeError> {
    let start = finite(shape, "from", from)?;
    let span = finite(shape, "to", to)? - start;
    let length = span.length();
    if !length.is_finite() {
        return Err(ShapeError::NotFinite { shape, field: "to", value: to.to_vec() });
    }
    if length < SHORTEST {
        return Err(ShapeError::NoAxis { shape, value: from });
    }
    Ok((start, (span / length).normalize(), length))
}
