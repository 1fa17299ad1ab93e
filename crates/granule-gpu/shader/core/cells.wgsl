// Cells: keys of 64 bits from the coordinates relative to the bounds, x in the lowest bits.


fn shifted(value: u32, shift: u32) -> vec2<u32> {
    if shift >= 32u {
        return vec2(0u, value << (shift - 32u));
    }
    if shift == 0u {
        return vec2(value, 0u);
    }
    return vec2(value << shift, value >> (32u - shift));
}

fn key_of_cell(cell: vec3<u32>) -> vec2<u32> {
    return vec2(cell.x, 0u) | shifted(cell.y, step.cell_bits.x)
        | shifted(cell.z, step.cell_bits.x + step.cell_bits.y);
}

fn bits_of(key: vec2<u32>, shift: u32, bits: u32) -> u32 {
    if bits == 0u {
        return 0u;
    }
    var low = key.y;
    if shift < 32u {
        low = key.x >> shift;
        if shift > 0u {
            low |= key.y << (32u - shift);
        }
    } else {
        low = key.y >> (shift - 32u);
    }
    return low & (0xffffffffu >> (32u - bits));
}

fn cell_of_key(key: vec2<u32>) -> vec3<u32> {
    let bits = step.cell_bits;
    return vec3(
        bits_of(key, 0u, bits.x),
        bits_of(key, bits.x, bits.y),
        bits_of(key, bits.x + bits.y, bits.z),
    );
}

fn cell_of_position(x: vec3<f32>) -> vec3<u32> {
    let scaled = (x - step.cell_origin.xyz) * step.cell_scale.xyz;
    let cell = vec3<i32>(floor(clamp(scaled, vec3(-1048574.0), vec3(1048574.0))));
    let relative = max(cell - step.cell_min.xyz, vec3(0));
    return min(vec3<u32>(relative), step.cell_range.xyz);
}

fn key_is_below(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}
