// Puts up to four reordered columns back, and marks the first particle of every cell.

@group(0) @binding(0) var<storage, read> reordered: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> first_column: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> second_column: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> third_column: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> fourth_column: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> first_keys: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read> second_keys: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> heads: array<u32>;

// As in reorder.wgsl.
override FIRST: u32 = 0u;
override SECOND: u32 = 0u;
override THIRD: u32 = 0u;
override FOURTH: u32 = 0u;
override BEFORE: u32 = 0u;

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
    var region = BEFORE * params.capacity;
    for (var k = 0u; k < FIRST; k++) {
        first_column[FIRST * i + k] = reordered[region + FIRST * i + k];
    }
    region += FIRST * params.capacity;
    for (var k = 0u; k < SECOND; k++) {
        second_column[SECOND * i + k] = reordered[region + SECOND * i + k];
    }
    region += SECOND * params.capacity;
    for (var k = 0u; k < THIRD; k++) {
        third_column[THIRD * i + k] = reordered[region + THIRD * i + k];
    }
    region += THIRD * params.capacity;
    for (var k = 0u; k < FOURTH; k++) {
        fourth_column[FOURTH * i + k] = reordered[region + FOURTH * i + k];
    }
    // Columns before these have done it already.
    if BEFORE > 0u {
        return;
    }
    var head = 1u;
    if i > 0u && all(sorted_key(i) == sorted_key(i - 1u)) {
        head = 0u;
    }
    heads[i] = head;
}
