// Finds where the loose pairs of each colour begin, behind those of bricks, where lists are new, and how many workgroups each colour takes in this step: none behind
// the last of those that one workgroup is too small for.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> colours: array<u32>;

@group(0) @binding(3) var<storage, read> bricks: array<u32>;

var<workgroup> shared_fresh: u32;
var<workgroup> colour_count: atomic<u32>;
var<workgroup> large_count: atomic<u32>;

@compute @workgroup_size(256)
fn index_colours(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        shared_fresh = select(0u, colours[FRESH], step.phase == SOLVED);
    }
    workgroupBarrier();
    let fresh = workgroupUniformLoad(&shared_fresh) == 1u;
    // Where there are no grains nobody has counted.
    let in_bricks = select(bricks[COLOURED], 0u, step.count == 0u);
    if fresh {
        var count = 0u;
        if thread < BINS {
            count = colours[BIN_COUNTS + thread];
        }
        let first = in_bricks + workgroup_scan(thread, count).x;
        if thread < BINS {
            colours[BIN_PLACES + thread] = first;
            let at = COLOUR_WORDS * (thread / 2u);
            if thread % 2u == 0u {
                colours[at] = first;
                colours[at + 2u] = 0u;
            } else {
                colours[at + 1u] = first + count;
            }
        }
    }
    storageBarrier();
    workgroupBarrier();
    let goes = step.phase == SOLVED;
    if thread == 0u {
        atomicStore(&colour_count, 0u);
        atomicStore(&large_count, 0u);
    }
    workgroupBarrier();
    var count = 0u;
    if thread < REST {
        let at = COLOUR_WORDS * thread;
        count = select(0u, colours[at + 1u] - colours[at], goes);
        if count > 0u {
            atomicMax(&colour_count, thread + 1u);
        }
        if count > WORKGROUP {
            atomicMax(&large_count, thread + 1u);
        }
    }
    workgroupBarrier();
    if thread < PARTITIONS {
        let count = colours[BRICK_HEADS + COLOUR_WORDS * thread];
        arguments[METHOD + BRICKS + thread] = groups_for(select(0u, count, goes), 1u);
    }
    if thread < REST {
        let dispatched = thread < atomicLoad(&large_count);
        arguments[METHOD + FIRST_COLOUR + thread] = groups_for(select(0u, count, dispatched), WORKGROUP);
    }
    let all = colours[COLOUR_WORDS * REST + 1u];
    let spans = span_count(all - in_bricks);
    if fresh && thread <= REST {
        let at = COLOUR_WORDS * thread;
        let own = colours[at + 1u] - colours[at];
        colours[at + 3u] = own / max(spans, 1u);
        colours[at + 4u] = own % max(spans, 1u);
    }
    if thread == 0u {
        let threads = round_up(in_bricks) + SPAN * spans;
        arguments[METHOD + ALL_PAIRS] = groups_for(select(0u, threads, goes), WORKGROUP);
        arguments[METHOD + TAIL] = vec4(select(0u, 1u, goes && all > in_bricks), 1u, 1u, 0u);
        if goes {
            step.iteration = atomicLoad(&large_count);
            colours[COLOUR_COUNT] = atomicLoad(&colour_count);
            colours[PAIRS_IN_BRICKS] = in_bricks;
            step.pair_count = all;
            colours[FRESH] = 0u;
        }
    }
}
