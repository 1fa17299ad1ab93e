// Moves bodies on by what grains do to them, and empties the sums: twin of `follow_bodies` in solver/pbd/mod.rs.

@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@group(0) @binding(1) var<storage, read_write> pushes: array<u32>;

@compute @workgroup_size(256)
fn follow_bodies(@builtin(local_invocation_index) thread: u32) {
    if step.phase != SOLVED {
        return;
    }
    for (var b = thread; b < arrayLength(&bodies); b += WORKGROUP) {
        let at = PUSH_WORDS * (params.wall_count + b);
        var body = bodies[b];
        body.force = vec4(push_scale() * pushed(at), 0.0);
        body.torque = vec4(turning_scale() * pushed(at + 6u), 0.0);
        if body.center.w > 0.0 {
            let free = body.begin_linear.xyz + step.dt * params.gravity.xyz;
            let turned = step.dt * inverse_inertia_times(body, body.torque.xyz);
            body.linear = vec4(free + step.dt * body.center.w * body.force.xyz, 0.0);
            body.angular = vec4(body.begin_angular.xyz + turned, 0.0);
        }
        bodies[b] = body;
        for (var k = 0u; k < PUSH_WORDS; k++) {
            pushes[at + k] = 0u;
        }
    }
}
