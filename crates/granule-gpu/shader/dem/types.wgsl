// What distinct elements have of their own; the structs mirror those of src/dem/layout.rs.

// How the periodic cell strains in a step, where it does.
struct CellMotion {
    // Point that stays where it is, in quanta: x and y, z.
    center_xy: vec4<u32>,
    center_z: vec4<u32>,
    // The same, rounded [m].
    center: vec4<f32>,
    // Growth in the step, and what is left of a velocity.
    stretch: vec4<f32>,
    slowing: vec4<f32>,
    // Rates [1/s].
    rate: vec4<f32>,
    // Lengths over those when lists were made, and how far the farthest is from 1.
    since_listed: vec4<f32>,
    squeeze: f32,
    // Whether the cell looks at the stress in this step.
    @size(12) steers: u32,
}

struct DemParams {
    // Periods of space in quanta, as pairs of words: origins along x and y, along z; lengths, 0 where an axis does not repeat.
    origin_xy: vec4<u32>,
    origin_z: vec4<u32>,
    length_xy: vec4<u32>,
    length_z: vec4<u32>,
    // How far beyond touching contacts may last [m].
    lasting: f32,
    // How far a grain may move before lists are made anew, doubled [m].
    skin: f32,
    material_count: u32,
    // Where the laws of walls begin.
    wall_laws: u32,
    motion: CellMotion,
}

// The numbers of the law of a pair: twin of `numbers` in solver/dem/laws.rs.
struct Law {
    stiffness: f32,
    surface_energy: f32,
    damping_factor: f32,
    tangential_stiffness: f32,
    damping_ratio: f32,
    friction: f32,
    rolling_stiffness: f32,
    rolling_damping: f32,
    rolling_friction: f32,
    twisting_stiffness: f32,
    twisting_damping: f32,
    twisting_friction: f32,
    liquid_volume: f32,
    liquid_tension: f32,
    @size(8) rupture_distance: f32,
}

@group(1) @binding(2) var<uniform> dem: DemParams;
@group(1) @binding(3) var<uniform> laws: array<Law, 512>;

// Where a step is (Step.progress): not yet kicked; kicked by this attempt, or by an earlier one that found no room; no kick at
// all, to find the first forces.
const NOT_KICKED: u32 = 0u;
const KICKS: u32 = 1u;
const KICKED: u32 = 2u;
const PRIMES: u32 = 3u;

// What moves a particle, in the second word of its meta record: twin of `mover` in solver/dem/state.rs.
const MOVER_SHIFT: u32 = 16u;
const FREE: u32 = 0u;
const HELD: u32 = 1u;
const MEMBER: u32 = 2u;

fn mover_of(own_meta: Meta) -> u32 {
    return (own_meta.y >> MOVER_SHIFT) & 3u;
}

// Whether walls may be near as long as lists hold, in the last word of a meta record; below it the number of contacts.
const NEAR_WALLS: u32 = 0x80000000u;

// Places for contacts that a particle near walls has.
const MOST_TOUCHES: u32 = 8u;

// No particle.
const NOBODY: u32 = 0xffffffffu;
