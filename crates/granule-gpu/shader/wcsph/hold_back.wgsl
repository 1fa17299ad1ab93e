// A round over walls and bodies in the first kick; twin of hold_back in solver/wcsph/kick.rs. What contacts bear is kept, for
// the bodies.

@group(0) @binding(0) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(2) var<storage, read> density_state: array<DensityState>;

@compute @workgroup_size(256)
fn hold_back_once(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count || step.progress != KICKS {
        return;
    }
    let own = density_state[i];
    let count = contact_count(own);
    if count == 0u {
        return;
    }
    var v = velocity[i].xyz;
    for (var round = 0u; round < wall_rounds(count); round++) {
        for (var k = 0u; k < count; k++) {
            let held = hold_back_by(contacts[own.z + k], v);
            v = held.velocity;
            contacts[own.z + k].impulse = held.impulse;
        }
    }
    velocity[i] = vec4(v, velocity[i].w);
}
