// The first half kick where there are bodies, before walls and bodies hold particles back. Contacts bear nothing yet; those
// of particles that were removed are forgotten.

@group(0) @binding(0) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> acceleration: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(3) var<storage, read> metadata: array<Meta>;
@group(0) @binding(4) var<storage, read_write> density_state: array<DensityState>;

@compute @workgroup_size(256)
fn half_kick(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count || step.progress != KICKS {
        return;
    }
    let own = density_state[i];
    if (metadata[i].y & REMOVED) != 0u {
        density_state[i].w = pack_state(0u, state_material(own), neighbor_count(own));
        return;
    }
    for (var k = 0u; k < contact_count(own); k++) {
        contacts[own.z + k].impulse = vec4(0.0);
    }
    velocity[i] += vec4(0.5 * step.dt * acceleration[i].xyz, 0.0);
}
