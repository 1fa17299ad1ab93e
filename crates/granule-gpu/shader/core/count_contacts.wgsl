// Counts the contacts of every body that can act, for the shares that each takes of it.

@group(0) @binding(0) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(1) var<storage, read> contacts: array<Contact>;
@group(0) @binding(2) var<storage, read_write> loads: array<atomic<u32>>;

@compute @workgroup_size(256)
fn count_contacts(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= pushing_count() {
        return;
    }
    let own = density_state[i];
    for (var k = 0u; k < contact_count(own); k++) {
        let contact = contacts[own.z + k];
        let body = contact_body(contact);
        if body != NO_BODY && contact.normal.w < 2.0 * params.radius {
            atomicAdd(&loads[LOAD_WORDS * body + LOAD_CONTACTS], 1u);
        }
    }
}
