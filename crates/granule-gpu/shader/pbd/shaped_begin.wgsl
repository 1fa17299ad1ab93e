// Bodies that are made of particles fall, and give these their velocities: twin of `begin` in solver/pbd/shaped.rs.

// Places of particles from the centre of mass, in the frame of the shape [m].
@group(0) @binding(3) var<storage, read> offsets: array<vec4<f32>>;

@compute @workgroup_size(256)
fn shaped_begin(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if step.phase != SOLVED {
        return;
    }
    var body = pushed_body(bodies[workgroup.x], step.dt * params.gravity.xyz, vec3(0.0));
    body.force = vec4(0.0);
    body.torque = vec4(0.0);
    body.lost = 0u;
    let end = body.clump.first + body.clump.count;
    for (var k = body.clump.first + thread; k < end; k += WORKGROUP) {
        let arm = arm_of(body.clump, offsets[k].xyz);
        members[k].arm = arm;
        give_member(body, k, arm);
    }
    // All have read it.
    workgroupBarrier();
    if thread == 0u {
        bodies[workgroup.x] = body;
    }
}
