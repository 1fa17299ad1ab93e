// What all kernels of all methods share; the structs mirror those of src/core/layout.rs. A method's own constants are
// bindings 2 and 3 of group 1 (types.wgsl of its folder).

struct Params {
    gravity: vec4<f32>,
    period_origin: vec4<f32>,
    period_length: vec4<f32>,
    period_inverse: vec4<f32>,
    // Cells of a periodic axis; 0 otherwise.
    period_cells: vec4<u32>,
    radius: f32,
    spacing: f32,
    support: f32,
    volume: f32,
    inverse_support: f32,
    kernel_sigma: f32,
    kernel_zero: f32,
    push_out_speed: f32,
    wall_fill: f32,
    cfl: f32,
    longest_step: f32,
    viscous_step: f32,
    fixed_step: u32,
    boundary_count: u32,
    slot_capacity: u32,
    contact_capacity: u32,
    cell_capacity: u32,
    report_capacity: u32,
    wall_table: u32,
    // Particles that fit, and where the entries of neighbour lists begin.
    capacity: u32,
    list_base: u32,
    // Boundaries that are no bodies; they come first.
    wall_count: u32,
    // Distance up to which pairs are listed, and how much more than the support that is.
    reach: f32,
    skin: f32,
}

// What all methods know of a material.
struct Material {
    density: f32,
    inverse_density: f32,
    wall_friction: f32,
    mass: f32,
}

// Numbers of a step, found by the device itself.
struct Step {
    cell_scale: vec4<f32>,
    cell_origin: vec4<f32>,
    cell_min: vec4<i32>,
    cell_range: vec4<u32>,
    cell_bits: vec4<u32>,
    phase: u32,
    // Particles to sort, with those that have been removed.
    sort_count: u32,
    // Live particles.
    count: u32,
    removed: u32,
    dt: f32,
    inverse_dt: f32,
    // Time since the batch's start, and where it ends.
    elapsed: f32,
    length: f32,
    iteration: u32,
    least: u32,
    limited: u32,
    converged: u32,
    density_error: f32,
    friction_error: f32,
    // Reports written, most of them in this batch, and recorded steps gone through.
    reports: u32,
    most_reports: u32,
    slots: u32,
    // Half of the contacts that this step writes.
    contact_half: u32,
    // Sort passes needed; the order is in the second buffer if odd.
    sort_passes: u32,
    cell_count: u32,
    // What did not fit: neighbour slots, contacts, cells needed.
    slots_needed: u32,
    contacts_needed: u32,
    cells_needed: u32,
    last_step: u32,
    // Where a step is that was interrupted, in the method's own words.
    progress: u32,
    // Whether order and lists are those of the particles: of methods that keep them over several steps.
    listed: u32,
    // How far walls have moved since.
    wall_displacement: f32,
    // Slots of the lists.
    list_slots: u32,
    // Sort passes that are recorded.
    pass_capacity: u32,
    // The iteration after which momentum began, and the lowest error since.
    momentum_began: u32,
    lowest_error: f32,
    // Whether what contacts remember was put aside, for lists that are still to come.
    remembered: u32,
    // Particles of the lists.
    list_count: u32,
    // Half of the contacts with walls that steps write, of methods that keep them in place as long as lists hold.
    wall_half: u32,
    // Equal steps of the frame, and those that are left: of methods with steps of one length.
    steps_of_frame: u32,
    steps_left: u32,
    // Particles that have places for contacts with walls, of such methods.
    near_walls: u32,
    // How much farther than they touch pairs are listed [m], and the length of the step that impulses are of [s]: of methods that
    // choose these with their lists.
    list_skin: f32,
    memory_dt: f32,
    // Pairs that are listed, of methods that keep them.
    pair_count: u32,
    // Steps that lists are made for.
    skin_steps: f32,
}

// Sums over whole numbers within a step.
struct Counters {
    slots: atomic<u32>,
    contacts: atomic<u32>,
    neighbors: atomic<u32>,
    dropped: atomic<u32>,
}

// id, material with the mark of removal, first contact in its half, number of contacts.
alias Meta = vec4<u32>;

// What a step finds of a particle: density and diagonal as bits, first contact, and packed small numbers.
alias DensityState = vec4<u32>;

const REMOVED: u32 = 0x80000000u;
// Mark of a particle of a rigid grain of several.
const OF_GRAIN: u32 = 0x20000u;
// Mark of a particle of a body, which is not shown.
const OF_BODY: u32 = 0x40000u;
const MATERIAL: u32 = 0xffffu;

const READY: u32 = 0u;
const PREPARED: u32 = 1u;
const ITERATING: u32 = 2u;
const SOLVED: u32 = 3u;
const HALTED: u32 = 4u;
// The host moves bodies.
const MOVING: u32 = 5u;

const LANES: u32 = 32u;
const LARGEST: f32 = 3.4028234e38;

override KERNEL: u32 = 0u;
override PERIODIC: bool = false;
override SEVERAL_MATERIALS: bool = false;
// Whether there are rigid bodies.
override BODIES: bool = false;

@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<uniform> materials: array<Material, 256>;

fn material_of(own_meta: Meta) -> u32 {
    return own_meta.y & MATERIAL;
}

fn contact_count(density_state: DensityState) -> u32 {
    return density_state.w & 15u;
}

fn state_material(density_state: DensityState) -> u32 {
    return (density_state.w >> 4u) & 255u;
}

fn neighbor_count(density_state: DensityState) -> u32 {
    return density_state.w >> 12u;
}

fn pack_state(contacts: u32, material: u32, neighbors: u32) -> u32 {
    return contacts | (material << 4u) | (min(neighbors, 0xfffffu) << 12u);
}
