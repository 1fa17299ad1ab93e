// Keys of particles and their places before the sort.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> metadata: array<Meta>;
@group(0) @binding(2) var<storage, read_write> keys: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(256)
fn assign_keys(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    var key = vec2(0xffffffffu);
    if (metadata[i].y & REMOVED) == 0u {
        key = key_of_cell(cell_of_position(position[i].xyz));
    }
    keys[i] = key;
    values[i] = i;
}
