//! Structs that shaders of fine grains and Rust share.

use bytemuck::{Pod, Zeroable};

/// Most walls and regions on a device.
pub const MOST_WALLS: usize = 128;

/// Most materials on a device.
pub const MOST_MATERIALS: usize = 256;

/// Words before the entries of the list of grains; twin of `LIST_ENTRIES`.
pub const LIST_HEAD: u32 = 3;

/// A frame; twin of `FineFrame`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct FrameRecord {
    pub origin: [f32; 4],
    pub gravity: [f32; 4],
    pub offset: [f32; 4],
    pub period_origin: [f32; 4],
    pub period_length: [f32; 4],
    pub after_origin: [f32; 4],
    pub cells: [u32; 4],
    pub after_cells: [u32; 4],
    pub coverage_ramp: [f32; 2],
    pub neighbor_ramp: [f32; 2],
    pub isolation_ramp: [f32; 2],
    pub carried_ramp: [f32; 2],
    pub surface_ramp: [f32; 2],
    pub radius: f32,
    pub guide_radius: f32,
    pub support: f32,
    pub reach: f32,
    pub full_sum: f32,
    pub most_deformation: f32,
    pub least_volume: f32,
    pub regularisation: f32,
    pub in_motion: f32,
    pub node_shift: f32,
    pub most_node_shift: f32,
    pub fine_shift: f32,
    pub most_fine_shift: f32,
    pub full_share: f32,
    pub landed: f32,
    pub landing_step: f32,
    pub landing_steps: f32,
    pub full: f32,
    pub unit: f32,
    pub fixed_point_one: f32,
    pub grains: u32,
    pub blocks: u32,
    pub parts: u32,
    pub along: u32,
    pub starts: u32,
    pub after_starts: u32,
    pub cell_parts: u32,
    pub block_table: u32,
    pub part_table: u32,
    pub wall_count: u32,
    pub region_count: u32,
    pub moving_walls: u32,
    pub shifts: u32,
    pub chunk: u32,
    pub list: u32,
    pub list_length: u32,
    pub region_reach: f32,
    pub largest: f32,
    pub sized: u32,
    pub unused: [u32; 3],
    pub radii: [[[f32; 4]; 8]; 8],
}

/// A wall; twin of `FineWall`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct WallRecord {
    pub start_rotation: [f32; 4],
    pub start_translation: [f32; 4],
    pub end_rotation: [f32; 4],
    pub end_translation: [f32; 4],
    pub solids: [u32; 4],
}
