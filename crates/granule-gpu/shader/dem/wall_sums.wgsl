// Adds up what the contacts of a block of grains do to boundaries, into their sums in `pushes`. Sums are whole numbers, so that their
// order does not matter. A kernel says of each contact which boundary's sums it belongs to (`loaded_of`; NO_WALL: none), and what
// it adds there in scales of a force and a torque (`push_of`).

struct Push {
    force: vec3<f32>,
    torque: vec3<f32>,
}

const NO_WALL: u32 = 0xffffffffu;

var<workgroup> least_wall: atomic<u32>;
var<workgroup> shared_wall: u32;
var<workgroup> block_sums: array<atomic<u32>, 12>;

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
        let wall = loaded_of(k);
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

// The sums of a block, whose threads have `count` contacts each, from `begin` on.
fn add_pushes(thread: u32, begin: u32, count: u32) {
    var first = 0u;
    loop {
        let wall = next_wall_of_block(thread, begin, count, first);
        if wall == NO_WALL {
            break;
        }
        for (var k = begin; k < begin + count; k++) {
            if loaded_of(k) == wall {
                let push = push_of(k);
                for (var axis = 0u; axis < 3u; axis++) {
                    add_in_block(2u * axis, push.force[axis]);
                    add_in_block(6u + 2u * axis, push.torque[axis]);
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
