// Moves the bodies on by the forces of their contacts; twin of Coupling::update.

@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@group(0) @binding(1) var<storage, read_write> loads: array<u32>;

fn load(at: u32) -> vec3<f32> {
    return vec3(
        from_fixed_point(loads[at], loads[at + 1u]),
        from_fixed_point(loads[at + 2u], loads[at + 3u]),
        from_fixed_point(loads[at + 4u], loads[at + 5u]),
    );
}

@compute @workgroup_size(256)
fn push_bodies(@builtin(local_invocation_index) thread: u32) {
    for (var b = thread; b < arrayLength(&bodies); b += WORKGROUP) {
        let at = LOAD_WORDS * b;
        if loads[at + LOAD_IS_NEW] == 0u {
            continue;
        }
        var body = bodies[b];
        body.force = vec4(force_scale() * load(at), 0.0);
        body.torque = vec4(torque_scale() * load(at + 6u), 0.0);
        if body.center.w > 0.0 {
            let dt = step.dt;
            let free = body.begin_linear.xyz + dt * params.gravity.xyz;
            let turned = body.begin_angular.xyz + dt * inverse_inertia_times(body, body.torque.xyz);
            body.linear = vec4(free + dt * body.center.w * body.force.xyz, 0.0);
            body.angular = vec4(turned, 0.0);
        }
        bodies[b] = body;
        for (var k = 0u; k < LOAD_CONTACTS; k++) {
            loads[at + k] = 0u;
        }
        loads[at + LOAD_IS_NEW] = 0u;
    }
}
