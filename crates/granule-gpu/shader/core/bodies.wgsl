// Rigid bodies as contacts see them; twins of bodies/motion.rs.
//
// Hook of the method: pushing_count(), the particles whose contacts push bodies; bodies_begin(), whether they begin a step.

struct Body {
    // Centre of mass, the pivot of kinematic bodies; w: 1 / mass, 0 for kinematic bodies.
    center: vec4<f32>,
    // Velocities at the step's start.
    begin_linear: vec4<f32>,
    begin_angular: vec4<f32>,
    // Columns of the inverse inertia tensor in the world's axes.
    inertia_x: vec4<f32>,
    inertia_y: vec4<f32>,
    inertia_z: vec4<f32>,
    // Velocities under the contacts' forces of now.
    linear: vec4<f32>,
    angular: vec4<f32>,
    // Force and torque of the grains.
    force: vec4<f32>,
    torque: vec4<f32>,
}

fn inverse_inertia_times(body: Body, v: vec3<f32>) -> vec3<f32> {
    return v.x * body.inertia_x.xyz + v.y * body.inertia_y.xyz + v.z * body.inertia_z.xyz;
}

// Twin of BodyMotion::velocity_at.
fn body_velocity_at(body: Body, x: vec3<f32>) -> vec3<f32> {
    return body.linear.xyz + cross(body.angular.xyz, x - body.center.xyz);
}

// Twin of BodyMotion::response_along.
fn response_along(body: Body, x: vec3<f32>, along: vec3<f32>) -> f32 {
    let arm = cross(x - body.center.xyz, along);
    return body.center.w + dot(arm, inverse_inertia_times(body, arm));
}

// Twin of BodyMotion::largest_response.
fn largest_response(body: Body, x: vec3<f32>) -> f32 {
    let turning = response_along(body, x, vec3(1.0, 0.0, 0.0)) + response_along(body, x, vec3(0.0, 1.0, 0.0))
        + response_along(body, x, vec3(0.0, 0.0, 1.0));
    return turning - 2.0 * body.center.w;
}
