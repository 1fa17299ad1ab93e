//! The shaders of weakly compressible SPH, each put together from the files that it needs.

use crate::core::hooks::Hooks;
use crate::core::shaders::{
    ARGUMENTS, CONTACTS, GRADIENTS, LEAVE_OUT, LIST, PAIRS, SOUNDNESS, STEP, WALL_DENSITY,
};
use crate::gpu_shaders;
use crate::primitives::TREE;

const TYPES: &str = include_str!("../../shader/wcsph/types.wgsl");
const FLUID_PAIRS: &str = include_str!("../../shader/wcsph/pairs.wgsl");
const FLUID_WALLS: &str = include_str!("../../shader/wcsph/walls.wgsl");

/// What the method adds to shared kernels.
pub const HOOKS: Hooks = Hooks {
    types: TYPES,
    traits: include_str!("../../shader/wcsph/traits.wgsl"),
    measure: include_str!("../../shader/wcsph/measure.wgsl"),
    begin: include_str!("../../shader/wcsph/begin.wgsl"),
    check: include_str!("../../shader/wcsph/check.wgsl"),
    end: include_str!("../../shader/wcsph/end.wgsl"),
    bodies: include_str!("../../shader/wcsph/bodies.wgsl"),
    drag: include_str!("../../shader/wcsph/drag.wgsl"),
};

gpu_shaders! { "shader/wcsph";
    /// First kick and drift.
    DRIFT = "drift": [TYPES, STEP, PAIRS, TREE, CONTACTS, FLUID_WALLS, SOUNDNESS];
    /// The first kick alone.
    HALF_KICK = "half_kick": [TYPES, STEP, CONTACTS];
    /// What walls and bodies take from velocities.
    HOLD_BACK = "hold_back": [TYPES, STEP, CONTACTS, FLUID_WALLS];
    /// Whether lists hold.
    DECIDE_LISTS = "decide_lists": [TYPES, ARGUMENTS, LEAVE_OUT, TREE];
    /// Density and pressure.
    DENSITY = "density": [TYPES, STEP, PAIRS, LIST, GRADIENTS, CONTACTS, WALL_DENSITY, FLUID_PAIRS];
    /// Normals.
    NORMALS = "normals": [TYPES, STEP, PAIRS, LIST, FLUID_PAIRS];
    /// Accelerations.
    ACCELERATE = "accelerate": [TYPES, STEP, PAIRS, LIST, GRADIENTS, FLUID_PAIRS];
    /// Second kick.
    KICK = "kick": [TYPES, STEP, TREE, CONTACTS, FLUID_WALLS, SOUNDNESS];
}
