// Gives the pairs of a brick their colours and places them by these: a workgroup for each brick. In every round all pairs go on whose
// key is the largest that is left at both grains; they take the smallest colour that is free there, as those of the CPU do
// (`claim_in_bricks` in solver/pbd/colour.rs). Grains belong to one brick of a partition, so nobody else uses their states meanwhile.

// Of the partition: how many bricks there are, and its number.
@group(0) @binding(0) var<storage, read> heads: array<u32>;
// Of every grain: the largest key that is left, its lower word among those with the higher; the colours that it has; its number in the brick.
@group(0) @binding(1) var<storage, read_write> states: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> uncoloured: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> pair_of: array<u32>;
@group(0) @binding(4) var<storage, read_write> pairs: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> bricks: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> pair_laws: array<u32>;
@group(0) @binding(7) var<storage, read> list: array<u32>;

// Most grains of a brick whose states its workgroup keeps in its own memory. A brick of dense grains of one size has 250.
const MOST_KEPT: u32 = 384u;

const HIGHER: u32 = 0u;
const LOWER: u32 = 1u;
const TAKEN: u32 = 2u;
const NUMBER: u32 = 3u;

// In the number of a grain: it has one. Without it, which of the pairs may give it one.
const NUMBERED: u32 = 0x80000000u;

// Where the brick's record is, its first pair and how many there are.
var<workgroup> own_brick: vec3<u32>;
var<workgroup> grain_count: atomic<u32>;
// How many grains there are.
var<workgroup> grains_in_all: u32;
// States of so many: all of `states` but the last word.
var<workgroup> kept: array<atomic<u32>, 3 * MOST_KEPT>;
var<workgroup> some_open: atomic<u32>;
var<workgroup> goes_on: u32;
// How many pairs have each colour, and have found none; then where the next of them goes.
var<workgroup> places: array<atomic<u32>, 33>;
var<workgroup> first_coloured: u32;

// Whether states are kept by the workgroup. Grains are their numbers in the brick then.
var<private> keeps: bool;
// Which of the thread's first 32 pairs have their colours, a bit each.
var<private> coloured_before: u32;

// Whether a thread's k-th pair has a colour, or has found none.
fn is_done(k: u32, at: u32) -> bool {
    if k < 32u {
        return (coloured_before & (1u << k)) != 0u;
    }
    return (uncoloured[2u * at + 1u].y & 255u) != UNCOLOURED;
}

fn state(grain: u32, word: u32) -> u32 {
    if keeps {
        return atomicLoad(&kept[3u * grain + word]);
    }
    return atomicLoad(&states[4u * grain + word]);
}

fn raise(grain: u32, word: u32, value: u32) {
    if keeps {
        atomicMax(&kept[3u * grain + word], value);
    } else {
        atomicMax(&states[4u * grain + word], value);
    }
}

fn take_colour(grain: u32, colour: u32) {
    if keeps {
        atomicOr(&kept[3u * grain + TAKEN], 1u << colour);
    } else {
        atomicOr(&states[4u * grain + TAKEN], 1u << colour);
    }
}

fn clear_state(grain: u32, word: u32) {
    if keeps {
        atomicStore(&kept[3u * grain + word], 0u);
    } else {
        atomicStore(&states[4u * grain + word], 0u);
    }
}

fn is_largest(grain: u32, key: vec2<u32>) -> bool {
    return state(grain, HIGHER) == key.x && state(grain, LOWER) == key.y;
}

fn forget_key(grain: u32) {
    clear_state(grain, HIGHER);
    clear_state(grain, LOWER);
}

fn number_of(grain: u32) -> u32 {
    return atomicLoad(&states[4u * grain + NUMBER]) & ~NUMBERED;
}

