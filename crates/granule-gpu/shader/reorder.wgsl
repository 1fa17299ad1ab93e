// Brings the columns that outlive a step into the order of cells, and marks the first particle of every cell.

@group(0) @binding(0) var<storage, read> first_order: array<u32>;
@group(0) @binding(1) var<storage, read> second_order: array<u32>;
@group(0) @binding(2) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> stress: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> tags: array<Tag>;
// Regions of as many records as there is room for particles: position, velocity, tag, stress (two each).
@group(0) @binding(6) var<storage, read_write> scratch: array<vec4<u32>>;

@compute @workgroup_size(256)
fn reorder(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    var origin_place = 0u;
    if (step.sort_passes & 1u) == 1u {
        origin_place = second_order[i];
    } else {
        origin_place = first_order[i];
    }
    let room = params.capacity;
    scratch[i] = bitcast<vec4<u32>>(position[origin_place]);
    scratch[room + i] = bitcast<vec4<u32>>(velocity[origin_place]);
    scratch[2u * room + i] = tags[origin_place];
    scratch[3u * room + 2u * i] = bitcast<vec4<u32>>(stress[2u * origin_place]);
    scratch[3u * room + 2u * i + 1u] = bitcast<vec4<u32>>(stress[2u * origin_place + 1u]);
}
