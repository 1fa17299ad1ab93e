// Tells pairs of bricks from loose ones, and counts those of every brick.

@group(0) @binding(5) var<storage, read> brick_of: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> table: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> bricks: array<u32>;

fn count_pair(p: u32, slot: u32) {
    let size = arrayLength(&table) / (2u * PARTITIONS);
    if atomicAdd(&table[(PARTITIONS + p) * size + slot], 1u) == 0u {
        let number = atomicAdd(&colours[BRICK_HEADS + COLOUR_WORDS * p], 1u);
        bricks[record_of(p, number)] = slot;
    }
}

@compute @workgroup_size(256)
fn count_bricks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    let own = brick_of[i];
    var over = false;
    for (var s = 0u; s < count; s++) {
        let entry = first + s * LANES;
        let j = list[params.list_base + entry];
        over = over || j == i;
        var mark = NOBODY;
        if !over {
            let p = partition_of(own, brick_of[j]);
            if p < PARTITIONS {
                mark = IN_OTHERS;
                if places_pair(i, j) {
                    mark = IN_BRICK;
                    count_pair(p, own[p] & ~BODY_MARK);
                }
            }
        }
        pair_of[entry] = mark;
    }
}
