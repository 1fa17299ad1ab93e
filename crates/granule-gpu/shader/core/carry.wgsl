// Contacts with bodies move as the bodies do, at the grain; where the method says so, those with kinematic bodies move as with
// walls.

@group(0) @binding(0) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(1) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(2) var<storage, read> bodies: array<Body>;
@group(0) @binding(3) var<storage, read> position: array<vec4<f32>>;

@compute @workgroup_size(256)
fn carry(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= pushing_count() {
        return;
    }
    let own = density_state[i];
    for (var k = 0u; k < contact_count(own); k++) {
        let contact = contacts[own.z + k];
        let number = contact_body(contact);
        if number == NO_BODY {
            continue;
        }
        if !KINEMATIC_FROM_POSES && bodies[number].center.w == 0.0 {
            continue;
        }
        let velocity = body_velocity_at(bodies[number], position[i].xyz);
        contacts[own.z + k].velocity = vec4(velocity, contact.velocity.w);
    }
}
