// Adds up what grains do to bodies: twin of Walls::loads_on_bodies. Sums are whole numbers, so that their order does not matter.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read> touches: array<WallTouch>;
@group(0) @binding(2) var<storage, read_write> pushes: array<atomic<u32>>;

const NO_BODY: u32 = 0xffffffffu;

var<workgroup> least_body: atomic<u32>;
var<workgroup> shared_body: u32;
var<workgroup> block_sums: array<atomic<u32>, 12>;

fn body_of(touch: WallTouch) -> u32 {
    let boundary = touch.wall & 0xffffu;
    return select(NO_BODY, boundary - params.wall_count, boundary >= params.wall_count);
}

// The first body from `first` on that any particle of the block touches.
fn next_body_of_block(thread: u32, begin: u32, count: u32, first: u32) -> u32 {
    if thread == 0u {
        atomicStore(&least_body, NO_BODY);
    }
    if thread < 12u {
        atomicStore(&block_sums[thread], 0u);
    }
    workgroupBarrier();
    for (var k = begin; k < begin + count; k++) {
        let body = body_of(touches[k]);
        if body >= first && body != NO_BODY {
            atomicMin(&least_body, body);
        }
    }
    workgroupBarrier();
    if thread == 0u {
        shared_body = atomicLoad(&least_body);
    }
    return workgroupUniformLoad(&shared_body);
}

fn add_in_block(at: u32, value: f32) {
    let words = fixed_point(value);
    let before = atomicAdd(&block_sums[at], words.x);
    atomicAdd(&block_sums[at + 1u], words.y + select(0u, 1u, before + words.x < words.x));
}

fn add_to_body(body: u32, at: u32) {
    let low = atomicLoad(&block_sums[at]);
    let before = atomicAdd(&pushes[PUSH_WORDS * body + at], low);
    let carried = select(0u, 1u, before + low < low);
    atomicAdd(&pushes[PUSH_WORDS * body + at + 1u], atomicLoad(&block_sums[at + 1u]) + carried);
}

@compute @workgroup_size(256)
fn sum_pushes(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    var begin = 0u;
    var count = 0u;
    if number < step.near_walls {
        let own = step.wall_half * params.contact_capacity + number * MOST_TOUCHES;
        begin = (1u - step.wall_half) * params.contact_capacity + number * MOST_TOUCHES;
        count = metadata[touches[own].owner].w & ~NEAR_WALLS;
    }
    var first = 0u;
    loop {
        let body = next_body_of_block(thread, begin, count, first);
        if body == NO_BODY {
            break;
        }
        for (var k = begin; k < begin + count; k++) {
            let touch = touches[k];
            if body_of(touch) == body {
                for (var axis = 0u; axis < 3u; axis++) {
                    add_in_block(2u * axis, touch.first[axis] / push_scale());
                    add_in_block(6u + 2u * axis, touch.second[axis] / turning_scale());
                }
            }
        }
        workgroupBarrier();
        if thread < 6u {
            add_to_body(body, 2u * thread);
        }
        workgroupBarrier();
        first = body + 1u;
    }
}
