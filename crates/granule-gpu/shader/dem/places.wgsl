// Places of spheres: 32 bytes each, exact coordinates, radius and id. Twins of what solver/dem does with ExactPosition.

struct Place {
    point: ExactPosition,
    radius: f32,
    id: u32,
}

fn place_of(first: vec4<u32>, second: vec4<u32>) -> Place {
    return Place(ExactPosition(first.xy, first.zw, second.xy), bitcast<f32>(second.z), second.w);
}

// The shortest vector from b to a [m].
fn apart(a: ExactPosition, b: ExactPosition) -> vec3<f32> {
    if PERIODIC {
        return nearest_position_difference(exact_domain(), a, b);
    }
    return position_difference(a, b);
}
