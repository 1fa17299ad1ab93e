// Tells each contact with a body how much of a correction it is to make; twin of Coupling::attach and give.

@group(0) @binding(0) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(1) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(2) var<storage, read> loads: array<u32>;
@group(0) @binding(3) var<storage, read> bodies: array<Body>;
@group(0) @binding(4) var<storage, read> position: array<vec4<f32>>;

@compute @workgroup_size(256)
fn attach(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= pushing_count() {
        return;
    }
    let own = density_state[i];
    let x = position[i].xyz;
    for (var k = 0u; k < contact_count(own); k++) {
        let contact = contacts[own.z + k];
        let number = contact_body(contact);
        if number == NO_BODY {
            continue;
        }
        let body = bodies[number];
        let mass = materials[state_material(own)].mass * f32(loads[LOAD_WORDS * number + LOAD_CONTACTS]);
        let response = vec2(response_along(body, x, contact.normal.xyz), largest_response(body, x));
        contacts[own.z + k].mass_splitting = 1.0 / (1.0 + mass * response);
    }
}
