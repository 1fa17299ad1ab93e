//! The constants of a scene for granular IISPH.

use granule::material::Material;
use granule::scene::{FrictionMode, Scene};
use granule::solver::iisph::params::viscosity_softening;
use granule::solver::iisph::setup::{LEAST_DIAGONAL, LEAST_ITERATIONS, Setup};
use granule::solver::iisph::state::FLUID_WARM_START;

use crate::core::constants::{StepLimits, flag, table};
use crate::core::method::Iterations;

use super::layout::{ParamsRecord, RheologyRecord};

/// Whether all materials are plain fluids.
pub fn is_fluid(setup: &Setup) -> bool {
    setup.materials.iter().all(|m| m.is_fluid())
}

/// Whether friction is explicit.
pub fn is_explicit(setup: &Setup) -> bool {
    setup.params.friction == FrictionMode::Explicit
}

/// Whether iterations have momentum.
pub fn has_momentum(setup: &Setup) -> bool {
    !is_fluid(setup) && !is_explicit(setup)
}

/// Whether some material is viscous.
pub fn is_viscous(setup: &Setup) -> bool {
    setup.materials.iter().any(|m| m.viscosity > 0.0)
}

/// Overrides of constants in shaders.
pub fn overrides(setup: &Setup) -> Vec<(&'static str, f64)> {
    let fast = setup.materials.iter().any(|m| m.fast_yield_slope > 0.0);
    vec![
        ("FLUID", flag(is_fluid(setup))),
        ("EXPLICIT", flag(is_explicit(setup))),
        ("FAST", flag(fast)),
        ("VISCOUS", flag(is_viscous(setup))),
    ]
}

/// What bounds steps.
pub fn limits(setup: &Setup) -> StepLimits {
    let params = &setup.params;
    let viscosity = setup.materials.iter().map(|m| m.viscosity).fold(0.0, f32::max);
    StepLimits {
        cfl: params.cfl,
        fixed: params.time_step.is_some(),
        longest: params.time_step.unwrap_or(params.max_time_step) as f32,
        viscous: (0.1 * params.support * params.support / viscosity).min(f32::MAX),
        push_out_speed: params.push_out_speed(),
        skin: 0.0,
        reach: None,
    }
}

/// Iterations of a step: those before the first one that may be the last need no decision.
pub fn iterations(setup: &Setup) -> Iterations {
    let least = setup.params.min_iterations.unwrap_or(LEAST_ITERATIONS);
    let most = setup.params.max_iterations;
    Iterations { sure: least.min(most).max(1) - 1, most: most.max(1) }
}

/// The method's own constants.
pub fn params(scene: &Scene, setup: &Setup) -> ParamsRecord {
    let constants = &setup.params;
    let fold =
        |f: &dyn Fn(f32, f32) -> f32, start: f32| setup.materials.iter().map(|m| m.density).fold(start, f);
    let (lightest, densest) = (fold(&f32::min, f32::INFINITY), fold(&f32::max, 0.0));
    let gravity = glam::Vec3::from(scene.simulation.gravity).length();
    ParamsRecord {
        full_stress: 1.0 / (2.0 / 3.0 * constants.lattice_gradient_squared),
        pressure_relaxation: setup.pressure_relaxation(),
        stress_relaxation: constants.coupled_relaxation,
        rest_compaction: constants.compaction_rate(),
        least_diagonal: LEAST_DIAGONAL * constants.lattice_gradient_squared / densest,
        viscosity_factor: constants.viscosity_factor,
        viscosity_softening: viscosity_softening(constants.support),
        density_error: constants.density_error,
        friction_error: constants.friction_error,
        layer_pressure: lightest * gravity * constants.spacing,
        least_iterations: constants.min_iterations.unwrap_or(u32::MAX),
        most_iterations: constants.max_iterations.max(1),
        sure_iterations: iterations(setup).sure,
        ..ParamsRecord::default()
    }
}

/// How the materials yield.
pub fn rheology(setup: &Setup) -> Vec<RheologyRecord> {
    let explicit = is_explicit(setup);
    let record = |m: &Material| RheologyRecord {
        yield_slope: m.yield_slope,
        fast_slope: m.fast_yield_slope,
        grain_diameter: m.grain_diameter,
        cohesion: m.yield_cohesion,
        viscosity: m.viscosity,
        fluid: f32::from(u8::from(m.is_fluid())),
        warm_start: if m.is_fluid() || explicit { FLUID_WARM_START } else { 1.0 },
        ..RheologyRecord::default()
    };
    table(setup.materials.iter().map(record))
}
