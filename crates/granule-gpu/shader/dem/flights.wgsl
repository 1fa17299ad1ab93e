// Boundaries that forces of grains move: rigid bodies between two visits of rapier, and walls that hold a force. The structs mirror
// those of src/dem/layout.rs. What moves freely has a count of 1.

struct Flight {
    clump: Clump,
    // Force and torque of grains at the last step [N, N m].
    force: vec4<f32>,
    torque: vec4<f32>,
    servo: Servo,
}

// What does not change about a body.
struct FlightShape {
    inertia: Inertia,
    // Centre of mass in the frame of the shape [m]; w: how far the shape reaches from it.
    center: vec4<f32>,
    servo: ServoShape,
}

// The force that sums count in is 2^-32 of this, and one that grains never reach 2^31 of it: 2^-24 of what moves a grain by its
// radius in the longest step.
fn push_scale() -> f32 {
    return 5.9604645e-8 * materials[0].mass * params.radius / (params.longest_step * params.longest_step);
}

fn turning_scale() -> f32 {
    return push_scale() * params.radius;
}
