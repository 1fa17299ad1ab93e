// Puts reordered columns back, and marks the first particle of every cell.

@group(0) @binding(0) var<storage, read> scratch: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> position: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> stress: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> tags: array<Tag>;
@group(0) @binding(5) var<storage, read> first_keys: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read> second_keys: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> heads: array<u32>;

fn sorted_key(i: u32) -> vec2<u32> {
    if (step.sort_passes & 1u) == 1u {
        return second_keys[i];
    }
    return first_keys[i];
}

@compute @workgroup_size(256)
fn put_back(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    let room = params.capacity;
    position[i] = scratch[i];
    velocity[i] = scratch[room + i];
    tags[i] = scratch[2u * room + i];
    stress[2u * i] = scratch[3u * room + 2u * i];
    stress[2u * i + 1u] = scratch[3u * room + 2u * i + 1u];
    var head = 1u;
    if i > 0u && all(sorted_key(i) == sorted_key(i - 1u)) {
        head = 0u;
    }
    heads[i] = head;
}
