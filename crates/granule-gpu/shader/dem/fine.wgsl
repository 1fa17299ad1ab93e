// Lengths that are finer than single precision tells at their size: whole units of 2^-23 m, and the rest [m]. Up to 200 m of
// them hold within 2e-11 m; what cancels is whole numbers, which no compiler simplifies.

struct Fine {
    whole: i32,
    rest: f32,
}

// A vector of such lengths.
struct Fine3 {
    x: Fine,
    y: Fine,
    z: Fine,
}

const FINE_UNIT: f32 = 1.1920929e-7;
const FINE_UNITS: f32 = 8388608.0;

// From quanta of 2^-48 m.
fn fine_of(words: vec2<u32>) -> Fine {
    let whole = bitcast<i32>((words.y << 7u) | (words.x >> 25u));
    return Fine(whole, f32(words.x & 0x1ffffffu) * 3.5527137e-15);
}

// From a number of single precision.
fn fine_number(x: f32) -> Fine {
    let whole = i32(floor(x * FINE_UNITS));
    return Fine(whole, x - f32(whole) * FINE_UNIT);
}

fn fine_value(a: Fine) -> f32 {
    return f32(a.whole) * FINE_UNIT + a.rest;
}

fn fine_sum(a: Fine, b: Fine) -> Fine {
    return Fine(a.whole + b.whole, a.rest + b.rest);
}

fn fine_difference(a: Fine, b: Fine) -> Fine {
    return Fine(a.whole - b.whole, a.rest - b.rest);
}

fn fine_plus(a: Fine, rest: f32) -> Fine {
    return Fine(a.whole, a.rest + rest);
}

// Times a number between -1 and 1: the number's first bits times the length's first bits is whole.
fn fine_scaled(factor: f32, a: Fine) -> Fine {
    let first = i32(round(factor * 2048.0));
    let first_part = f32(first) * 4.8828125e-4;
    let coarse = a.whole >> 11u;
    let below = f32(a.whole & 2047) * FINE_UNIT + a.rest;
    let rest = first_part * below + (factor - first_part) * (f32(coarse) * 2.4414063e-4 + below);
    return Fine(first * coarse, rest);
}

fn fine_dot(n: vec3<f32>, a: Fine3) -> Fine {
    return fine_sum(fine_sum(fine_scaled(n.x, a.x), fine_scaled(n.y, a.y)), fine_scaled(n.z, a.z));
}

fn fine_vector(a: Fine3) -> vec3<f32> {
    return vec3(fine_value(a.x), fine_value(a.y), fine_value(a.z));
}

fn fine_direction(n: vec3<f32>) -> Fine3 {
    return Fine3(fine_number(n.x), fine_number(n.y), fine_number(n.z));
}

// By how much the square of a direction's length is not 1.
fn fine_excess(n: vec3<f32>) -> f32 {
    let square = fine_dot(n, fine_direction(n));
    return f32(square.whole - 8388608) * FINE_UNIT + square.rest;
}

// Length of a vector in the direction `n` that it nearly has.
fn fine_length(n: vec3<f32>, a: Fine3) -> Fine {
    let along = fine_dot(n, a);
    return fine_plus(along, -0.5 * fine_excess(n) * fine_value(along));
}

// A coordinate beyond a point of the world that is the sum of three numbers [m].
fn fine_beyond(words: vec2<u32>, point: f32, moved: f32, rest: f32) -> Fine {
    let there = add_words(nearest_quantum(point).words, nearest_quantum(moved).words);
    return fine_of(subtract_words(words, add_words(there, nearest_quantum(rest).words)));
}

// From a point in a boundary's frame [m] to a place in the world.
fn fine_offset(place: ExactPosition, pose: Pose, point: vec3<f32>) -> Fine3 {
    let there = into_world(pose, point);
    let moved = pose.translation.xyz;
    return Fine3(
        fine_beyond(place.x, there.x, moved.x, pose.rest.x),
        fine_beyond(place.y, there.y, moved.y, pose.rest.y),
        fine_beyond(place.z, there.z, moved.z, pose.rest.z),
    );
}
