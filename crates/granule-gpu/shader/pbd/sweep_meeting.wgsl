// Corrects the impulses of the pairs in which two bodies meet once, by one workgroup: twin of `sweep_some` in solver/pbd/sweep.rs.

@group(0) @binding(7) var<storage, read> meeting: array<u32>;

var<workgroup> meeting_counts: vec2<u32>;

// The pair of two bodies without a colour that has the largest key below `last`, found by all threads.
fn next_meeting(thread: u32, range: vec2<u32>, count: u32, last: vec2<u32>) -> u32 {
    var best = vec2(0u);
    var pair = NOBODY;
    for (var k = thread; k < count; k += WORKGROUP) {
        let p = meeting[k];
        if p < range.x || p >= range.y {
            continue;
        }
        let key = key_of_pair(p);
        if key_below(key, last) && (pair == NOBODY || key_below(best, key)) {
            best = key;
            pair = p;
        }
    }
    return best_of_all(thread, best, pair);
}

@compute @workgroup_size(256)
fn sweep_meeting(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        meeting_counts = vec2(colours[MEETING_COUNT], colours[COLOUR_COUNT]);
        rest_range = vec2(colours[COLOUR_WORDS * REST], colours[COLOUR_WORDS * REST + 1u]);
    }
    workgroupBarrier();
    let counts = workgroupUniformLoad(&meeting_counts);
    let range = workgroupUniformLoad(&rest_range);
    for (var colour = 0u; colour < counts.y; colour++) {
        let at = COLOUR_WORDS * colour;
        for (var k = thread; k < counts.x; k += WORKGROUP) {
            let p = meeting[k];
            if p >= colours[at] && p < colours[at + 1u] {
                solve_pair(p);
            }
        }
        storageBarrier();
        workgroupBarrier();
    }
    var last = vec2(0xffffffffu);
    for (var k = range.x; k < range.y; k++) {
        let pair = next_meeting(thread, range, counts.x, last);
        if pair == NOBODY {
            break;
        }
        last = key_of_pair(pair);
        if thread == 0u {
            solve_pair(pair);
        }
        storageBarrier();
        workgroupBarrier();
    }
}
