// Rigid bodies that are made of particles; the structs mirror those of src/pbd/layout.rs.

struct ShapedBody {
    // Where it is and how it moves, as a rigid grain of several spheres: its particles are members.
    clump: Clump,
    // Principal moments of inertia over the largest of them, the largest [kg m2], and what turns principal axes into those of the shape.
    moments: vec4<f32>,
    shape_from_principal: vec4<f32>,
    // Force of grains in the last step, and its torque about the centre of mass.
    force: vec4<f32>,
    torque: vec4<f32>,
    // Radius of its particles [m], and inverse mass of each of them in this step [1/kg].
    radius: f32,
    weight: f32,
    // 1 where the step has lost it: it stays where it was.
    lost: u32,
}

// A particle of a body within a step.
struct BodyMember {
    // From the centre of mass, in the world's axes [m].
    arm: vec3<f32>,
    // Where it is among the particles, as long as lists hold.
    row: u32,
    // Velocity that it was given last [m/s].
    given: vec3<f32>,
    // Whether it touches something: 1, else 0.
    touches: u32,
    // Impulse of its pairs with grains [N s], and its torque about the particle's centre [N m s].
    impulse: vec3<f32>,
    unused_1: u32,
    torque: vec3<f32>,
    unused_2: u32,
}

// Angular velocity of a momentum over the largest moment of inertia, both in the world's axes [rad/s].
fn rates_of(body: ShapedBody, rotation: vec3<f32>) -> vec3<f32> {
    let axes = turn(body.clump.turned, body.shape_from_principal);
    return rotate(axes, rotate(conjugate(axes), rotation) / body.moments.xyz);
}

// A body with changes of its velocity [m/s] and of its angular momentum over the largest moment of inertia [rad/s]. What is not finite
// or out of range shows.
fn pushed_body(before: ShapedBody, faster: vec3<f32>, turning: vec3<f32>) -> ShapedBody {
    let clump = before.clump;
    let velocity = ExactPosition(clump.velocity_xy.xy, clump.velocity_xy.zw, clump.velocity_z);
    let rotation = ExactPosition(clump.rotation_xy.xy, clump.rotation_xy.zw, clump.rotation_z);
    // Quanta of velocities are 2^-40 m/s, those of rotations 2^-36 rad/s.
    let moved = advance_position(velocity, 0.00390625 * faster);
    let turned = advance_position(rotation, 0.000244140625 * turning);
    var now = before;
    now.clump.velocity_xy = vec4(moved.point.x, moved.point.y);
    now.clump.velocity_z = moved.point.z;
    now.clump.rotation_xy = vec4(turned.point.x, turned.point.y);
    now.clump.rotation_z = turned.point.z;
    if !(moved.sound && turned.sound) {
        now.clump.sound = 0.0;
    }
    now.clump.spin = rates_of(now, rotation_of_clump(now.clump));
    return now;
}
