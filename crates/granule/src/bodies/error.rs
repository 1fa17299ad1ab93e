//! Why bodies cannot be made.

use crate::boundary::ShapeError;
use crate::geometry::sample::SampleError;

/// Why a shape cannot be a body.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum SolidError {
    /// The shape itself is wrong.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The shape has no finite volume.
    #[error(
        "a body needs a finite volume, but this shape has no bounds: planes and hollow shapes can only be boundaries"
    )]
    Unbounded,
    /// The shape is empty.
    #[error("the shape encloses no volume")]
    Empty,
    /// No collider could be made of the surface.
    #[error("no collision shape could be made of the surface: {0}")]
    Collider(String),
    /// It cannot be made of particles.
    #[error("it cannot be made of particles: {0}")]
    Particles(#[from] SampleError),
}

/// Why bodies cannot be made.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum BodyError {
    /// A shape cannot be a body.
    #[error("body `{name}`: {error}")]
    Solid {
        /// Name of the body.
        name: String,
        /// What is wrong with it.
        error: SolidError,
    },
    /// A wall cannot be made for bodies to collide with.
    #[error("boundary `{name}`: {error}")]
    Wall {
        /// Name of the boundary.
        name: String,
        /// What is wrong with it.
        error: SolidError,
    },
    /// Two things are in each other at the start.
    #[error("bodies `{first}` and `{second}` overlap by {depth} m at the start. Move them apart")]
    Overlap {
        /// Name of the body.
        first: String,
        /// Name of the other body or wall.
        second: String,
        /// Depth \[m\].
        depth: f32,
    },
    /// The crate was compiled without bodies.
    #[error("body `{name}`: rigid bodies need the feature `bodies` of the crate granule, which is off")]
    NotCompiled {
        /// Name of the first body.
        name: String,
    },
}

impl BodyError {
    /// Path of the scene's entry at fault.
    pub fn path(&self) -> String {
        match self {
            Self::Solid { name, .. } | Self::Overlap { first: name, .. } | Self::NotCompiled { name } => {
                format!("body.{name}.shape")
            }
            Self::Wall { name, .. } => format!("boundary.{name}.shape"),
        }
    }
}
