// Takes over into orientations what spheres have turned, when lists are made: twin of fold_turns in solver/dem/orientation.rs.

@group(0) @binding(0) var<storage, read_write> orientation: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> turns: array<vec4<f32>>;

// The rotation of a rotation vector [rad].
fn rotation_of(turn: vec3<f32>) -> vec4<f32> {
    let angle = length(turn);
    if !(angle > 1e-12) {
        return vec4(0.5 * turn, 1.0);
    }
    return vec4((sin(0.5 * angle) / angle) * turn, cos(0.5 * angle));
}

@compute @workgroup_size(256)
fn fold_turns(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    let way = turns[i].xyz;
    if any(way != vec3(0.0)) && all(abs(way) <= vec3(LARGEST)) {
        orientation[i] = normalize(turn(rotation_of(way), orientation[i]));
    }
    turns[i] = vec4(0.0);
}
