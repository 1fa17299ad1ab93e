//! The shaders of granular IISPH, each put together from the files that it needs.

use granule::solver::iisph::acceleration::ERROR_GROWTH;
use granule::solver::iisph::setup::{LEAST_ITERATIONS, Setup};

use crate::core::hooks::Hooks;
use crate::core::shaders::{ARGUMENTS, CONTACTS, GRADIENTS, LIST, PAIRS, SOUNDNESS, STEP, WALL_DENSITY};
use crate::gpu_shaders;
use crate::primitives::TREE;

/// The method's own constants and materials.
pub const TYPES: &str = include_str!("../../shader/iisph/types.wgsl");

/// Yield, stress and pressure of a particle.
pub const RHEOLOGY: &str = include_str!("../../shader/iisph/rheology.wgsl");

/// Momentum of iterations.
pub const ACCELERATION: &str = include_str!("../../shader/iisph/acceleration.wgsl");

const VELOCITY_GRADIENT: &str = include_str!("../../shader/iisph/velocity_gradient.wgsl");

/// What the method adds to shared kernels.
pub const HOOKS: Hooks = Hooks {
    types: TYPES,
    check: include_str!("../../shader/iisph/check.wgsl"),
    drag: include_str!("../../shader/iisph/drag.wgsl"),
    ..Hooks::PLAIN
};

gpu_shaders! { "shader/iisph";
    /// Density and diagonal.
    DENSITY = "density": [TYPES, STEP, PAIRS, LIST, CONTACTS, WALL_DENSITY];
    /// Pressure, stress and impulses of the last step.
    WARM_START = "warm_start": [TYPES, STEP, TREE, RHEOLOGY, CONTACTS];
    /// Fewest iterations.
    BEGIN_ITERATIONS = "begin_iterations": [TYPES, TREE];
    /// Gravity and viscosity.
    PREDICT = "predict": [TYPES, STEP, PAIRS, LIST];
    /// Velocities from pressure and stress.
    ACCELERATE = "accelerate": [TYPES, STEP, PAIRS, LIST, GRADIENTS, RHEOLOGY];
    /// Trial stress of explicit friction.
    FIND_TRIAL = "find_trial": [TYPES, STEP, PAIRS, LIST, RHEOLOGY, GRADIENTS, VELOCITY_GRADIENT];
    /// Corrections of pressure, stress and impulses.
    PROJECT = "project":
        [TYPES, STEP, PAIRS, LIST, TREE, RHEOLOGY, ACCELERATION, CONTACTS, GRADIENTS, VELOCITY_GRADIENT];
    /// Whether another iteration follows.
    DECIDE = "decide": [TYPES, ARGUMENTS, TREE];
    /// Whether the step ends.
    FINISH = "finish": [TYPES, ARGUMENTS];
    /// Velocities and positions.
    INTEGRATE = "integrate": [TYPES, STEP, TREE, SOUNDNESS];
    /// Friction power.
    DIAGNOSE = "diagnose": [TYPES, STEP, PAIRS, LIST, TREE, RHEOLOGY, GRADIENTS, VELOCITY_GRADIENT];
}

/// Overrides of `begin_iterations` that take over numbers of the CPU's solver.
pub fn least_constants(setup: &Setup) -> [(&'static str, f64); 2] {
    let least = f64::from(LEAST_ITERATIONS);
    [("LAYERS_PER_ITERATION", setup.layers_per_iteration()), ("LEAST_ITERATIONS", least)]
}

/// Those of `decide`.
pub fn decide_constants() -> [(&'static str, f64); 1] {
    [("ERROR_GROWTH", ERROR_GROWTH)]
}
