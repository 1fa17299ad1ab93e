//! granule: real-time granular matter.
//!
//! The front door is [`Simulation`]: load or build a [`Scene`], make a simulation of it, step it, read fields.

pub mod air;
pub mod assemblies;
pub mod bodies;
pub mod boundary;
pub mod build;
pub mod error;
pub mod files;
pub mod flow;
mod formats;
pub mod geometry;
pub mod grains;
pub mod hash;
pub mod io;
pub mod material;
pub mod measure;
pub mod neighbors;
pub mod particles;
pub mod position;
pub mod preflight;
pub mod quarantine;
pub mod random;
pub mod reference;
pub mod scene;
pub mod simd;
pub mod simulation;
pub mod simulator;
pub mod solver;
pub mod sph;
pub mod stages;
pub mod statistics;
pub mod sym3;
pub mod upsample;

pub use build::{Backend, BackendInput, Device, Options, SharedBackend};
pub use error::{BackendError, SimulationError};
pub use scene::Scene;
pub use simulation::Simulation;
pub use solver::{SolverEntry, SolverInput};
