//! Structs and numbers that shaders of distinct elements and Rust share; a test compares their layouts.

use bytemuck::{Pod, Zeroable};
use granule::assemblies::Member;

/// Where a step is: `StepRecord::progress`.
pub mod progress {
    /// Nothing begun.
    pub const NOT_KICKED: u32 = 0;
    /// It does not kick, but finds the first forces.
    pub const PRIMES: u32 = 3;
}

/// Where the mover of a particle is in the second word of its meta record.
pub const MOVER_SHIFT: u32 = 16;

/// In the last word of a meta record: walls may be near.
pub const NEAR_WALLS: u32 = 0x8000_0000;

/// Contacts with walls that a particle has room for.
pub const MOST_TOUCHES: usize = 8;

/// Laws that there is room for.
pub const MOST_LAWS: usize = 512;

/// No particle.
pub const NOBODY: u32 = u32::MAX;

/// Constants; twin of `DemParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ParamsRecord {
    pub origin_xy: [i64; 2],
    pub origin_z: [i64; 2],
    pub length_xy: [i64; 2],
    pub length_z: [i64; 2],
    pub lasting: f32,
    pub skin: f32,
    pub material_count: u32,
    pub wall_laws: u32,
    pub motion: CellMotionRecord,
}

/// How a periodic cell strains in a step; twin of `CellMotion`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct CellMotionRecord {
    pub center_xy: [i64; 2],
    pub center_z: [i64; 2],
    pub center: [f32; 4],
    pub stretch: [f32; 4],
    pub slowing: [f32; 4],
    pub rate: [f32; 4],
    pub since_listed: [f32; 4],
    pub squeeze: f32,
    pub steers: u32,
    pub unused: [u32; 2],
}

impl Default for CellMotionRecord {
    /// One that stands still.
    fn default() -> Self {
        Self { slowing: [1.0; 4], since_listed: [1.0; 4], ..Self::zeroed() }
    }
}

/// How far a periodic cell has strained; twin of the first part of `StrainedCell`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct CellStateRecord {
    pub center: [i64; 3],
    pub half_length: [i64; 3],
    pub fraction: [u32; 3],
    pub steps: u32,
    pub rate: [f32; 4],
    pub stress: [f32; 4],
    pub listed: [f32; 4],
}

/// How it is to strain; twin of the rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct CellSettingsRecord {
    pub given: [f32; 4],
    pub pressure: [f32; 4],
    pub max_rate: [f32; 4],
    pub start: f32,
    pub unused: [u32; 3],
}

/// Both; twin of `StrainedCell`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct CellRecord {
    pub state: CellStateRecord,
    pub settings: CellSettingsRecord,
}

/// The law of a pair; twin of `Law`. The numbers are those of `granule::solver::dem::laws::numbers`, in their order.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct LawRecord {
    pub stiffness: f32,
    pub surface_energy: f32,
    pub damping_factor: f32,
    pub tangential_stiffness: f32,
    pub damping_ratio: f32,
    pub friction: f32,
    pub rolling_stiffness: f32,
    pub rolling_damping: f32,
    pub rolling_friction: f32,
    pub twisting_stiffness: f32,
    pub twisting_damping: f32,
    pub twisting_friction: f32,
    pub liquid_volume: f32,
    pub liquid_tension: f32,
    pub rupture_distance: f32,
    pub unused: f32,
}

/// A contact with a wall; twin of `WallTouch`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct WallTouchRecord {
    pub first: [f32; 4],
    pub second: [f32; 4],
    pub normal: [f32; 4],
    pub wall: u32,
    pub owner: u32,
    pub unused_1: u32,
    pub unused_2: u32,
}

/// Where a rigid grain of several spheres is and how it moves; twin of `Clump`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ClumpRecord {
    pub center_xy: [i64; 2],
    pub center_z: i64,
    pub first: u32,
    pub count: u32,
    pub orientation_xy: [i64; 2],
    pub orientation_zw: [i64; 2],
    pub velocity_xy: [i64; 2],
    pub velocity_z: i64,
    pub inverse_mass: f32,
    pub sound: f32,
    pub rotation_xy: [i64; 2],
    pub rotation_z: i64,
    pub unused: [u32; 2],
    pub spin: [f32; 3],
    pub energy: f32,
    pub turned: [f32; 4],
}

/// Its moments of inertia; twin of `Inertia`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct InertiaRecord {
    pub moments: [f32; 4],
    pub shape_from_principal: [f32; 4],
}

/// A sphere of a rigid grain; twin of `Member`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct MemberRecord {
    pub offset: [f32; 3],
    pub radius: f32,
    pub row: u32,
    pub id: u32,
    pub mass: f32,
    pub is_first: u32,
}

/// What acts on a grain, as kernels keep it from one step to the next; twin of `Acting`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ActingRecord {
    pub force: [f32; 3],
    pub known: f32,
    pub torque: [f32; 3],
    pub unused: u32,
}

impl MemberRecord {
    /// Of a sphere of some mass \[kg\] in a row, with its number in its grain.
    pub fn new(member: &Member, number: usize, row: u32, mass: f32) -> Self {
        Self {
            offset: member.offset.to_array(),
            radius: member.radius,
            row,
            id: member.particle,
            mass,
            is_first: u32::from(number == 0),
        }
    }
}

/// A boundary that forces of grains move; twin of `Flight`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct FlightRecord {
    pub clump: ClumpRecord,
    pub force: [f32; 4],
    pub torque: [f32; 4],
    pub servo: ServoRecord,
}

/// What does not change about it; twin of `FlightShape`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct FlightShapeRecord {
    pub inertia: InertiaRecord,
    pub center: [f32; 4],
    pub servo: ServoShapeRecord,
}

/// A wall that holds a force; twin of `Servo`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ServoRecord {
    pub way: i64,
    pub speed: f32,
    pub load: f32,
    pub middle_speed: f32,
    pub unused: [u32; 3],
}

/// What does not change about it; twin of `ServoShape`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ServoShapeRecord {
    pub direction: [f32; 4],
    pub inverse_mass: f32,
    pub damping: f32,
    pub fastest: f32,
    pub start: f32,
}

/// A sphere's place; as shaders read it from two records of 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct PlaceRecord {
    pub quanta: [i64; 3],
    pub radius: f32,
    pub id: u32,
}
