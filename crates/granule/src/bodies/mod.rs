//! Rigid bodies: free ones that sand pushes and carries, keyframed tools and fixed obstacles.
//!
//! A body is two things at once. For grains it is a boundary like any other, so that no solver asks what a wall
//! belongs to; for other bodies and for walls it is a rigid body of rapier, which finds contacts among them, solves
//! joints and motors and moves them. A solver carries [`BodyMotion`]s through its sweeps: what contacts give to a grain
//! they take from the body in the same sweep, so a light body yields at once instead of a step later. What the sweeps
//! end with is handed over as one impulse per body and step.

#[cfg(not(feature = "bodies"))]
mod absent;
mod error;
#[cfg(feature = "bodies")]
mod flight;
#[cfg(feature = "bodies")]
mod joint;
mod motion;
#[cfg(feature = "bodies")]
mod particles;
mod report;
#[cfg(feature = "bodies")]
mod solid;
#[cfg(feature = "bodies")]
mod world;

#[cfg(not(feature = "bodies"))]
pub use absent::Bodies;
pub use error::{BodyError, SolidError};
pub use motion::{BodyMotion, MeanLoads, Wrench};
pub use report::BodyReport;
#[cfg(feature = "bodies")]
pub use world::Bodies;

/// A body that is made of particles, which a solver has among its own.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleBody {
    /// Number of the body.
    pub body: usize,
    /// Centres of the particles relative to the centre of mass, in the frame of the shape \[m\].
    pub offset: Vec<glam::DVec3>,
    /// Their radius \[m\].
    pub radius: f32,
}
