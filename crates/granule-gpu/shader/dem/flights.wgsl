// Boundaries that forces of grains move: rigid bodies between two visits of rapier, and walls that hold a force. The structs mirror
// those of src/dem/layout.rs. What moves freely has a count of 1.

struct Flight {
    clump: Clump,
    // Force and torque of grains at the last step [N, N m]; w of the first: speed of the servo in the middle of it [m/s].
    force: vec4<f32>,
    torque: vec4<f32>,
    // Where the servo of a wall is along its direction, in quanta; its speed [m/s], and the force of grains along it [N].
    way: vec2<u32>,
    speed: f32,
    load: f32,
}

// What does not change about a body.
struct FlightShape {
    inertia: Inertia,
    // Centre of mass in the frame of the shape [m]; w: how far the shape reaches from it.
    center: vec4<f32>,
    // Direction of the servo, and the force that it holds [N].
    servo: vec4<f32>,
    // 1 / mass, 0 for boundaries without one; damping / mass; fastest speed; when it begins, since the frame's start.
    servo_mass: f32,
    servo_damping: f32,
    servo_fastest: f32,
    servo_start: f32,
}

// The speed of a servo after its forces have acted for dt [s]: twin of ServoState::kick.
fn servo_kicked(shape: FlightShape, speed: f32, load: f32, time: f32, dt: f32) -> f32 {
    if time < shape.servo_start {
        return 0.0;
    }
    let pushed = speed + dt * (shape.servo.w + load) * shape.servo_mass;
    return clamp(pushed / (1.0 + dt * shape.servo_damping), -shape.servo_fastest, shape.servo_fastest);
}

// Words of the sums of a boundary: force and torque, two for each coordinate.
const PUSH_WORDS: u32 = 16u;

// The force that sums count in is 2^-32 of this, and one that grains never reach 2^31 of it: 2^-24 of what moves a grain by its
// radius in the longest step.
fn push_scale() -> f32 {
    return 5.9604645e-8 * materials[0].mass * params.radius / (params.longest_step * params.longest_step);
}

fn turning_scale() -> f32 {
    return push_scale() * params.radius;
}
