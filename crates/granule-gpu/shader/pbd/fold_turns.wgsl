// Takes over into orientations what grains have turned, when lists are made and when a frame begins: twin of fold_turns in
// solver/orientation.rs.

@group(0) @binding(0) var<storage, read_write> orientation: array<vec4<f32>>;
// Push of a step; rotation vector, and how far a grain is listed.
@group(0) @binding(1) var<storage, read_write> way: array<vec4<f32>>;

@compute @workgroup_size(256)
fn pbd_fold_turns(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    let turned = way[3u * i + 1u].xyz;
    let angle = length(turned);
    if any(turned != vec3(0.0)) && angle <= LARGEST {
        var rotation = vec4(0.5 * turned, 1.0);
        if angle > 1e-12 {
            rotation = vec4((sin(0.5 * angle) / angle) * turned, cos(0.5 * angle));
        }
        orientation[i] = normalize(turn(rotation, orientation[i]));
    }
    way[3u * i + 1u] = vec4(vec3(0.0), way[3u * i + 1u].w);
}
