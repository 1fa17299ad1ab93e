//! Structs and numbers that shaders and Rust share; a test compares their layouts.

use bytemuck::{Pod, Zeroable};

/// Most materials of a scene on a device.
pub const MOST_MATERIALS: usize = 256;

/// Particles side by side in a neighbour list.
pub const LANES: u32 = 32;

/// Phases of a step: nothing begun, columns sorted and lists being built, iterations, iterations done, no room, bodies moving.
pub mod phase {
    /// Nothing begun.
    pub const READY: u32 = 0;
    /// Halted for want of room.
    pub const HALTED: u32 = 4;
    /// Waiting for bodies to be moved.
    pub const MOVING: u32 = 5;
}

/// Slots of the arguments of indirect dispatches.
pub mod slot {
    /// All particles, with removed ones, before the sort.
    pub const BLOCKS: u64 = 0;
    /// A workgroup per tile of particles.
    pub const TILES: u64 = 1;
    /// One workgroup.
    pub const ONE: u64 = 2;
    /// Occupied cells.
    pub const CELLS: u64 = 3;
    /// Live particles, while walls are sampled.
    pub const LIVE: u64 = 4;
    /// Particles of a step that goes on.
    pub const PARTICLES: u64 = 5;
    /// Particles of an iteration that is decided on.
    pub const ITERATE: u64 = 6;
    /// Particles of what follows the decision.
    pub const AFTER_DECIDE: u64 = 7;
    /// Particles at the step's end.
    pub const FINISH: u64 = 8;
    /// Tiles of each sort pass.
    pub const PASS_TILES: u64 = 9;
    /// Digits of each sort pass.
    pub const PASS_DIGITS: u64 = 17;
    /// Live particles, while their neighbours are searched.
    pub const SEARCH: u64 = 25;
    /// Particles whose contacts go over to new lists.
    pub const CARRY: u64 = 26;
    /// Particles whose contacts are put aside before the sort.
    pub const REMEMBER: u64 = 27;
    /// Particles that walls may touch as long as lists hold.
    pub const NEAR: u64 = 28;
    /// The first of those that are the method's own.
    pub const METHOD: u64 = 29;
    /// How many there are.
    pub const COUNT: u64 = METHOD + 79;
}

/// Constants of a simulation; twin of `Params`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Params {
    pub gravity: [f32; 4],
    pub period_origin: [f32; 4],
    pub period_length: [f32; 4],
    pub period_inverse: [f32; 4],
    pub period_cells: [u32; 4],
    pub radius: f32,
    pub spacing: f32,
    pub support: f32,
    pub volume: f32,
    pub inverse_support: f32,
    pub kernel_sigma: f32,
    pub kernel_zero: f32,
    pub push_out_speed: f32,
    pub wall_fill: f32,
    pub cfl: f32,
    pub longest_step: f32,
    pub viscous_step: f32,
    pub fixed_step: u32,
    pub boundary_count: u32,
    pub slot_capacity: u32,
    pub contact_capacity: u32,
    pub cell_capacity: u32,
    pub report_capacity: u32,
    pub wall_table: u32,
    pub capacity: u32,
    pub list_base: u32,
    pub wall_count: u32,
    pub reach: f32,
    pub skin: f32,
}

/// What all methods know of a material; twin of `Material`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct MaterialRecord {
    pub density: f32,
    pub inverse_density: f32,
    pub wall_friction: f32,
    pub mass: f32,
}

