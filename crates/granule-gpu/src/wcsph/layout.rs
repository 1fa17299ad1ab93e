//! Structs and numbers that shaders of weakly compressible SPH and Rust share; a test compares their layouts.

use bytemuck::{Pod, Zeroable};

/// Where a step is: `StepRecord::progress`.
pub mod progress {
    /// Nothing begun.
    pub const NOT_KICKED: u32 = 0;
    /// It does not kick, but finds the first accelerations.
    pub const PRIMES: u32 = 3;
    /// It does not kick, but finds neighbours and walls.
    pub const SAMPLES: u32 = 4;
}

/// Constants; twin of `WcsphParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ParamsRecord {
    pub sound_speed: f32,
    pub unused: [f32; 3],
}

/// A fluid; twin of `Fluid`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct FluidRecord {
    pub stiffness: f32,
    pub tait_exponent: f32,
    pub dynamic_viscosity: f32,
    pub damping: f32,
    pub surface_force: f32,
    pub smoothing: f32,
    pub unused: [f32; 2],
}
