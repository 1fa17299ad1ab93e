// Exact positions, twins of crates/granule/src/position.rs, bit for bit. A coordinate is a whole number of quanta of
// 2^-48 m with a sign, 64 bits in two words (low, high). Only whole numbers are added, subtracted and compared: there is
// nothing that a compiler could simplify or contract.

struct ExactPosition {
    x: vec2<u32>,
    y: vec2<u32>,
    z: vec2<u32>,
}

/// Periods of space, in quanta; those of length 0 do not repeat.
struct ExactDomain {
    origin: ExactPosition,
    length: ExactPosition,
}

/// A number of quanta, and whether nothing was lost.
struct Quanta {
    words: vec2<u32>,
    sound: bool,
}

/// A point after a displacement, and whether nothing was lost.
struct AdvancedPosition {
    point: ExactPosition,
    sound: bool,
}

fn add_words(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn subtract_words(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn negate_words(a: vec2<u32>) -> vec2<u32> {
    return subtract_words(vec2(0u), a);
}

/// Whether a < b, both without sign.
fn words_below(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn words_negative(a: vec2<u32>) -> bool {
    return (a.y >> 31u) != 0u;
}

/// The modulus, without sign.
fn words_modulus(a: vec2<u32>) -> vec2<u32> {
    if words_negative(a) {
        return negate_words(a);
    }
    return a;
}

/// Bits moved up by 0 to 63.
fn shift_words(a: vec2<u32>, by: u32) -> vec2<u32> {
    if by == 0u {
        return a;
    }
    if by >= 32u {
        return vec2(0u, a.x << (by - 32u));
    }
    return vec2(a.x << by, (a.y << by) | (a.x >> (32u - by)));
}

/// a mod b, both without sign, b at most 2^63.
fn words_remainder(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    var rest = vec2(0u);
    for (var k = 0u; k < 64u; k++) {
        let word = select(a.x, a.y, k < 32u);
        rest = shift_words(rest, 1u);
        rest.x |= (word >> (31u - k % 32u)) & 1u;
        if !words_below(rest, b) {
            rest = subtract_words(rest, b);
        }
    }
    return rest;
}

/// The end of the range on the side of a sign.
fn end_of_range(negative: bool) -> vec2<u32> {
    return select(vec2(0xffffffffu, 0x7fffffffu), vec2(0u, 0x80000000u), negative);
}

/// Twin of `i64::saturating_add`, and whether it was not needed.
fn add_within_range(a: vec2<u32>, b: vec2<u32>) -> Quanta {
    let sum = add_words(a, b);
    let negative = words_negative(a);
    if negative == words_negative(b) && negative != words_negative(sum) {
        return Quanta(end_of_range(negative), false);
    }
    return Quanta(sum, true);
}

/// Twin of `i64::saturating_sub`.
fn subtract_within_range(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let difference = subtract_words(a, b);
    let negative = words_negative(a);
    if negative != words_negative(b) && negative != words_negative(difference) {
        return end_of_range(negative);
    }
    return difference;
}

/// Twin of `nearest_quantum` for a length [m] in single precision.
fn nearest_quantum(length: f32) -> Quanta {
    let bits = bitcast<u32>(length);
    let negative = (bits >> 31u) != 0u;
    let exponent = (bits >> 23u) & 255u;
    // 2^15 m and more, infinity, and what is not a number.
    if exponent >= 142u {
        if exponent == 255u && (bits & 0x7fffffu) != 0u {
            return Quanta(vec2(0u), false);
        }
        return Quanta(end_of_range(negative), false);
    }
    // The length is mantissa 2^(exponent - 150) m, which is mantissa 2^(exponent - 102) quanta.
    let mantissa = (bits & 0x7fffffu) | 0x800000u;
    var words = vec2(0u);
    if exponent >= 102u {
        words = shift_words(vec2(mantissa, 0u), exponent - 102u);
    } else if exponent >= 78u {
        let down = 102u - exponent;
        let whole = mantissa >> down;
        let rest = mantissa & ((1u << down) - 1u);
        let half = 1u << (down - 1u);
        let up = rest > half || (rest == half && (whole & 1u) != 0u);
        words = vec2(whole + select(0u, 1u, up), 0u);
    }
    if negative {
        words = negate_words(words);
    }
    return Quanta(words, true);
}

/// Twin of `meters`: quanta as a length [m], rounded once to the nearest, ties to even.
fn meters_of(quanta: vec2<u32>) -> f32 {
    let modulus = words_modulus(quanta);
    if all(modulus == vec2(0u)) {
        return 0.0;
    }
    let zeros = select(countLeadingZeros(modulus.y), 32u + countLeadingZeros(modulus.x), modulus.y == 0u);
    let top = shift_words(modulus, zeros);
    let mantissa = top.y >> 8u;
    let rest = top.y & 255u;
    let up = rest > 128u || (rest == 128u && (top.x != 0u || (mantissa & 1u) != 0u));
    // The highest bit of the mantissa adds the missing one to the exponent, and so does a carry.
    let exponent = 63u - zeros + 127u - 48u - 1u;
    let bits = (exponent << 23u) + mantissa + select(0u, 1u, up);
    return bitcast<f32>(bits | (quanta.y & 0x80000000u));
}

/// Twin of `wrapped`.
fn wrapped_coordinate(x: vec2<u32>, period_origin: vec2<u32>, period_length: vec2<u32>) -> vec2<u32> {
    // Mesa's software device compiles a kernel anew for every value of a constant that decides something alone, and periods may
    // change with every step. The number of bits of a word is below 64, which no compiler looks for.
    let nothing = vec2(countOneBits(x.x) >> 6u);
    let origin = period_origin | nothing;
    let length = period_length | nothing;
    if all(length == vec2(0u)) {
        return x;
    }
    // Flipped signs make the order of numbers with sign that of numbers without.
    let below = words_below(vec2(x.x, x.y ^ 0x80000000u), vec2(origin.x, origin.y ^ 0x80000000u));
    let offset = subtract_words(x, origin);
    if !below && words_below(offset, length) {
        return x;
    }
    var beyond = words_remainder(select(offset, negate_words(offset), below), length);
    if below && any(beyond != vec2(0u)) {
        beyond = subtract_words(length, beyond);
    }
    return add_words(origin, beyond);
}

/// Twin of `nearest_image`.
fn nearest_image_words(difference: vec2<u32>, length: vec2<u32>) -> vec2<u32> {
    let modulus = words_modulus(difference);
    if !words_below(modulus, length) {
        return difference;
    }
    let other = subtract_words(length, modulus);
    if !words_below(other, modulus) {
        return difference;
    }
    if words_negative(difference) {
        return other;
    }
    return negate_words(other);
}

/// Twin of `ExactPosition::advance`.
fn advance_position(point: ExactPosition, displacement: vec3<f32>) -> AdvancedPosition {
    let x = nearest_quantum(displacement.x);
    let y = nearest_quantum(displacement.y);
    let z = nearest_quantum(displacement.z);
    let to_x = add_within_range(point.x, x.words);
    let to_y = add_within_range(point.y, y.words);
    let to_z = add_within_range(point.z, z.words);
    let sound = x.sound && y.sound && z.sound && to_x.sound && to_y.sound && to_z.sound;
    return AdvancedPosition(ExactPosition(to_x.words, to_y.words, to_z.words), sound);
}

/// Twin of `ExactPosition::difference`: from b to a [m].
fn position_difference(a: ExactPosition, b: ExactPosition) -> vec3<f32> {
    return vec3(
        meters_of(subtract_within_range(a.x, b.x)),
        meters_of(subtract_within_range(a.y, b.y)),
        meters_of(subtract_within_range(a.z, b.z)),
    );
}

/// Twin of `ExactPosition::to_vec3` [m].
fn position_meters(point: ExactPosition) -> vec3<f32> {
    return vec3(meters_of(point.x), meters_of(point.y), meters_of(point.z));
}

/// Twin of `ExactDomain::wrap`.
fn wrap_position(domain: ExactDomain, point: ExactPosition) -> ExactPosition {
    return ExactPosition(
        wrapped_coordinate(point.x, domain.origin.x, domain.length.x),
        wrapped_coordinate(point.y, domain.origin.y, domain.length.y),
        wrapped_coordinate(point.z, domain.origin.z, domain.length.z),
    );
}

/// Twin of `ExactDomain::difference`: the shortest vector from b to a [m], both inside the periods.
fn nearest_position_difference(domain: ExactDomain, a: ExactPosition, b: ExactPosition) -> vec3<f32> {
    return vec3(
        meters_of(nearest_image_words(subtract_within_range(a.x, b.x), domain.length.x)),
        meters_of(nearest_image_words(subtract_within_range(a.y, b.y), domain.length.y)),
        meters_of(nearest_image_words(subtract_within_range(a.z, b.z), domain.length.z)),
    );
}