/// Numbers of a step; twin of `Step`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct StepRecord {
    pub cell_scale: [f32; 4],
    pub cell_origin: [f32; 4],
    pub cell_min: [i32; 4],
    pub cell_range: [u32; 4],
    pub cell_bits: [u32; 4],
    pub phase: u32,
    pub sort_count: u32,
    pub count: u32,
    pub removed: u32,
    pub dt: f32,
    pub inverse_dt: f32,
    pub elapsed: f32,
    pub length: f32,
    pub iteration: u32,
    pub least: u32,
    pub limited: u32,
    pub converged: u32,
    pub density_error: f32,
    pub friction_error: f32,
    pub reports: u32,
    pub most_reports: u32,
    pub slots: u32,
    pub contact_half: u32,
    pub sort_passes: u32,
    pub cell_count: u32,
    pub slots_needed: u32,
    pub contacts_needed: u32,
    pub cells_needed: u32,
    pub last_step: u32,
    pub progress: u32,
    pub listed: u32,
    pub wall_displacement: f32,
    pub list_slots: u32,
    pub pass_capacity: u32,
    pub momentum_began: u32,
    pub lowest_error: f32,
    pub remembered: u32,
    pub list_count: u32,
    pub wall_half: u32,
    pub steps_of_frame: u32,
    pub steps_left: u32,
    pub near_walls: u32,
    pub list_skin: f32,
    pub memory_dt: f32,
    pub pair_count: u32,
    pub skin_steps: f32,
    pub unused: [u32; 3],
}

/// What a step reports; twin of `Report`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ReportRecord {
    pub dt: f32,
    pub elapsed: f32,
    pub density_error: f32,
    pub friction_error: f32,
    pub max_speed: f32,
    pub kinetic_energy: f32,
    pub friction_power: f32,
    pub iterations: u32,
    pub converged: u32,
    pub limited: u32,
    pub lost: u32,
    pub dropped: u32,
    pub neighbors: u32,
    pub count: u32,
    pub slot: u32,
    pub wall_half: u32,
}

/// A boundary in the world; twin of `Pose`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct PoseRecord {
    pub rotation: [f32; 4],
    pub translation: [f32; 4],
    pub pivot: [f32; 4],
    pub linear: [f32; 4],
    pub angular: [f32; 4],
    pub shape_pivot: [f32; 4],
    pub low: [f32; 4],
    pub high: [f32; 4],
    pub solids: [u32; 4],
    pub rest: [f32; 4],
}

/// A rigid body; twin of `Body`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct BodyRecord {
    pub center: [f32; 4],
    pub begin_linear: [f32; 4],
    pub begin_angular: [f32; 4],
    pub inertia_x: [f32; 4],
    pub inertia_y: [f32; 4],
    pub inertia_z: [f32; 4],
    pub linear: [f32; 4],
    pub angular: [f32; 4],
    pub force: [f32; 4],
    pub torque: [f32; 4],
}

/// Words of a body's sums of forces.
pub const LOAD_WORDS: u64 = 16;

/// A segment of a motion between two keyframes; twin of `MotionSegment`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct MotionSegmentRecord {
    pub from_time: f32,
    pub to_time: f32,
    pub fastest: f32,
    pub fastest_turn: f32,
    pub axis: [f32; 4],
    pub pivot: [f32; 4],
    pub velocity: [f32; 4],
    pub pivot_2: [f32; 4],
    pub pivot_3: [f32; 4],
    pub base: [f32; 4],
}

/// A wall contact; twin of `Contact`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ContactRecord {
    pub normal: [f32; 4],
    pub velocity: [f32; 4],
    pub impulse: [f32; 4],
    pub friction: f32,
    pub wall: u32,
    pub mass_splitting: [f32; 2],
}

impl ContactRecord {
    /// Numbers of the boundary and of its wall in one word.
    pub fn wall_word(boundary: u16, face: u16) -> u32 {
        u32::from(boundary) | u32::from(face) << 16
    }
}

/// Mark of a removed particle in the second word of its meta record.
pub const REMOVED: u32 = 0x8000_0000;

/// Mark of a particle of a rigid grain of several in the same word.
pub const OF_GRAIN: u32 = 0x2_0000;

/// Mark of a particle of a body, which is not shown.
pub const OF_BODY: u32 = 0x4_0000;

/// Bits of the material in the second word of a meta record.
pub const MATERIAL: u32 = 0xffff;