// Gives the grains of a brick that move numbers. Who is first has no meaning.
fn number_grains(brick: vec3<u32>, thread: u32) -> u32 {
    let end = brick.y + brick.z;
    for (var at = brick.y + thread; at < end; at += WORKGROUP) {
        let pair = uncoloured[2u * at];
        atomicStore(&states[4u * pair.z + NUMBER], 2u * at);
        atomicStore(&states[4u * pair.w + NUMBER], 2u * at + 1u);
    }
    storageBarrier();
    workgroupBarrier();
    for (var at = brick.y + thread; at < end; at += WORKGROUP) {
        let pair = uncoloured[2u * at];
        if atomicLoad(&states[4u * pair.z + NUMBER]) == 2u * at {
            atomicStore(&states[4u * pair.z + NUMBER], NUMBERED | atomicAdd(&grain_count, 1u));
        }
        if atomicLoad(&states[4u * pair.w + NUMBER]) == 2u * at + 1u {
            atomicStore(&states[4u * pair.w + NUMBER], NUMBERED | atomicAdd(&grain_count, 1u));
        }
    }
    storageBarrier();
    workgroupBarrier();
    if thread == 0u {
        grains_in_all = atomicLoad(&grain_count);
    }
    return workgroupUniformLoad(&grains_in_all);
}

// Forgets the states of a brick's grains; from here on pairs have grains by their numbers where these are kept.
fn begin_states(brick: vec3<u32>, grains: u32, thread: u32) {
    if keeps {
        for (var k = thread; k < 3u * grains; k += WORKGROUP) {
            atomicStore(&kept[k], 0u);
        }
    }
    let end = brick.y + brick.z;
    for (var at = brick.y + thread; at < end; at += WORKGROUP) {
        let pair = uncoloured[2u * at];
        if keeps {
            uncoloured[2u * at] = vec4(pair.xy, number_of(pair.z), number_of(pair.w));
        } else {
            forget_key(pair.z);
            forget_key(pair.w);
            clear_state(pair.z, TAKEN);
            clear_state(pair.w, TAKEN);
        }
    }
}

// A round's first part: the higher words of the keys that are left.
fn offer_higher(at: u32) {
    let pair = uncoloured[2u * at];
    raise(pair.z, HIGHER, pair.x);
    raise(pair.w, HIGHER, pair.x);
    atomicStore(&some_open, 1u);
}

// Its second part: the lower words of those with the largest.
fn offer_lower(at: u32) {
    let pair = uncoloured[2u * at];
    if state(pair.z, HIGHER) == pair.x {
        raise(pair.z, LOWER, pair.y);
    }
    if state(pair.w, HIGHER) == pair.x {
        raise(pair.w, LOWER, pair.y);
    }
}

// Its third part: pairs whose turn it is, and those that will find no colour when it is. Only the pair with the largest key of a
// grain changes it.
fn claim_colour(k: u32, at: u32) {
    let pair = uncoloured[2u * at];
    let taken = state(pair.z, TAKEN) | state(pair.w, TAKEN);
    let colour = countTrailingZeros(~taken);
    let leads_z = is_largest(pair.z, pair.xy);
    let leads_w = is_largest(pair.w, pair.xy);
    if colour < BRICK_COLOURS {
        if !(leads_z && leads_w) {
            return;
        }
        take_colour(pair.z, colour);
        take_colour(pair.w, colour);
    }
    if leads_z {
        forget_key(pair.z);
    }
    if leads_w {
        forget_key(pair.w);
    }
    uncoloured[2u * at + 1u].y = colour | (uncoloured[2u * at + 1u].y & ~255u);
    coloured_before |= select(0u, 1u << (k & 31u), k < 32u);
    atomicAdd(&places[colour], 1u);
}

// Pairs that have found no colour are loose, as both grains are to know: of the pair of an entry, the sum of their places is known.
fn let_loose(entry: u32, both: u32) {
    pair_of[entry] = NOBODY;
    let j = list[params.list_base + entry];
    let i = both - j;
    let first = list[2u * (j / LANES)] * LANES + j % LANES;
    let count = list[2u * (j / LANES) + 1u];
    for (var s = 0u; s < count; s++) {
        if list[params.list_base + first + s * LANES] == i {
            pair_of[first + s * LANES] = NOBODY;
            return;
        }
    }
}

