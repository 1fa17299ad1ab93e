// Passes over the pairs of bricks of one partition, a workgroup for each, colour by colour: grains of a brick are in no other. A kernel
// declares `solve_pair(p)`.

// Of the partition: how many bricks there are, and its number.
@group(0) @binding(4) var<storage, read> heads: array<u32>;
@group(0) @binding(5) var<storage, read> bricks: array<u32>;

// Threads that are busy with a brick: colours have some tens of pairs.
const BRICK_THREADS: u32 = 64u;

// First pair, and how many colours there are.
var<workgroup> own_brick: vec2<u32>;

fn run_brick(workgroup: vec3<u32>, thread: u32) {
    let number = workgroup_number(workgroup);
    if thread == 0u {
        var found = vec2(0u);
        if number < heads[0] {
            let record = record_of(heads[1], number);
            found = vec2(bricks[record], bricks[record + 2u]);
        }
        own_brick = found;
    }
    workgroupBarrier();
    let brick = workgroupUniformLoad(&own_brick);
    let ends = first_end(brick.x);
    var first = brick.x;
    for (var colour = 0u; colour < brick.y; colour++) {
        let end = bricks[ends + colour];
        for (var p = first + thread; p < end; p += BRICK_THREADS) {
            solve_pair(p);
        }
        first = end;
        storageBarrier();
        workgroupBarrier();
    }
}
