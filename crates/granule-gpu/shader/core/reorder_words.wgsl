// Brings a column of few words into the order of cells, on its way through `reordered`, whose words it takes from BEFORE times
// the room for particles on.

@group(0) @binding(0) var<storage, read> first_order: array<u32>;
@group(0) @binding(1) var<storage, read> second_order: array<u32>;
@group(0) @binding(2) var<storage, read_write> column: array<u32>;
@group(0) @binding(3) var<storage, read_write> reordered: array<u32>;

// Words per particle, and those of the columns before.
override WORDS: u32 = 1u;
override BEFORE: u32 = 0u;

@compute @workgroup_size(256)
fn reorder_words(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
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
    for (var k = 0u; k < WORDS; k++) {
        reordered[BEFORE * params.capacity + WORDS * i + k] = column[WORDS * from_place + k];
    }
}

@compute @workgroup_size(256)
fn put_back_words(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    for (var k = 0u; k < WORDS; k++) {
        column[WORDS * i + k] = reordered[BEFORE * params.capacity + WORDS * i + k];
    }
}
