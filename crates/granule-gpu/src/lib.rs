//! Granular matter on graphics devices.

mod air;
mod batch;
mod checkpoint;
mod columns;
mod commands;
mod constants;
mod error;
mod fields;
pub mod kernel;
mod layout;
mod maker;
mod motion;
pub mod primitives;
mod program;
mod queries;
mod shaders;
mod solver;
mod stages;
#[cfg(test)]
mod testing;
mod timing;

pub use error::GpuError;
pub use maker::GpuMaker;
pub use solver::GpuIisph;
