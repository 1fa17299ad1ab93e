//! Rigid bodies: free ones that sand pushes and carries, keyframed tools and fixed obstacles.
//!
//! A body is two things at once. For grains it is a boundary like any other, so that no solver asks what a wall
//! belongs to; for other bodies and for walls it is a rigid body of rapier, which finds contacts among them, solves
//! joints and motors and moves them. A solver carries [`BodyMotion`]s through its sweeps: what contacts give to a grain
//! they take from the body in the same sweep, so a light body yields at once instead of a step later. What the sweeps
//! end with is handed over as one impulse per body and step.

mod joint;
mod motion;
mod solid;
mod world;

pub use motion::{BodyMotion, MeanLoads, Wrench};
pub use solid::SolidError;
pub use world::{Bodies, BodyError, BodyReport};
