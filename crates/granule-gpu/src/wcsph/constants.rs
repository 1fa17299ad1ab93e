//! The constants of a scene for weakly compressible SPH.

use granule::scene::PressureLaw;
use granule::solver::wcsph::params::{Fluid, Setup};

use crate::core::constants::{StepLimits, flag, table};

use super::layout::{FluidRecord, ParamsRecord};

/// Overrides of constants in shaders.
pub fn overrides(setup: &Setup) -> Vec<(&'static str, f64)> {
    let params = &setup.params;
    vec![
        ("WALL_RELAXATION", 1.0),
        ("VISCOUS", flag(params.viscous)),
        ("DAMPED", flag(params.damped)),
        ("COHESIVE", flag(params.cohesive)),
        ("SMOOTHED", flag(params.smoothed)),
    ]
}

/// What bounds steps and pairs.
pub fn limits(setup: &Setup) -> StepLimits {
    let params = &setup.params;
    let finite = |seconds: f64| (seconds as f32).min(f32::MAX);
    StepLimits {
        cfl: params.cfl,
        fixed: params.time_step.is_some(),
        longest: finite(params.time_step.unwrap_or(params.max_time_step)),
        viscous: finite(params.smooth_step),
        push_out_speed: params.push_out_speed,
        skin: params.skin,
        reach: None,
    }
}

/// The method's own constants.
pub fn params(setup: &Setup) -> ParamsRecord {
    ParamsRecord { sound_speed: setup.params.sound_speed, ..ParamsRecord::default() }
}

/// The fluids.
pub fn fluids(setup: &Setup) -> Vec<FluidRecord> {
    let spacing = setup.params.spacing;
    let record = |fluid: &Fluid| FluidRecord {
        stiffness: fluid.stiffness,
        tait_exponent: if fluid.law == PressureLaw::Tait { fluid.exponent as f32 } else { 0.0 },
        dynamic_viscosity: fluid.viscosity,
        damping: fluid.damping,
        surface_force: fluid.cohesion * spacing.powi(-3),
        smoothing: fluid.smoothing,
        ..FluidRecord::default()
    };
    table(setup.params.fluids.iter().map(record))
}
