// The first half kick where there are bodies, before walls and bodies hold particles back. Contacts bear nothing yet; those
// of particles that were removed are forgotten.

@group(0) @binding(0) var<storage, read_write> velocity: array<vec4<f32>>;
// Accelerations in the first of two records.
@group(0) @binding(1) var<storage, read> stress: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(3) var<storage, read> tags: array<Tag>;
@group(0) @binding(4) var<storage, read_write> found: array<Found>;

@compute @workgroup_size(256)
fn half_kick(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count || step.kicked != KICKS {
        return;
    }
    let own = found[i];
    if (tags[i].y & REMOVED) != 0u {
        found[i].w = pack_found(0u, found_material(own), neighbor_count(own));
        return;
    }
    for (var k = 0u; k < contact_count(own); k++) {
        contacts[own.z + k].impulse = vec4(0.0);
    }
    velocity[i] += vec4(0.5 * step.dt * stress[2u * i].xyz, 0.0);
}
