// What walls take from velocities: twin of hold_back in solver/wcsph/kick.rs. `contacts` is the file's that includes this
// one.

// A velocity and what a contact bears for it.
struct Held {
    velocity: vec3<f32>,
    impulse: vec4<f32>,
}

fn hold_back_by(contact: Contact, velocity: vec3<f32>) -> Held {
    let after = correct_contact(contact, velocity, max(contact.friction, 0.0), step.inverse_dt);
    let change = after - contact.impulse;
    return Held(velocity + step.dt * (change.w * contact.normal.xyz + change.xyz), after);
}

// Rounds over the walls of a particle.
fn wall_rounds(count: u32) -> u32 {
    return select(1u, 3u, count > 1u);
}

// Takes from a velocity what would lead into the walls from `first` on, which bear nothing yet.
fn hold_back(start: vec3<f32>, first: u32, count: u32) -> vec3<f32> {
    var v = start;
    var impulses: array<vec4<f32>, 8>;
    for (var k = 0u; k < count; k++) {
        impulses[k] = vec4(0.0);
    }
    for (var round = 0u; round < wall_rounds(count); round++) {
        for (var k = 0u; k < count; k++) {
            var contact = contacts[first + k];
            contact.impulse = impulses[k];
            let held = hold_back_by(contact, v);
            v = held.velocity;
            impulses[k] = held.impulse;
        }
    }
    return v;
}
