// How a force and a torque change the motion of a rigid grain or body.

// Principal moments of inertia over the largest of them, the largest [kg m2], and what turns principal axes into those of the shape.
struct Inertia {
    moments: vec4<f32>,
    shape_from_principal: vec4<f32>,
}

// Lets a force, the weight and a torque act for dt [s]. What is not finite or out of range shows.
fn accelerated(before: Clump, inertia: Inertia, force: vec3<f32>, torque: vec3<f32>, dt: f32) -> Clump {
    let velocity = ExactPosition(before.velocity_xy.xy, before.velocity_xy.zw, before.velocity_z);
    let rotation = ExactPosition(before.rotation_xy.xy, before.rotation_xy.zw, before.rotation_z);
    let faster = advance_position(velocity, (0.00390625 * dt) * (before.inverse_mass * force + params.gravity.xyz));
    let turning = advance_position(rotation, (2.4414063e-4 * dt / inertia.moments.w) * torque);
    var now = before;
    now.velocity_xy = vec4(faster.point.x, faster.point.y);
    now.velocity_z = faster.point.z;
    now.rotation_xy = vec4(turning.point.x, turning.point.y);
    now.rotation_z = turning.point.z;
    if !(faster.sound && turning.sound) {
        now.sound = 0.0;
    }
    return now;
}
