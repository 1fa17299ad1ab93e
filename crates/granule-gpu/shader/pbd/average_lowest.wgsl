// How high the lowest grain is, by one workgroup.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> lowest: array<f32>;

@compute @workgroup_size(256)
fn average_lowest(@builtin(local_invocation_index) thread: u32) {
    var below = -LARGEST;
    for (var i = thread; i < step.count; i += WORKGROUP) {
        below = max(below, -height_of(position[i].xyz));
    }
    below = tree_max(thread, vec4(below)).x;
    if thread == 0u {
        lowest[0] = -below;
    }
}
