// How a rigid grain turns: twins of crates/granule/src/assemblies/motion.rs in single precision. What a step turns is found as a
// change, so that it keeps its digits however small it is.

// Largest half angle for which series are taken: sines and cosines of devices may be coarse.
const SMALL: f32 = 0.5;

// Sine and cosine of half an angle.
fn half_sine_and_cosine(angle: f32) -> vec2<f32> {
    let x = 0.5 * angle;
    if !(abs(x) < SMALL) {
        return vec2(sin(x), cos(x));
    }
    let y = x * x;
    let sine = 1.0 + y * (-0.16666667 + y * (8.3333333e-3 + y * (-1.984127e-4 + y * 2.7557319e-6)));
    let cosine = 1.0 + y * (-0.5 + y * (4.1666667e-2 + y * (-1.3888889e-3 + y * 2.4801587e-5)));
    return vec2(x * sine, cosine);
}

// A rotation that principal axes have made, and an angular momentum seen from them, which the world keeps.
struct Turning {
    rotation: vec4<f32>,
    momentum: vec3<f32>,
}

// Turns the axes about one of them, by the momentum along it times `rate`.
fn turn_about(before: Turning, axis: vec3<f32>, rate: f32) -> Turning {
    let half = half_sine_and_cosine(rate * dot(before.momentum, axis));
    let q = before.rotation;
    let rotation = vec4(
        half.y * q.xyz + half.x * (q.w * axis + cross(q.xyz, axis)),
        half.y * q.w - half.x * dot(q.xyz, axis),
    );
    let sine = 2.0 * half.x * half.y;
    let less = 2.0 * half.x * half.x;
    let l = before.momentum;
    // Less than the momentum itself: what lies across the axis turns back.
    let across = l - dot(l, axis) * axis;
    return Turning(rotation, l - less * across - sine * cross(axis, l));
}

// What a free rotation of a step leads to.
struct Turned {
    // What is added to the orientation.
    change: vec4<f32>,
    // Angular velocity in the middle of the time [rad/s].
    middle: vec3<f32>,
}

const X_AXIS: vec3<f32> = vec3(1.0, 0.0, 0.0);
const Y_AXIS: vec3<f32> = vec3(0.0, 1.0, 0.0);
const Z_AXIS: vec3<f32> = vec3(0.0, 0.0, 1.0);

// Turns freely for dt [s], with momentum and inertia in the same units: R_1(dt/2) R_2(dt/2) R_3(dt) R_2(dt/2) R_1(dt/2), each
// about a principal axis [DLM97].
fn rotate_freely(
    orientation: vec4<f32>,
    shape_from_principal: vec4<f32>,
    angular_momentum: vec3<f32>,
    inertia: vec3<f32>,
    dt: f32,
) -> Turned {
    let axes = turn(orientation, shape_from_principal);
    let rate = vec3(0.5 * dt) / inertia;
    var t = Turning(vec4(0.0, 0.0, 0.0, 1.0), rotate(conjugate(axes), angular_momentum));
    t = turn_about(t, X_AXIS, rate.x);
    t = turn_about(t, Y_AXIS, rate.y);
    t = turn_about(t, Z_AXIS, rate.z);
    let middle = rotate(axes, rotate(t.rotation, t.momentum / inertia));
    t = turn_about(t, Z_AXIS, rate.z);
    t = turn_about(t, Y_AXIS, rate.y);
    t = turn_about(t, X_AXIS, rate.x);
    // In the frame of the shape, less the rotation that does nothing.
    let way = rotate(shape_from_principal, t.rotation.xyz);
    var less = t.rotation.w - 1.0;
    if t.rotation.w > 0.5 {
        less = -dot(way, way) / (1.0 + t.rotation.w);
    }
    let q = orientation;
    let change = vec4(q.w * way + less * q.xyz + cross(q.xyz, way), q.w * less - dot(q.xyz, way));
    return Turned(change, middle);
}

// What the square of a number of quanta is beyond that of its first bits.
fn beyond_square(part: Parts) -> f32 {
    return part.rest * (f32(part.whole) * 1.2207031e-4 + part.rest);
}

// By how much the square of an orientation's length is not 1, within 1e-10: what cancels is whole numbers.
fn excess_of(x: vec2<u32>, y: vec2<u32>, z: vec2<u32>, w: vec2<u32>) -> f32 {
    let a = parts_of(x);
    let b = parts_of(y);
    let c = parts_of(z);
    let d = parts_of(w);
    let whole = a.whole * a.whole + b.whole * b.whole + c.whole * c.whole + d.whole * d.whole - 268435456;
    let rest = beyond_square(a) + beyond_square(b) + beyond_square(c) + beyond_square(d);
    return f32(whole) * 3.7252903e-9 + rest;
}

fn added(words: vec2<u32>, change: f32) -> vec2<u32> {
    return add_words(words, nearest_quantum(change).words);
}

// The grain with a change of its orientation, which stays of length 1.
fn reoriented(before: Clump, change: vec4<f32>) -> Clump {
    var x = added(before.orientation_xy.xy, change.x);
    var y = added(before.orientation_xy.zw, change.y);
    var z = added(before.orientation_zw.xy, change.z);
    var w = added(before.orientation_zw.zw, change.w);
    let back = -0.5 * excess_of(x, y, z, w);
    x = added(x, back * meters_of(x));
    y = added(y, back * meters_of(y));
    z = added(z, back * meters_of(z));
    w = added(w, back * meters_of(w));
    var now = before;
    now.orientation_xy = vec4(x, y);
    now.orientation_zw = vec4(z, w);
    now.turned = vec4(meters_of(x), meters_of(y), meters_of(z), meters_of(w));
    return now;
}
