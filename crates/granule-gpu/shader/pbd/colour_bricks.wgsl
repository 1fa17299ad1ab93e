// Gives the pairs of a brick their colours and places them by these: a workgroup for each brick. In every round all pairs go on whose
// key is the largest that is left at both grains; they take the smallest colour that is free there, as those of the CPU do
// (`claim_in_brick` in solver/pbd/colour.rs). Grains belong to one brick of a partition, so nobody else uses their states meanwhile.

// Of the partition: how many bricks there are, and its number.
@group(0) @binding(0) var<storage, read> heads: array<u32>;
// Of every grain: the largest key that is left, its lower word among those with the higher; the colours that it has.
@group(0) @binding(1) var<storage, read_write> states: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> uncoloured: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> pair_of: array<u32>;
@group(0) @binding(4) var<storage, read_write> pairs: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> bricks: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> pair_laws: array<u32>;
@group(0) @binding(7) var<storage, read> list: array<u32>;

// Where the brick's record is, its first pair and how many there are.
var<workgroup> own_brick: vec3<u32>;
var<workgroup> some_open: atomic<u32>;
var<workgroup> goes_on: u32;
// How many pairs have each colour, and have found none; then where the next of them goes.
var<workgroup> places: array<atomic<u32>, 33>;

fn is_largest(grain: u32, key: vec2<u32>) -> bool {
    return atomicLoad(&states[4u * grain]) == key.x && atomicLoad(&states[4u * grain + 1u]) == key.y;
}

fn forget_key(grain: u32) {
    atomicStore(&states[4u * grain], 0u);
    atomicStore(&states[4u * grain + 1u], 0u);
}

// A round's first part: the higher words of the keys that are left.
fn offer_higher(at: u32) {
    if (uncoloured[2u * at + 1u].y & 255u) != UNCOLOURED {
        return;
    }
    let pair = uncoloured[2u * at];
    atomicMax(&states[4u * pair.z], pair.x);
    atomicMax(&states[4u * pair.w], pair.x);
    atomicStore(&some_open, 1u);
}

// Its second part: the lower words of those with the largest.
fn offer_lower(at: u32) {
    if (uncoloured[2u * at + 1u].y & 255u) != UNCOLOURED {
        return;
    }
    let pair = uncoloured[2u * at];
    if atomicLoad(&states[4u * pair.z]) == pair.x {
        atomicMax(&states[4u * pair.z + 1u], pair.y);
    }
    if atomicLoad(&states[4u * pair.w]) == pair.x {
        atomicMax(&states[4u * pair.w + 1u], pair.y);
    }
}

// Its third part: pairs whose turn it is, and those that will find no colour when it is. Only the pair with the largest key of a
// grain changes it.
fn claim_colour(at: u32) {
    let words = uncoloured[2u * at + 1u];
    if (words.y & 255u) != UNCOLOURED {
        return;
    }
    let pair = uncoloured[2u * at];
    let taken = atomicLoad(&states[4u * pair.z + 2u]) | atomicLoad(&states[4u * pair.w + 2u]);
    let colour = countTrailingZeros(~taken);
    let leads_z = is_largest(pair.z, pair.xy);
    let leads_w = is_largest(pair.w, pair.xy);
    if colour < BRICK_COLOURS {
        if !(leads_z && leads_w) {
            return;
        }
        atomicOr(&states[4u * pair.z + 2u], 1u << colour);
        atomicOr(&states[4u * pair.w + 2u], 1u << colour);
    }
    if leads_z {
        forget_key(pair.z);
    }
    if leads_w {
        forget_key(pair.w);
    }
    uncoloured[2u * at + 1u].y = colour | (words.y & ~255u);
    atomicAdd(&places[colour], 1u);
}

// Pairs that have found no colour are loose, as both grains are to know.
fn let_loose(entry: u32, pair: vec4<u32>, words: vec2<u32>) {
    pair_of[entry] = NOBODY;
    let i = pair.z;
    let own = vec2(words.x, words.y & ~PULLS);
    let j = own.x + own.y - i;
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
        let_loose(words.x, uncoloured[2u * at], words.zw);
        return;
    }
    let place = atomicAdd(&places[colour], 1u);
    pairs[place] = words.zw;
    pair_of[words.x] = IN_BRICK | place;
    if SEVERAL_MATERIALS || SHAPED {
        pair_laws[place] = words.y >> 8u;
    }
}

// Where the pairs of every colour go, and what passes over the brick are to know of it.
fn index_places(record: u32) {
    var coloured = 0u;
    for (var colour = 0u; colour < BRICK_COLOURS; colour++) {
        coloured += atomicLoad(&places[colour]);
    }
    let first = atomicAdd(&bricks[COLOURED], coloured);
    var next = first;
    var colours = 0u;
    for (var colour = 0u; colour < BRICK_COLOURS; colour++) {
        let size = atomicLoad(&places[colour]);
        atomicStore(&places[colour], next);
        next += size;
        if size > 0u {
            atomicStore(&bricks[first_end(first) + colour], next);
            colours = colour + 1u;
        }
    }
    atomicStore(&bricks[record], first);
    atomicStore(&bricks[record + 1u], coloured);
    atomicStore(&bricks[record + 2u], colours);
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
    workgroupBarrier();
    let brick = workgroupUniformLoad(&own_brick);
    if brick.z == 0u {
        return;
    }
    let end = brick.y + brick.z;
    for (var at = brick.y + thread; at < end; at += WORKGROUP) {
        let pair = uncoloured[2u * at];
        forget_key(pair.z);
        forget_key(pair.w);
        atomicStore(&states[4u * pair.z + 2u], 0u);
        atomicStore(&states[4u * pair.w + 2u], 0u);
    }
    while workgroupUniformLoad(&goes_on) == 1u {
        if thread == 0u {
            atomicStore(&some_open, 0u);
        }
        storageBarrier();
        workgroupBarrier();
        for (var at = brick.y + thread; at < end; at += WORKGROUP) {
            offer_higher(at);
        }
        storageBarrier();
        workgroupBarrier();
        for (var at = brick.y + thread; at < end; at += WORKGROUP) {
            offer_lower(at);
        }
        storageBarrier();
        workgroupBarrier();
        for (var at = brick.y + thread; at < end; at += WORKGROUP) {
            claim_colour(at);
        }
        if thread == 0u {
            goes_on = atomicLoad(&some_open);
        }
        storageBarrier();
        workgroupBarrier();
    }
    if thread == 0u {
        index_places(brick.x);
    }
    workgroupBarrier();
    for (var at = brick.y + thread; at < end; at += WORKGROUP) {
        place_coloured(at);
    }
}
