//! Structs and numbers that shaders of position-based sand and Rust share; a test compares their layouts.

use bytemuck::{Pod, Zeroable};

use crate::dem::layout::ClumpRecord;
pub use crate::dem::layout::{MOST_TOUCHES, NEAR_WALLS, NOBODY, PlaceRecord, WallTouchRecord};

/// Laws that there is room for.
pub const MOST_LAWS: usize = 1024;

/// `StepRecord::progress` where lists of a checkpoint are made again.
pub const AGAIN: u32 = 3;

/// In the pair of an entry of the lists: the other grain has placed it.
pub const BORROWED: u32 = 0x8000_0000;

/// Colours that loose pairs may have.
pub const COLOURS: u32 = 64;

/// Rounds of colouring that are recorded for every colour with a dispatch: a chain of pairs that wait for each other is three times as
/// long as there are colours, in settled beds and in flows. Those that wait longer are coloured by one workgroup.
pub const ROUNDS_PER_COLOUR: usize = 3;

/// Bytes of the ranges of one colour, so that each can be bound alone.
pub const COLOUR_BYTES: u64 = 256;

/// Bytes of the ranges of all colours and of the bins behind them.
pub const COLOURS_BYTES: u64 = 4 * 4928;

/// Where in them what is known of the bricks of the first partition begins; that of every partition can be bound alone, too.
pub const BRICK_HEADS: u64 = 4 * 4608;

/// Bytes of what is known of all bricks, and of one that has pairs.
pub const BRICK_BYTES: [u64; 2] = [16, 16];

/// Argument slots of the method's own, counted from `slot::METHOD`.
pub mod own_slot {
    use crate::core::layout::slot::METHOD;

    /// One workgroup, where lists are new.
    pub const CARRY_ONE: u64 = METHOD;
    /// All pairs.
    pub const ALL_PAIRS: u64 = METHOD + 1;
    /// One workgroup, where there are pairs whose colours have no dispatch.
    pub const TAIL: u64 = METHOD + 2;
    /// The first of the colours that have one.
    pub const FIRST_COLOUR: u64 = METHOD + 3;
    /// One workgroup, where bodies made of particles meet.
    pub const MEETING_ONE: u64 = METHOD + 67;
    /// One for each of these bodies, then.
    pub const MEETING_BODIES: u64 = METHOD + 68;
    /// Particles near walls, then.
    pub const MEETING_NEAR: u64 = METHOD + 69;
    /// All particles, where what they have turned goes over into orientations.
    pub const FOLD: u64 = METHOD + 70;
    /// A workgroup for each brick of the first partition, in passes; the others follow.
    pub const BRICKS: u64 = METHOD + 71;
    /// The same where lists are new.
    pub const CARRY_BRICKS: u64 = METHOD + 75;
}

/// Constants; twin of `PbdParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ParamsRecord {
    pub origin_xy: [i64; 2],
    pub origin_z: [i64; 2],
    pub length_xy: [i64; 2],
    pub length_z: [i64; 2],
    pub least_skin: f32,
    pub most_skin: f32,
    pub largest: f32,
    pub gravity: f32,
    pub push_speed: f32,
    pub material_count: u32,
    pub wall_laws: u32,
    pub first_member: u32,
    pub mean_skin: f32,
    pub inverse_brick: f32,
    pub unused: [u32; 2],
}

/// The law of a contact; twin of `Law`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct LawRecord {
    pub friction: f32,
    pub rolling: f32,
    pub restitution: f32,
    pub tension: f32,
}

/// A body made of particles; twin of `ShapedBody`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ShapedRecord {
    pub clump: ClumpRecord,
    pub moments: [f32; 4],
    pub shape_from_principal: [f32; 4],
    pub force: [f32; 4],
    pub torque: [f32; 4],
    pub radius: f32,
    pub weight: f32,
    pub lost: u32,
    pub unused: u32,
}

/// Bytes of a particle of such a body within a step; `BodyMember`.
pub const MEMBER_BYTES: u64 = 64;

/// Bytes of a contact with a wall within a step; `WallStep`.
pub const WALL_STEP_BYTES: u64 = 64;
