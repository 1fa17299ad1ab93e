// Passes over loose pairs, colour by colour: pairs of one colour share no grain that moves. A kernel declares
// `solve_pair(p)`.

// First pair of a colour, the end of its last, and whether this pass has been over them: of one colour, or of all, one behind the other.
@group(0) @binding(4) var<storage, read_write> colours: array<u32>;

// Exact centres, radii and ids.
@group(0) @binding(5) var<storage, read> places: array<vec4<u32>>;

fn key_of_pair(p: u32) -> vec2<u32> {
    let pair = pairs[p];
    return pair_key(places[2u * (pair.x & ~ACTIVE) + 1u].w, places[2u * (pair.y & ~PULLS) + 1u].w);
}

// All pairs of the colour that is bound.
fn run_colour(workgroup: vec3<u32>, thread: u32) {
    let p = colours[0] + thread_number(workgroup, thread);
    if p < colours[1] {
        solve_pair(p);
    }
    if p == colours[0] {
        colours[2] = 1u;
    }
}

var<workgroup> left_bits: array<atomic<u32>, 2>;
var<workgroup> left_colours: vec2<u32>;
var<workgroup> rest_range: vec2<u32>;
var<workgroup> best_keys: array<vec2<u32>, 256>;
var<workgroup> best_pairs: array<u32, 256>;

// The pair with the largest key among those that threads have found.
fn best_of_all(thread: u32, best: vec2<u32>, pair: u32) -> u32 {
    best_keys[thread] = best;
    best_pairs[thread] = pair;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if thread < half && key_below(best_keys[thread], best_keys[thread + half]) {
            best_keys[thread] = best_keys[thread + half];
            best_pairs[thread] = best_pairs[thread + half];
        }
        workgroupBarrier();
    }
    return workgroupUniformLoad(&best_pairs[0]);
}

// The pair of the rest with the largest key below `last`, found by all threads.
fn next_of_rest(thread: u32, range: vec2<u32>, last: vec2<u32>) -> u32 {
    var best = vec2(0u);
    var pair = NOBODY;
    for (var p = range.x + thread; p < range.y; p += WORKGROUP) {
        let key = key_of_pair(p);
        if key_below(key, last) && (pair == NOBODY || key_below(best, key)) {
            best = key;
            pair = p;
        }
    }
    return best_of_all(thread, best, pair);
}

// Finds the colours that had no dispatch of their own, a bit each, and forgets which had one.
fn find_left(thread: u32) -> vec2<u32> {
    if thread < 2u {
        atomicStore(&left_bits[thread], 0u);
    }
    workgroupBarrier();
    if thread < REST {
        let at = COLOUR_WORDS * thread;
        if colours[at + 2u] == 0u && colours[at] < colours[at + 1u] {
            atomicOr(&left_bits[thread / 32u], 1u << (thread % 32u));
        }
        colours[at + 2u] = 0u;
    }
    workgroupBarrier();
    if thread == 0u {
        left_colours = vec2(atomicLoad(&left_bits[0]), atomicLoad(&left_bits[1]));
    }
    return workgroupUniformLoad(&left_colours);
}

// The colours that had no dispatch of their own, by one workgroup: small ones, and those that were not recorded; then the pairs without
// a colour, one after the other in the order of their keys.
fn run_tail(thread: u32) {
    var left = find_left(thread);
    while any(left != vec2(0u)) {
        var colour = firstTrailingBit(left.x);
        if left.x == 0u {
            colour = 32u + firstTrailingBit(left.y);
            left.y &= left.y - 1u;
        } else {
            left.x &= left.x - 1u;
        }
        let at = COLOUR_WORDS * colour;
        for (var p = colours[at] + thread; p < colours[at + 1u]; p += WORKGROUP) {
            solve_pair(p);
        }
        storageBarrier();
        workgroupBarrier();
    }
    if thread == 0u {
        rest_range = vec2(colours[COLOUR_WORDS * REST], colours[COLOUR_WORDS * REST + 1u]);
    }
    workgroupBarrier();
    let range = workgroupUniformLoad(&rest_range);
    var last = vec2(0xffffffffu);
    for (var k = range.x; k < range.y; k++) {
        let pair = next_of_rest(thread, range, last);
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
