// Rigid grains of several spheres, as their table has them; the struct mirrors that of src/dem/layout.rs.

struct Clump {
    // Centre of mass in quanta, as pairs of words: x and y, z.
    center_xy: vec4<u32>,
    center_z: vec2<u32>,
    // First member, and how many there are; none where the grain is gone.
    first: u32,
    count: u32,
    // Turns the frame of the shape into the world's: quanta of 2^-48, so that the smallest turns add up.
    orientation_xy: vec4<u32>,
    orientation_zw: vec4<u32>,
    // Velocity in quanta of 2^-40 m/s, so that the smallest kicks add up; the inverse of the mass [1/kg]; whether all is in range: 1,
    // else 0.
    velocity_xy: vec4<u32>,
    velocity_z: vec2<u32>,
    inverse_mass: f32,
    sound: f32,
    // Angular momentum about the centre in the world's axes, over the largest moment of inertia, in quanta of 2^-36 rad/s.
    rotation_xy: vec4<u32>,
    rotation_z: vec2<u32>,
    // Angular velocity that members have [rad/s], and energy of motion and rotation [J].
    spin: vec3<f32>,
    energy: f32,
    // The orientation, rounded.
    turned: vec4<f32>,
}

// A sphere of a rigid grain; the struct mirrors that of src/dem/layout.rs.
struct Member {
    // From the centre of mass, in the frame of the shape [m].
    offset: vec3<f32>,
    radius: f32,
    // Where it is among the particles, and its id there.
    row: u32,
    id: u32,
    // Its own mass [kg].
    mass: f32,
    // 1 for the first of its grain, else 0.
    is_first: u32,
}

// From the centre of mass to a member, in the world's axes [m].
fn arm_of(clump: Clump, offset: vec3<f32>) -> vec3<f32> {
    return rotate(clump.turned, offset);
}

// Velocity of the centre of mass [m/s].
fn velocity_of(clump: Clump) -> vec3<f32> {
    return 256.0
        * vec3(meters_of(clump.velocity_xy.xy), meters_of(clump.velocity_xy.zw), meters_of(clump.velocity_z));
}

// Angular momentum over the largest moment of inertia [rad/s].
fn rotation_of_clump(clump: Clump) -> vec3<f32> {
    return 4096.0
        * vec3(meters_of(clump.rotation_xy.xy), meters_of(clump.rotation_xy.zw), meters_of(clump.rotation_z));
}

fn center_of(clump: Clump) -> ExactPosition {
    return ExactPosition(clump.center_xy.xy, clump.center_xy.zw, clump.center_z);
}

// A number between -1 and 1 in two parts: units of 2^-14, and the rest.
struct Parts {
    whole: i32,
    rest: f32,
}

fn parts_of(words: vec2<u32>) -> Parts {
    let rest = f32(words.y & 3u) * 1.5258789e-5 + f32(words.x) * 3.5527137e-15;
    return Parts(bitcast<i32>(words.y) >> 2u, rest);
}
