//! Constants of a granular IISPH simulation, derived once from the scene.

use crate::scene::{FrictionMode, Scene};
use crate::sph::{Kernel, lattice_density};

/// Constants that do not change within a step.
#[derive(Clone, Debug)]
pub struct IisphParams {
    /// Particle radius r [m].
    pub radius: f32,
    /// Particle spacing d = 2 r [m].
    pub spacing: f32,
    /// Kernel support h [m].
    pub support: f32,
    /// Volume of a particle in kernel sums, so that a lattice has rest density [m3].
    pub volume: f32,
    /// Sum of |G|^2 over a full lattice neighbourhood, G = V grad W [1/m2].
    pub lattice_gradient_squared: f32,
    /// How friction is solved.
    pub friction: FrictionMode,
    /// Fewest sweeps; from the pressure when absent.
    pub min_iterations: Option<u32>,
    /// Most sweeps.
    pub max_iterations: u32,
    /// Threshold of the average density error.
    pub density_error: f32,
    /// Threshold of the relative stress change.
    pub friction_error: f32,
    /// Courant number.
    pub cfl: f64,
    /// Fixed step [s].
    pub time_step: Option<f64>,
    /// Largest adaptive step [s].
    pub max_time_step: f64,
    /// Acceleration scale for defaults [m/s2].
    pub gravity_scale: f32,
}

impl IisphParams {
    /// Derives the constants from a checked scene.
    pub fn new(scene: &Scene, kernel: &Kernel) -> Self {
        let radius = scene.material[0].radius;
        let spacing = 2.0 * radius;
        let volume = spacing.powi(3) / lattice_density(kernel, spacing);
        let gravity = glam::Vec3::from(scene.simulation.gravity).length();
        // Without gravity, scales are those of the Earth's.
        let gravity_scale = if gravity > 0.0 { gravity } else { 9.81 };
        let settings = &scene.iisph;
        let default_step = 0.045 * (spacing as f64 / gravity_scale as f64).sqrt();
        Self {
            radius,
            spacing,
            support: kernel.support(),
            volume,
            lattice_gradient_squared: lattice_gradient_squared(kernel, spacing, volume),
            friction: settings.friction,
            min_iterations: settings.min_iterations,
            max_iterations: settings.max_iterations,
            density_error: settings.density_error,
            friction_error: settings.friction_error,
            cfl: scene.simulation.cfl,
            time_step: scene.simulation.time_step,
            max_time_step: scene.simulation.max_time_step.unwrap_or(default_step),
            gravity_scale,
        }
    }

    /// Rate at which loose grains compact, kappa = 0.1 sqrt(g/d) [1/s].
    pub fn compaction_rate(&self) -> f32 {
        0.1 * (self.gravity_scale / self.spacing).sqrt()
    }

    /// Fastest speed at which a wall pushes out a particle that has sunk in [m/s].
    pub fn push_out_speed(&self) -> f32 {
        0.45 * (self.gravity_scale * self.spacing).sqrt()
    }
}

/// Sum of |V grad W|^2 over the neighbours of a particle in an infinite cubic lattice [1/m2].
fn lattice_gradient_squared(kernel: &Kernel, spacing: f32, volume: f32) -> f32 {
    let reach = (kernel.support() / spacing).ceil() as i32;
    let mut sum = 0.0f64;
    for x in -reach..=reach {
        for y in -reach..=reach {
            for z in -reach..=reach {
                let offset = glam::Vec3::new(x as f32, y as f32, z as f32) * spacing;
                let g = volume * kernel.gradient_factor(offset.length_squared()) * offset;
                sum += g.length_squared() as f64;
            }
        }
    }
    sum as f32
}
