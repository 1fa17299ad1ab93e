// What grains do to a boundary, read from its sums in `pushes`: in scales of a force, or of a torque.

fn pushed(at: u32) -> vec3<f32> {
    return vec3(
        from_fixed_point(pushes[at], pushes[at + 1u]),
        from_fixed_point(pushes[at + 2u], pushes[at + 3u]),
        from_fixed_point(pushes[at + 4u], pushes[at + 5u]),
    );
}
