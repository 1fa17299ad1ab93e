// Passes over the pairs of bricks of one partition, a workgroup for each, colour by colour: grains of a brick are in no other. A kernel
// declares `solve_pair(p)`.

// Of the partition: how many bricks there are, and its number.
@group(0) @binding(4) var<storage, read> heads: array<u32>;
@group(0) @binding(5) var<storage, read> bricks: array<u32>;

// Threads that are busy with a brick: colours have some tens of pairs.
const BRICK_THREADS: u32 = 64u;

// First pair, how many there are, and how many colours.
var<workgroup> own_brick: vec3<u32>;
// Behind the last of them that is active.
var<workgroup> last_active: atomic<u32>;
var<workgroup> end_of_active: u32;

// Where a pass over some pairs may end: those that do not touch have the last colours, nearly alone.
fn find_end(brick: vec3<u32>, thread: u32) -> u32 {
    var last = 0u;
    for (var p = brick.x + thread; p < brick.x + brick.y; p += BRICK_THREADS) {
        last = select(last, p + 1u, (pairs[p].x & ACTIVE) != 0u);
    }
    atomicMax(&last_active, last);
    workgroupBarrier();
    if thread == 0u {
        end_of_active = atomicLoad(&last_active);
    }
    return workgroupUniformLoad(&end_of_active);
}

fn run_brick(workgroup: vec3<u32>, thread: u32) {
    let number = workgroup_number(workgroup);
    if thread == 0u {
        var found = vec3(0u);
        if number < heads[0] {
            let record = record_of(heads[1], number);
            found = vec3(bricks[record], bricks[record + 1u], bricks[record + 2u]);
        }
        own_brick = found;
        atomicStore(&last_active, 0u);
    }
    let brick = workgroupUniformLoad(&own_brick);
    let some_end = find_end(brick, thread);
    let ends = first_end(brick.x);
    var first = brick.x;
    for (var colour = 0u; colour < brick.z && first < some_end; colour++) {
        let end = bricks[ends + colour];
        for (var p = first + thread; p < end; p += BRICK_THREADS) {
            solve_pair(p);
        }
        first = end;
        storageBarrier();
        workgroupBarrier();
    }
}
