// Four pairs at a time, all loads before any arithmetic, so that they overlap. `position` is the file's that includes this one.

const FOUR_SLOTS: u32 = 4u * LANES;

// Neighbours in a slot and the three after it.
fn four_neighbors(slot: u32) -> vec4<u32> {
    return vec4(list[slot], list[slot + LANES], list[slot + 2u * LANES], list[slot + 3u * LANES]);
}

fn four_positions(j: vec4<u32>) -> mat4x3<f32> {
    return mat4x3(position[j.x].xyz, position[j.y].xyz, position[j.z].xyz, position[j.w].xyz);
}

// G_ij of four neighbours [1/m], as columns.
fn four_gradients(x: vec3<f32>, neighbors: mat4x3<f32>) -> mat4x3<f32> {
    return mat4x3(
        pair_gradient(nearest_image(x - neighbors[0])),
        pair_gradient(nearest_image(x - neighbors[1])),
        pair_gradient(nearest_image(x - neighbors[2])),
        pair_gradient(nearest_image(x - neighbors[3])),
    );
}
