// What weakly compressible SPH has of its own; the structs mirror those of src/wcsph/layout.rs.

struct WcsphParams {
    @size(16) sound_speed: f32,
}

// Twin of Fluid in solver/wcsph/params.rs. Exponent 0 is an ideal gas.
struct Fluid {
    stiffness: f32,
    tait_exponent: f32,
    dynamic_viscosity: f32,
    damping: f32,
    // Cohesion per volume and spline.
    surface_force: f32,
    @size(12) smoothing: f32,
}

@group(1) @binding(2) var<uniform> wcsph: WcsphParams;
@group(1) @binding(3) var<uniform> fluids: array<Fluid, 256>;

// Where a step is (Step.progress): not yet kicked; kicked by this attempt, or by an earlier one that found no room or left
// bodies to the host; no kick at all, to find the first accelerations, or only neighbours and walls.
const NOT_KICKED: u32 = 0u;
const KICKS: u32 = 1u;
const KICKED: u32 = 2u;
const PRIMES: u32 = 3u;
const SAMPLES: u32 = 4u;
