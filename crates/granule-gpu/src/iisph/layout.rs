//! Structs that shaders of granular IISPH and Rust share; a test compares their layouts.

use bytemuck::{Pod, Zeroable};

/// Constants; twin of `IisphParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ParamsRecord {
    pub full_stress: f32,
    pub pressure_relaxation: f32,
    pub stress_relaxation: f32,
    pub rest_compaction: f32,
    pub least_diagonal: f32,
    pub viscosity_factor: f32,
    pub viscosity_softening: f32,
    pub density_error: f32,
    pub friction_error: f32,
    pub layer_pressure: f32,
    pub least_iterations: u32,
    pub most_iterations: u32,
    pub sure_iterations: u32,
    pub unused: [u32; 3],
}

/// How a material yields; twin of `Rheology`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct RheologyRecord {
    pub yield_slope: f32,
    pub fast_slope: f32,
    pub grain_diameter: f32,
    pub cohesion: f32,
    pub viscosity: f32,
    pub fluid: f32,
    pub warm_start: f32,
    pub unused: f32,
}
