// Sums of forces on bodies that do not depend on the order of additions: whole numbers of 64 bits in two words.
//
// A body has 16 words: force and torque, two words for each coordinate; the number of its contacts; whether there is
// anything new.

const LOAD_WORDS: u32 = 16u;
const LOAD_CONTACTS: u32 = 12u;
const LOAD_IS_NEW: u32 = 13u;
const TWO_TO_32: f32 = 4294967296.0;

// A force that grains never reach is 2^31 of this, and what it counts in is 2^-32 of it.
fn force_scale() -> f32 {
    return materials[0].mass * params.spacing * step.inverse_dt * step.inverse_dt;
}

fn torque_scale() -> f32 {
    return force_scale() * params.spacing;
}

// A number of 2^-32 as the words of a whole number.
fn fixed_point(value: f32) -> vec2<u32> {
    let size = abs(value);
    // Not a number, or beyond all bounds.
    if !(size < 1e9) {
        return vec2(0u);
    }
    let high = u32(size);
    let low = u32((size - f32(high)) * TWO_TO_32);
    if value < 0.0 {
        return vec2(~low + 1u, ~high + select(0u, 1u, low == 0u));
    }
    return vec2(low, high);
}

fn from_fixed_point(low: u32, high: u32) -> f32 {
    if (high & 0x80000000u) != 0u {
        let low_size = ~low + 1u;
        let high_size = ~high + select(0u, 1u, low == 0u);
        return -(f32(high_size) + f32(low_size) / TWO_TO_32);
    }
    return f32(high) + f32(low) / TWO_TO_32;
}
