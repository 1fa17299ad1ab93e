// Adds up what grains do to bodies and to walls that hold a force, by the numbers of boundaries: twin of Walls::loads_on_bodies and
// Walls::force_on. Sums are whole numbers, so that their order does not matter.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read> touches: array<WallTouch>;
@group(0) @binding(2) var<storage, read_write> pushes: array<atomic<u32>>;

const NO_WALL: u32 = 0xffffffffu;

var<workgroup> least_wall: atomic<u32>;
var<workgroup> shared_wall: u32;
var<workgroup> block_sums: array<atomic<u32>, 12>;

fn loaded_of(touch: WallTouch) -> u32 {
    return select(touch.wall & 0xffffu, NO_WALL, touch.wall == NOBODY);
}

// The first boundary from `first` on that any particle of the block touches.
fn next_wall_of_block(thread: u32, begin: u32, count: u32, first: u32) -> u32 {
    if thread == 0u {
        atomicStore(&least_wall, NO_WALL);
    }
    if thread < 12u {
        atomicStore(&block_sums[thread], 0u);
    }
    workgroupBarrier();
    for (var k = begin; k < begin + count; k++) {
        let wall = loaded_of(touches[k]);
        if wall >= first && wall != NO_WALL {
            atomicMin(&least_wall, wall);
        }
    }
    workgroupBarrier();
    if thread == 0u {
        shared_wall = atomicLoad(&least_wall);
    }
    return workgroupUniformLoad(&shared_wall);
}

fn add_in_block(at: u32, value: f32) {
    let words = fixed_point(value);
    let before = atomicAdd(&block_sums[at], words.x);
    atomicAdd(&block_sums[at + 1u], words.y + select(0u, 1u, before + words.x < words.x));
}

fn add_to_wall(wall: u32, at: u32) {
    let low = atomicLoad(&block_sums[at]);
    let before = atomicAdd(&pushes[PUSH_WORDS * wall + at], low);
    let carried = select(0u, 1u, before + low < low);
    atomicAdd(&pushes[PUSH_WORDS * wall + at + 1u], atomicLoad(&block_sums[at + 1u]) + carried);
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
        let wall = next_wall_of_block(thread, begin, count, first);
        if wall == NO_WALL {
            break;
        }
        for (var k = begin; k < begin + count; k++) {
            let touch = touches[k];
            if loaded_of(touch) == wall {
                for (var axis = 0u; axis < 3u; axis++) {
                    add_in_block(2u * axis, touch.first[axis] / push_scale());
                    add_in_block(6u + 2u * axis, touch.second[axis] / turning_scale());
                }
            }
        }
        workgroupBarrier();
        if thread < 6u {
            add_to_wall(wall, 2u * thread);
        }
        workgroupBarrier();
        first = wall + 1u;
    }
}
