//! Particles for a renderer on the same device: what it takes.

use std::collections::HashMap;

use glam::Vec3;
use wgpu::Buffer;

use crate::kernel::Kernel;

/// Published particles.
#[derive(Clone, Debug)]
pub struct ParticleView {
    /// Centre and radius \[m\] of each, 16 bytes; those that have just been removed have no size. Usage `VERTEX`.
    pub spheres: Buffer,
    /// Value of the field as f32 and id as u32 of each, 8 bytes. Usage `VERTEX`.
    pub tags: Buffer,
    /// Arguments of an indirect draw of a quad each: 4, number of particles, 0, 0. Usage `INDIRECT`.
    pub draw: Buffer,
    /// A box that holds all particles \[m\]: lower and upper corner, to within a cell.
    pub bounds: [Vec3; 2],
    /// Radius of the particles \[m\].
    pub radius: f32,
}

/// Kernels and buffers of views.
#[derive(Default)]
pub struct Views {
    /// Kernels by field.
    pub kernels: HashMap<&'static str, Kernel>,
    /// The last view, and how many particles it has room for.
    pub view: Option<(u32, ParticleView)>,
}
