// Adds up what grains do to bodies and to walls that hold a force, by the numbers of boundaries: twin of Walls::loads_on_bodies and
// Walls::force_on. Sums are whole numbers, so that their order does not matter.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read> touches: array<WallTouch>;
@group(0) @binding(2) var<storage, read_write> pushes: array<atomic<u32>>;

fn loaded_of(k: u32) -> u32 {
    let wall = touches[k].wall;
    return select(wall & 0xffffu, NO_WALL, wall == NOBODY);
}

fn push_of(k: u32) -> Push {
    return Push(touches[k].first.xyz / push_scale(), touches[k].second.xyz / turning_scale());
}

@compute @workgroup_size(256)
fn sum_pushes(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    var begin = 0u;
    var count = 0u;
    if number < step.near_walls {
        let own = first_touch_of(number);
        begin = (1u - step.wall_half) * params.contact_capacity + number * MOST_TOUCHES;
        count = metadata[touches[own].owner].w & ~NEAR_WALLS;
    }
    add_pushes(thread, begin, count);
}
