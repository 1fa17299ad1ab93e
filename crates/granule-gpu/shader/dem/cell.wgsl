// A periodic cell that strains; the structs mirror those of src/dem/layout.rs.

// How far it has strained.
struct CellState {
    // Centre and half of the length of each axis in quanta, and what more the half has in parts of 2^-16 of one; a half of 0 where
    // an axis does not repeat.
    center: array<vec2<u32>, 3>,
    half_length: array<vec2<u32>, 3>,
    fraction: array<u32, 3>,
    // Steps of the frame.
    steps: u32,
    // Rates [1/s]; stress of contacts when it was last asked for [Pa]; lengths when lists were made [m].
    rate: vec4<f32>,
    stress: vec4<f32>,
    listed: vec4<f32>,
}

// How it is to strain.
struct CellSettings {
    // Rates that are given, pressures that are held, 0 where none is, and fastest rates to hold them by.
    given: vec4<f32>,
    pressure: vec4<f32>,
    max_rate: vec4<f32>,
    // When it begins to strain, since the frame's start [s].
    @size(16) start: f32,
}

struct StrainedCell {
    state: CellState,
    settings: CellSettings,
}

fn length_words(half_length: vec2<u32>) -> vec2<u32> {
    return add_words(half_length, half_length);
}
