//! What a solver sees of the world: samples of the walls near a particle.
//!
//! A [`Shape`] is what a scene describes, an [`Sdf`] is the same solid compiled for queries, and [`Boundaries`] moves
//! solids along their [`Motion`] and answers with [`BoundarySample`]s. No solver asks how a wall is represented.
//!
//! A particle in a corner must see every wall that meets there, so a query answers with one [`Surface`] per wall, not
//! with the nearest point only.

mod combine;
mod commanded;
mod compile;
mod distances;
mod exact;
mod grid_solid;
mod lead;
mod mesh_shape;
mod motion;
mod primitive;
mod profile;
mod sample;
mod sdf;
mod servo;
mod shape;
mod shape_solid;
mod solid;
mod surface_mesh;
#[cfg(test)]
mod tests;

pub use commanded::ToolPose;
pub use compile::{Resolution, ShapeError};
pub use exact::ExactSurface;
pub use grid_solid::{Facets, GRID_ERROR, MapNode, MapWall, SampledMap};
pub use mesh_shape::MeshShape;
pub use motion::{Interpolation, Keyframe, Motion, MotionError, MotionSegment, Pose};
pub use sample::{Boundaries, Boundary, BoundaryError, BoundarySample, BoundaryState, NO_BODY};
pub use sdf::{MOST_SLOPE, Parts, Sdf, Surface};
pub use servo::{Servo, ServoError, ServoState};
pub use shape::Shape;
pub use shape_solid::ShapeSolid;
pub use solid::{ProfileEdge, Solid};
pub use surface_mesh::SurfaceMesh;
