// Bodies at the beginning of a step: as they would move if no grain touched them. Twin of Bodies::free_motions and
// Coupling::begin.

@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@group(0) @binding(1) var<storage, read_write> loads: array<u32>;
@group(0) @binding(2) var<storage, read> poses: array<Pose>;

@compute @workgroup_size(256)
fn begin_bodies(@builtin(local_invocation_index) thread: u32) {
    if !bodies_begin() {
        return;
    }
    for (var b = thread; b < arrayLength(&bodies); b += WORKGROUP) {
        var body = bodies[b];
        if body.center.w > 0.0 {
            body.linear = vec4(body.begin_linear.xyz + step.dt * params.gravity.xyz, 0.0);
            body.angular = body.begin_angular;
        } else if KINEMATIC_FROM_POSES {
            let pose = poses[params.wall_count + b];
            body.center = vec4(pose.pivot.xyz, 0.0);
            body.linear = pose.linear;
            body.angular = pose.angular;
        }
        body.force = vec4(0.0);
        body.torque = vec4(0.0);
        bodies[b] = body;
        for (var k = 0u; k < LOAD_WORDS; k++) {
            loads[LOAD_WORDS * b + k] = 0u;
        }
    }
}
