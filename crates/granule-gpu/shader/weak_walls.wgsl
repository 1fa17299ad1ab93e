// What walls take from velocities: twin of hold_back in solver/wcsph/kick.rs. `contacts` is the file's that includes this
// one.

// Takes from a velocity what would lead into the walls from `first` on.
fn hold_back(start: vec3<f32>, first: u32, count: u32) -> vec3<f32> {
    var v = start;
    var impulses: array<vec4<f32>, 8>;
    for (var k = 0u; k < count; k++) {
        impulses[k] = vec4(0.0);
    }
    let rounds = select(1u, 3u, count > 1u);
    for (var round = 0u; round < rounds; round++) {
        for (var k = 0u; k < count; k++) {
            var contact = contacts[first + k];
            contact.impulse = impulses[k];
            let after = correct_contact(contact, v, max(contact.friction, 0.0), step.inverse_dt);
            let change = after - contact.impulse;
            v += step.dt * (change.w * contact.normal.xyz + change.xyz);
            impulses[k] = after;
        }
    }
    return v;
}
