// Pressure and frictional stress of a particle in 16 bytes, for the gathers of accelerate: the pressure as it is, and five
// components of 19 bits (the sixth follows, as there is no trace), in parts of the most that any material bears under
// that pressure. A part is 4e-6 of it. A particle's own stress is unpacked as well, so forces of a pair stay opposite.

const PARTS: f32 = 262143.0;

// Largest size of a component [Pa] under a pressure.
fn stress_range(pressure: f32) -> f32 {
    return params.most_slope * pressure + params.most_cohesion;
}

fn pack_stress(s: Sym3, pressure: f32) -> vec4<u32> {
    let range = stress_range(pressure);
    let scale = select(0.0, PARTS / range, range > 0.0);
    let a = vec4<i32>(clamp(round(scale * s.a), vec4(-PARTS), vec4(PARTS)));
    let b = i32(clamp(round(scale * s.b.x), -PARTS, PARTS));
    let first = (u32(a.x) & 0x7ffffu) | (u32(a.w >> 6u) << 19u);
    let second = (u32(a.y) & 0x7ffffu) | ((u32(a.w) & 63u) << 19u) | (u32(b >> 12u) << 25u);
    let third = (u32(a.z) & 0x7ffffu) | (u32(b) << 20u);
    return vec4(bitcast<u32>(pressure), first, second, third);
}

// p I + s.
fn unpack_total_stress(packed: vec4<u32>) -> Sym3 {
    let pressure = bitcast<f32>(packed.x);
    let part = stress_range(pressure) / PARTS;
    let xx = part * f32(i32(packed.y << 13u) >> 13u);
    let xy = part * f32(i32(packed.z << 13u) >> 13u);
    let xz = part * f32(i32(packed.w << 13u) >> 13u);
    let yy = part * f32(((i32(packed.y) >> 19u) << 6u) | i32((packed.z >> 19u) & 63u));
    let yz = part * f32(((i32(packed.z) >> 25u) << 12u) | i32(packed.w >> 20u));
    return Sym3(vec4(pressure + xx, xy, xz, pressure + yy), vec2(yz, pressure - xx - yy));
}
