// The frames of boundaries' shapes.

fn into_frame(pose: Pose, x: vec3<f32>) -> vec3<f32> {
    let local = x - pose.translation.xyz;
    if pose.translation.w == 0.0 {
        return rotate(conjugate(pose.rotation), local);
    }
    return local;
}

// Whether a boundary's bounds are farther than `reach` from a point in its frame.
fn is_beyond(pose: Pose, local: vec3<f32>, reach: f32) -> bool {
    let beyond = max(max(pose.low.xyz - local, local - pose.high.xyz), vec3(0.0));
    return pose.low.w == 1.0 && dot(beyond, beyond) > reach * reach;
}

// A direction of the shape's frame in the world.
fn into_world(pose: Pose, direction: vec3<f32>) -> vec3<f32> {
    if pose.translation.w == 0.0 {
        return rotate(pose.rotation, direction);
    }
    return direction;
}
