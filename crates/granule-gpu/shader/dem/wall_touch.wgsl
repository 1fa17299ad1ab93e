// Contacts with walls as they are kept: 64 bytes each, MOST_TOUCHES to a particle that walls may touch.

struct WallTouch {
    // As in History.
    first: vec4<f32>,
    second: vec4<f32>,
    // Unit normal out of the wall; w: the feature of a mesh.
    normal: vec4<f32>,
    // Boundary and face.
    wall: u32,
    // The particle, in the first place of each.
    owner: u32,
    unused_1: u32,
    unused_2: u32,
}

fn first_touch(half: u32, own_meta: Meta) -> u32 {
    return half * params.contact_capacity + own_meta.z;
}

// First contact of a particle that walls may touch, by its number among these, as lists are now.
fn first_touch_of(number: u32) -> u32 {
    return step.wall_half * params.contact_capacity + number * MOST_TOUCHES;
}
