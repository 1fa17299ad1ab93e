// Counts the contacts of every boundary, for the shares that each takes of a body.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read> touches: array<WallTouch>;
@group(0) @binding(2) var<storage, read_write> pushes: array<atomic<u32>>;

@compute @workgroup_size(256)
fn count_touches(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    if number >= step.near_walls {
        return;
    }
    let first = first_touch_of(number);
    let count = metadata[touches[first].owner].w & ~NEAR_WALLS;
    for (var k = 0u; k < count; k++) {
        let wall = touches[first + k].wall & 0xffffu;
        if wall >= params.wall_count {
            atomicAdd(&pushes[PUSH_WORDS * wall + PUSH_CONTACTS], 1u);
        }
    }
}
