// Brings up to four columns that outlive a step into the order of cells, on their way through `reordered`: one region per
// column, of as many records as there is room for particles.

@group(0) @binding(0) var<storage, read> first_order: array<u32>;
@group(0) @binding(1) var<storage, read> second_order: array<u32>;
@group(0) @binding(2) var<storage, read> first_column: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> second_column: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> third_column: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> fourth_column: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> reordered: array<vec4<u32>>;

// Records of 16 bytes per particle of each column, and those of the columns before the first one.
override FIRST: u32 = 0u;
override SECOND: u32 = 0u;
override THIRD: u32 = 0u;
override FOURTH: u32 = 0u;
override BEFORE: u32 = 0u;

@compute @workgroup_size(256)
fn reorder(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    var from_place = 0u;
    if (step.sort_passes & 1u) == 1u {
        from_place = second_order[i];
    } else {
        from_place = first_order[i];
    }
    var region = BEFORE * params.capacity;
    for (var k = 0u; k < FIRST; k++) {
        reordered[region + FIRST * i + k] = first_column[FIRST * from_place + k];
    }
    region += FIRST * params.capacity;
    for (var k = 0u; k < SECOND; k++) {
        reordered[region + SECOND * i + k] = second_column[SECOND * from_place + k];
    }
    region += SECOND * params.capacity;
    for (var k = 0u; k < THIRD; k++) {
        reordered[region + THIRD * i + k] = third_column[THIRD * from_place + k];
    }
    region += THIRD * params.capacity;
    for (var k = 0u; k < FOURTH; k++) {
        reordered[region + FOURTH * i + k] = fourth_column[FOURTH * from_place + k];
    }
}
