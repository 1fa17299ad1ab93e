// Where the spheres of rigid grains are, within 1e-10 of their size: an overlap is a thousandth of it, and what turns from step to
// step far less. The orientation is known to 2^-48; what is large is whole numbers, which no compiler simplifies.

// Twice the sum of two products of parts: units of 2^-14, and the rest.
fn twice(a: Parts, b: Parts, c: Parts, d: Parts, factor: i32) -> Parts {
    let whole = 2 * (a.whole * b.whole + factor * (c.whole * d.whole));
    let first = f32(a.whole) * b.rest + f32(b.whole) * a.rest;
    let second = f32(c.whole) * d.rest + f32(d.whole) * c.rest;
    let rest = 1.2207031e-4 * (first + f32(factor) * second)
        + 2.0 * (a.rest * b.rest + f32(factor) * (c.rest * d.rest));
    return Parts(whole >> 14u, f32(whole & 16383) * 3.7252903e-9 + rest);
}

// 1 less a number.
fn less_than_one(a: Parts) -> Parts {
    return Parts(16384 - a.whole, -a.rest);
}

// A vector as whole numbers of units, of which its longest side has 2^15 at most, and the rest [m].
struct Offset {
    whole: vec3<i32>,
    rest: vec3<f32>,
    all: vec3<f32>,
    // Bits by which 2^-14 units are moved up to quanta.
    shift: u32,
}

fn offset_of(d: vec3<f32>) -> Offset {
    let largest = max(max(abs(d.x), abs(d.y)), abs(d.z));
    let exponent = (bitcast<u32>(largest) >> 23u) & 255u;
    // Units of 2^-n m.
    let n = clamp(141i - i32(exponent), -20i, 34i);
    let scale = bitcast<f32>(u32(127 + n) << 23u);
    let unit = bitcast<f32>(u32(127 - n) << 23u);
    let whole = vec3<i32>(round(d * scale));
    return Offset(whole, d - vec3<f32>(whole) * unit, d, u32(34 - n));
}

// A row of a rotation times a vector, in quanta.
fn turned_quanta(a: Parts, b: Parts, c: Parts, d: Offset) -> vec2<u32> {
    let whole = a.whole * d.whole.x + b.whole * d.whole.y + c.whole * d.whole.z;
    let first = f32(a.whole) * d.rest.x + f32(b.whole) * d.rest.y + f32(c.whole) * d.rest.z;
    let rest = 6.1035156e-5 * first + (a.rest * d.all.x + b.rest * d.all.y + c.rest * d.all.z);
    let words = vec2(bitcast<u32>(whole), bitcast<u32>(whole >> 31u));
    return add_words(shift_words(words, d.shift), nearest_quantum(rest).words);
}

// The place of a member, and whether it is in range.
fn place_of_member(clump: Clump, offset: vec3<f32>) -> AdvancedPosition {
    let x = parts_of(clump.orientation_xy.xy);
    let y = parts_of(clump.orientation_xy.zw);
    let z = parts_of(clump.orientation_zw.xy);
    let w = parts_of(clump.orientation_zw.zw);
    let d = offset_of(offset);
    let along_x = turned_quanta(less_than_one(twice(y, y, z, z, 1)), twice(x, y, w, z, -1), twice(x, z, w, y, 1), d);
    let along_y = turned_quanta(twice(x, y, w, z, 1), less_than_one(twice(x, x, z, z, 1)), twice(y, z, w, x, -1), d);
    let along_z = turned_quanta(twice(x, z, w, y, -1), twice(y, z, w, x, 1), less_than_one(twice(x, x, y, y, 1)), d);
    let to_x = add_within_range(clump.center_xy.xy, along_x);
    let to_y = add_within_range(clump.center_xy.zw, along_y);
    let to_z = add_within_range(clump.center_z, along_z);
    let point = ExactPosition(to_x.words, to_y.words, to_z.words);
    return AdvancedPosition(point, to_x.sound && to_y.sound && to_z.sound);
}
