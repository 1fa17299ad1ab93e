// Poses of boundaries that move along keyframes.

struct Pose {
    // From the shape's frame to the world.
    rotation: vec4<f32>,
    // w: 1 where the rotation is none.
    translation: vec4<f32>,
    // Point that the velocities belong to; w: friction, below 0 for the material's.
    pivot: vec4<f32>,
    linear: vec4<f32>,
    angular: vec4<f32>,
    // The pivot in the shape's frame; w: how far the shape reaches from it.
    shape_pivot: vec4<f32>,
    // Bounds in the shape's frame; w of low: 1 where there are some; w of high: 1 for bodies that give way.
    low: vec4<f32>,
    high: vec4<f32>,
    // First solid, number of solids, first segment of the motion, number of segments.
    solids: vec4<u32>,
    // What the translation is beyond its rounded value, of what the device moves by forces; w: 1 where these are asked for.
    rest: vec4<f32>,
}

// A stretch of a motion between two keyframes; times since the batch's start. Place of the pivot (xyz) and angle (w) are
// cubic polynomials of the time since the stretch's start.
struct MotionSegment {
    from_time: f32,
    to_time: f32,
    // Bounds of speed and turning rate.
    fastest: f32,
    fastest_turn: f32,
    axis: vec4<f32>,
    pivot: vec4<f32>,
    velocity: vec4<f32>,
    pivot_2: vec4<f32>,
    pivot_3: vec4<f32>,
    // What is turned by the angle about the axis.
    base: vec4<f32>,
}

fn rotate(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// The rotation b, then a.
fn turn(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

fn conjugate(q: vec4<f32>) -> vec4<f32> {
    return vec4(-q.xyz, q.w);
}
