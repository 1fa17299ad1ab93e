// Rounds of colouring that were not recorded, by one workgroup until no pair is left: a chain of pairs that wait for each other can be
// as long as all of them, but never is; after many rounds what is left goes to the rest, so that no device waits for ever.

@group(0) @binding(5) var<storage, read_write> before: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> after: array<vec4<u32>>;
// In the second record of each block: where its grains are with their colours.
@group(0) @binding(7) var<storage, read> blocks: array<vec4<u32>>;

const MOST_ROUNDS: u32 = 1024u;
// Blocks that are kept in mind; where more are open, all are gone through.
const MOST_BLOCKS: u32 = 1024u;

var<workgroup> some_left: atomic<u32>;
var<workgroup> goes_on: u32;
var<workgroup> open_blocks: array<u32, 1024>;
var<workgroup> open_count: atomic<u32>;

// Finds the blocks with grains whose pairs are not all coloured.
fn find_open(thread: u32, block_count: u32) {
    for (var block = thread; block < block_count; block += WORKGROUP) {
        if blocks[4u * block + 1u].x == SOME_OPEN {
            let at = atomicAdd(&open_count, 1u);
            if at < MOST_BLOCKS {
                open_blocks[at] = block;
            }
        }
    }
}

// The grain of a thread in one of the blocks that are gone through.
fn grain_of(k: u32, all: bool, thread: u32) -> u32 {
    return WORKGROUP * select(open_blocks[min(k, MOST_BLOCKS - 1u)], k, all) + thread;
}

@compute @workgroup_size(256)
fn colour_last(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        goes_on = atomicLoad(&colours[OPEN]);
        atomicStore(&open_count, 0u);
    }
    workgroupBarrier();
    let block_count = (step.count + WORKGROUP - 1u) / WORKGROUP;
    if workgroupUniformLoad(&goes_on) == 1u {
        find_open(thread, block_count);
    }
    workgroupBarrier();
    let open = atomicLoad(&open_count);
    let all = open > MOST_BLOCKS;
    let visited = select(open, block_count, all);
    var rounds = 0u;
    while workgroupUniformLoad(&goes_on) == 1u {
        if thread == 0u {
            atomicStore(&some_left, 0u);
        }
        storageBarrier();
        workgroupBarrier();
        for (var k = 0u; k < visited; k++) {
            let i = grain_of(k, all, thread);
            if i >= step.count {
                continue;
            }
            let own = before[i];
            var now = own;
            if is_open(own) {
                let head = heads[i];
                now = after_round(i, own, head, before[list[params.list_base + head]]);
            }
            after[i] = now;
            if is_open(now) {
                atomicStore(&some_left, 1u);
            }
        }
        storageBarrier();
        workgroupBarrier();
        for (var k = 0u; k < visited; k++) {
            let i = grain_of(k, all, thread);
            if i < step.count {
                before[i] = after[i];
            }
        }
        rounds++;
        if thread == 0u {
            goes_on = select(0u, atomicLoad(&some_left), rounds < MOST_ROUNDS);
        }
        workgroupBarrier();
    }
}
