//! What a method adds to kernels that all methods share.
//!
//! Shared kernels call functions of fixed names where methods differ; a method's WGSL declares them. What a method does not
//! care about it takes from [`Hooks::PLAIN`].

/// Texts in WGSL, each with the functions that the shared kernel beside it names in its first lines.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// The method's own constants and materials: bindings 2 and 3 of group 1; may be empty.
    pub types: &'static str,
    /// Whether lists are kept over several steps, and whether accelerations bound the step: `KEEPS_LISTS`,
    /// `MEASURES_ACCELERATION`.
    pub traits: &'static str,
    /// `measured_acceleration`.
    pub measure: &'static str,
    /// `begin_step`, `pair_reach`, `walls_move`, `moves_by_pose`.
    pub begin: &'static str,
    /// `after_search`.
    pub check: &'static str,
    /// `end_step`.
    pub end: &'static str,
    /// `pushing_count`, `bodies_begin`, `KINEMATIC_FROM_POSES`.
    pub bodies: &'static str,
    /// `drive`; empty where the method has no drag.
    pub drag: &'static str,
}

macro_rules! hook {
    ($name:literal) => {
        include_str!(concat!("../../shader/core/hooks/", $name, ".wgsl"))
    };
}

impl Hooks {
    /// A method that sorts in every step, whose step follows from the fastest particle, and that does not iterate.
    pub const PLAIN: Self = Self {
        types: "",
        traits: hook!("traits"),
        measure: hook!("measure"),
        begin: hook!("begin"),
        check: hook!("check"),
        end: hook!("end"),
        bodies: hook!("bodies"),
        drag: "",
    };

    /// All that goes behind a shared kernel that needs this hook.
    pub fn text(&self, hook: &str) -> String {
        [self.types, self.traits, hook].join("\n")
    }
}
