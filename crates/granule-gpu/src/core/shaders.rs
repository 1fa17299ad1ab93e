//! The shaders that all methods share, each put together from the files that it needs.

use wgpu::Buffer;

use crate::kernel::Shader;
use crate::primitives::{DISPATCH, TREE, WORKGROUP_SCAN};

use super::buffers::Buffers;
use super::hooks::Hooks;

macro_rules! parts {
    ($($(#[$doc:meta])* $constant:ident = $name:literal;)+) => {
        $($(#[$doc])* pub const $constant: &str = include_str!(concat!("../../shader/core/", $name, ".wgsl"));)+
    };
}

parts! {
    /// Constants, the step's numbers, records.
    TYPES = "types";
    /// The step's numbers for stages.
    STEP = "step";
    /// Slots of indirect dispatches.
    ARGUMENTS = "arguments";
    /// Steps without sort and search.
    LEAVE_OUT = "leave_out";
    /// Poses and motions.
    MOTION = "motion";
    /// Keys of cells.
    CELLS = "cells";
    /// Kernels and nearest images.
    PAIRS = "pairs";
    /// Neighbour lists.
    LIST = "list";
    /// Wall contacts.
    CONTACTS = "contacts";
    /// Four pairs at a time.
    GRADIENTS = "gradients";
    /// Solids.
    SOLIDS = "solids";
    /// Maps of meshes.
    MAPS = "maps";
    /// Walls of solids.
    WALLS = "walls";
    /// Walls of maps.
    MAP_WALLS = "map_walls";
    /// What walls add to the density.
    WALL_TABLE = "wall_table";
    /// Rigid bodies.
    BODIES = "bodies";
    /// Sums of forces on bodies.
    LOADS = "loads";
    /// Walls of solids that meet.
    INTERSECTION = "intersection";
    /// Where particles may be.
    SOUNDNESS = "soundness";
    /// Density that walls cut off.
    WALL_DENSITY = "wall_density";
}

/// Uniform buffers of group 1: constants and materials, those that all methods share and the method's own.
pub const CONSTANTS: usize = 4;

/// These buffers.
pub fn constants_of(c: &Buffers) -> [&Buffer; CONSTANTS] {
    [&c.params, &c.materials, &c.method_params, &c.method_materials]
}

/// Makes constants of shaders, and a list of all, from files in a folder of `shader/`.
#[macro_export]
#[doc(hidden)]
macro_rules! gpu_shaders {
    ($folder:literal; $($(#[$doc:meta])* $constant:ident = $name:literal : [$($part:expr),* $(,)?];)+) => {
        $($(#[$doc])* pub const $constant: $crate::kernel::Shader = $crate::kernel::Shader {
            name: $name,
            parts: &[
                $crate::primitives::DISPATCH,
                $crate::core::shaders::TYPES,
                $($part,)*
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $name, ".wgsl")),
            ],
        };)+
        /// All of them.
        #[allow(dead_code, reason = "tests look at all shaders")]
        pub const ALL: &[&$crate::kernel::Shader] = &[$(&$constant),+];
    };
}

gpu_shaders! { "shader/core";
    /// Keys of particles.
    KEYS = "keys": [STEP, CELLS];
    /// Columns in the order of cells.
    REORDER = "reorder": [STEP];
    /// Columns back in place.
    PUT_BACK = "put_back": [STEP];
    /// The same for columns of few words.
    REORDER_WORDS = "reorder_words": [STEP];
    /// Number of occupied cells.
    INDEX_CELLS = "index_cells": [ARGUMENTS];
    /// Particles around cells.
    ROWS = "rows": [STEP, CELLS];
    /// Neighbour lists.
    NEIGHBORS = "neighbors": [STEP, PAIRS];
    /// Particles in regions.
    MARK = "mark": [STEP, MOTION, SOLIDS, MAPS];
    /// Particles in a box.
    NEAR = "near": [STEP, PAIRS];
    /// Particles for a renderer.
    PUBLISH = "publish": [];
}

/// A shared shader that calls functions of the method.
pub struct Hooked {
    /// The shared part.
    pub shader: Shader,
    /// Which of the method's hooks goes with it.
    pub hook: fn(&Hooks) -> &'static str,
}

/// Shared shaders that methods have a part in.
pub mod hooked {
    use super::*;

    macro_rules! hooked {
        ($($(#[$doc:meta])* $constant:ident = $name:literal, $hook:expr, [$($part:expr),*];)+) => {
            $($(#[$doc])* pub const $constant: Hooked = Hooked {
                shader: Shader {
                    name: $name,
                    parts: &[
                        DISPATCH, TYPES, $($part,)*
                        include_str!(concat!("../../shader/core/", $name, ".wgsl")),
                    ],
                },
                hook: $hook,
            };)+
            /// All of them.
            pub const ALL: &[&Hooked] = &[$(&$constant),+];
        };
    }

    hooked! {
        /// Bounds, largest speed and number of particles.
        MEASURE = "measure", |h| h.measure, [STEP, TREE];
        /// The step's length, cells and dispatches.
        BEGIN = "begin", |h| h.begin, [ARGUMENTS, MOTION, TREE, WORKGROUP_SCAN];
        /// Walls near particles.
        SAMPLE = "sample", |_| "",
            [STEP, MOTION, CONTACTS, SOLIDS, MAPS, WALLS, MAP_WALLS, WALL_TABLE, INTERSECTION];
        /// Whether all fitted.
        CHECK = "check", |h| h.check, [ARGUMENTS];
        /// Bodies without grains.
        BEGIN_BODIES = "begin_bodies", |h| h.bodies, [STEP, MOTION, CONTACTS, BODIES, LOADS];
        /// Contacts of bodies.
        COUNT_CONTACTS = "count_contacts", |h| h.bodies, [STEP, CONTACTS, BODIES, LOADS];
        /// Shares that contacts take of bodies.
        ATTACH = "attach", |h| h.bodies, [STEP, CONTACTS, BODIES, LOADS];
        /// Forces on bodies.
        SUM_LOADS = "sum_loads", |h| h.bodies, [STEP, TREE, CONTACTS, BODIES, LOADS];
        /// Bodies under these forces.
        PUSH_BODIES = "push_bodies", |h| h.bodies, [STEP, CONTACTS, BODIES, LOADS];
        /// Contacts that move with bodies.
        CARRY = "carry", |h| h.bodies, [STEP, CONTACTS, BODIES];
        /// Air drag.
        DRAG = "drag", |h| h.drag, [STEP, PAIRS, LIST];
        /// The step's report.
        END = "end", |h| h.end, [TREE, WORKGROUP_SCAN];
    }
}
