// What granular IISPH has of its own; the structs mirror those of src/iisph/layout.rs.

struct IisphParams {
    full_stress: f32,
    pressure_relaxation: f32,
    stress_relaxation: f32,
    rest_compaction: f32,
    least_diagonal: f32,
    viscosity_factor: f32,
    viscosity_softening: f32,
    density_error: f32,
    friction_error: f32,
    layer_pressure: f32,
    least_iterations: u32,
    most_iterations: u32,
    // Iterations that every step takes before the first one that may be its last.
    @size(16) sure_iterations: u32,
}

// How a material yields.
struct Rheology {
    yield_slope: f32,
    fast_slope: f32,
    grain_diameter: f32,
    cohesion: f32,
    viscosity: f32,
    fluid: f32,
    @size(8) warm_start: f32,
}

@group(1) @binding(2) var<uniform> iisph: IisphParams;
@group(1) @binding(3) var<uniform> rheology: array<Rheology, 256>;

override FLUID: bool = false;
override EXPLICIT: bool = false;
override FAST: bool = false;