fn place_coloured(at: u32) {
    let words = uncoloured[2u * at + 1u];
    let colour = words.y & 255u;
    if colour >= BRICK_COLOURS {
        let_loose(words.x, words.z + (words.w & ~PULLS));
        return;
    }
    let place = atomicAdd(&places[colour], 1u);
    pairs[place] = words.zw;
    pair_of[words.x] = IN_BRICK | place;
    if SEVERAL_MATERIALS || SHAPED {
        pair_laws[place] = words.y >> 8u;
    }
}

// Where the pairs of every colour go, and what passes over the brick are to know of it. Each thread has a colour.
fn index_places(record: u32, colour: u32) {
    var before = 0u;
    var coloured = 0u;
    var colours = 0u;
    for (var other = 0u; other < BRICK_COLOURS; other++) {
        let size = atomicLoad(&places[other]);
        before += select(0u, size, other < colour);
        coloured += size;
        colours = select(colours, other + 1u, size > 0u);
    }
    let own = atomicLoad(&places[min(colour, BRICK_COLOURS)]);
    if colour == 0u {
        first_coloured = atomicAdd(&bricks[COLOURED], coloured);
    }
    let first = workgroupUniformLoad(&first_coloured);
    if colour < BRICK_COLOURS {
        atomicStore(&places[colour], first + before);
        if colour < colours {
            atomicStore(&bricks[first_end(first) + colour], first + before + own);
        }
    }
    if colour == 0u {
        atomicStore(&bricks[record], first);
        atomicStore(&bricks[record + 1u], coloured);
        atomicStore(&bricks[record + 2u], colours);
    }
}

@compute @workgroup_size(256)
fn colour_bricks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = workgroup_number(workgroup);
    if thread == 0u {
        var found = vec3(0u);
        if number < heads[0] {
            let record = record_of(heads[1], number);
            found = vec3(record, atomicLoad(&bricks[record]), atomicLoad(&bricks[record + 1u]));
        }
        own_brick = found;
        goes_on = 1u;
    }
    if thread <= BRICK_COLOURS {
        atomicStore(&places[thread], 0u);
    }
    if thread == 0u {
        atomicStore(&grain_count, 0u);
    }
    workgroupBarrier();
    let brick = workgroupUniformLoad(&own_brick);
    if brick.z == 0u {
        return;
    }
    let end = brick.y + brick.z;
    let grains = number_grains(brick, thread);
    keeps = grains <= MOST_KEPT;
    begin_states(brick, grains, thread);
    let own = (max(brick.z, thread) - thread + WORKGROUP - 1u) / WORKGROUP;
    while workgroupUniformLoad(&goes_on) == 1u {
        if thread == 0u {
            atomicStore(&some_open, 0u);
        }
        // A thread goes on with pairs of its own. States go through memory where they are not kept, which takes far longer.
        if grains > MOST_KEPT {
            storageBarrier();
        }
        workgroupBarrier();
        for (var k = 0u; k < own; k++) {
            let at = brick.y + thread + WORKGROUP * k;
            if !is_done(k, at) {
                offer_higher(at);
            }
        }
        if grains > MOST_KEPT {
            storageBarrier();
        }
        workgroupBarrier();
        for (var k = 0u; k < own; k++) {
            let at = brick.y + thread + WORKGROUP * k;
            if !is_done(k, at) {
                offer_lower(at);
            }
        }
        if grains > MOST_KEPT {
            storageBarrier();
        }
        workgroupBarrier();
        for (var k = 0u; k < own; k++) {
            let at = brick.y + thread + WORKGROUP * k;
            if !is_done(k, at) {
                claim_colour(k, at);
            }
        }
        if thread == 0u {
            goes_on = atomicLoad(&some_open);
        }
    }
    index_places(brick.x, thread);
    workgroupBarrier();
    for (var at = brick.y + thread; at < end; at += WORKGROUP) {
        place_coloured(at);
    }
}
