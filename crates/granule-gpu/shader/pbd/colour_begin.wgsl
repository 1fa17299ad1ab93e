// Keys of all entries of the lists that are loose pairs, and the largest of each grain; every entry names the one with the next smaller key, so that a round
// of colouring reads one key of a grain and not all.

@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> motion: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> keys: array<vec2<u32>>;
// Of loose pairs nobody; then entries with the next smaller key, where colours will be. Of others what they have in bricks.
@group(0) @binding(4) var<storage, read_write> colour_of: array<u32>;
@group(0) @binding(5) var<storage, read_write> states: array<vec4<u32>>;
// The entry with the largest key.
@group(0) @binding(6) var<storage, read_write> heads: array<u32>;
// In the second record of each block: where its grains are with their colours.
@group(0) @binding(7) var<storage, read_write> blocks: array<vec4<u32>>;

// Whether a grain of the block has a loose pair.
var<workgroup> some_loose: atomic<u32>;

// Links the entries of a grain in the order of their keys, from the one with the largest on.
fn link_entries(first: u32, count: u32, largest: vec2<u32>, head: u32) {
    var last = largest;
    var at = head;
    for (var linked = 1u; linked < count; linked++) {
        var best = vec2(0u);
        var next = NOBODY;
        for (var s = 0u; s < count; s++) {
            let key = keys[first + s * LANES];
            if key_below(key, last) && key_below(best, key) {
                best = key;
                next = first + s * LANES;
            }
        }
        if next == NOBODY {
            break;
        }
        colour_of[at] = LINK | next;
        last = best;
        at = next;
    }
}

// Tells whether a grain has a loose pair. Others are read by nobody, so blocks without any are done.
fn begin_grain(i: u32) -> bool {
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    let id = places[2u * i + 1u].w;
    let held = motion[2u * i].w == 0.0;
    var best = vec2(0u);
    var head = first;
    var over = false;
    var some = false;
    for (var s = 0u; s < count; s++) {
        let entry = first + s * LANES;
        let j = list[params.list_base + entry];
        over = over || j == i;
        var key = vec2(0u);
        // Others are in bricks.
        if !over && colour_of[entry] == NOBODY {
            some = true;
            if !held {
                key = pair_key(id, places[2u * j + 1u].w);
            }
        }
        keys[entry] = key;
        if key_below(best, key) {
            best = key;
            head = entry;
        }
    }
    if held {
        best = OF_HELD;
    } else {
        link_entries(first, count, best, head);
    }
    states[i] = vec4(best, 0u, 0u);
    heads[i] = head;
    return some;
}

@compute @workgroup_size(256)
fn colour_begin(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if thread == 0u {
        atomicStore(&some_loose, 0u);
    }
    workgroupBarrier();
    if i < step.count && begin_grain(i) {
        atomicStore(&some_loose, 1u);
    }
    workgroupBarrier();
    if thread == 0u && i < step.count {
        blocks[4u * workgroup_number(workgroup) + 1u] = vec4(select(DONE, SOME_OPEN, atomicLoad(&some_loose) == 1u));
    }
}
