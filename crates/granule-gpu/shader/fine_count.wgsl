// Grains at nodes and on the fine grid; twin of NodeCounts::count and FineGrid::count. Whole numbers: their order does not
// matter.
//
// A workgroup takes a run of grains. Runs are nearly sorted, so most grains of one are in a few blocks: these are counted
// in workgroup memory first, and their sums are added to those of all grains afterwards. A run of 1024 grains is in 4 to 5
// blocks of n = 8 cells of the fine grid along each axis. Without workgroup memory it adds 9 * 1024 = 9216 times to memory,
// here and there; with it at most 5 * (9^3 + 27) = 3780 times, side by side. Grains of other blocks add at once.

// Positions and ids of grains.
@group(0) @binding(2) var<storage, read> grain_position: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> tally: array<atomic<u32>>;

const IMAGE_NODES: f32 = 2.5;
// Grains of a run; COUNT_RUN of kernels.rs.
const RUN: u32 = 1024u;
// Numbers in workgroup memory, and most blocks that share them.
const CAPACITY: u32 = 3952u;
const MOST_SLOTS: u32 = 16u;

// Blocks that are counted here.
var<workgroup> block_of_slot: array<atomic<u32>, 16>;
// Per slot the parts of the block's cell and of the seven after it.
var<workgroup> part_of_slot: array<u32, 128>;
// Per slot the fine grid's nodes of the block with those after its last cells, then its own nodes.
var<workgroup> sums: array<atomic<u32>, 3952>;

fn slot_along() -> u32 {
    return frame.along + 1u;
}

fn slot_nodes() -> u32 {
    return slot_along() * slot_along() * slot_along();
}

fn slot_size() -> u32 {
    return slot_nodes() + OWN;
}

// 0 where not even one block fits.
fn slot_count() -> u32 {
    return min(CAPACITY / slot_size(), MOST_SLOTS);
}

// First number of a block in workgroup memory, or NONE.
fn slot_of(block: u32) -> u32 {
    let slots = slot_count();
    if slots > 0u && block != NONE {
        let slot = block % slots;
        if atomicLoad(&block_of_slot[slot]) == block {
            return slot * slot_size();
        }
    }
    return NONE;
}

fn add_at_node(block: u32, node: u32, amount: u32) {
    atomicAdd(&counts[OWN * block + node], amount);
}

// At a node of a part, or one after its last, which is that of the next part.
fn add_on_grid(part: u32, node: vec3<u32>, amount: u32) {
    let n = frame.along;
    if part != NONE {
        let l = select(node, vec3(0u), node == vec3(n));
        atomicAdd(&tally[part * part_size() + (l.z * n + l.y) * n + l.x], amount);
    }
}

fn count_at_node(x: vec3<f32>) {
    let spacing = frame.origin.w / f32(ALONG);
    let node = floor((x - frame.origin.xyz) * (1.0 / spacing) + 0.5);
    let end = vec3<f32>(frame.cells.xyz * ALONG);
    if !(all(node >= vec3(0.0)) && all(node < end)) {
        return;
    }
    let coordinates = vec3<u32>(node);
    let cell = coordinates / ALONG;
    let block = block_of_cell(cell);
    if block == NONE {
        return;
    }
    let l = coordinates - cell * ALONG;
    let own = (l.z * ALONG + l.y) * ALONG + l.x;
    let slot = slot_of(block);
    if slot == NONE {
        add_at_node(block, own, 1u);
    } else {
        atomicAdd(&sums[slot + slot_nodes() + own], 1u);
    }
}

fn count_on_grid(x: vec3<f32>) {
    let point = fine_point(x);
    if !point.inside {
        return;
    }
    let weights = trilinear_weights(point.beyond);
    let slot = slot_of(block_of_cell(point.cell));
    if slot != NONE {
        let m = slot_along();
        let start = slot + (point.local.z * m + point.local.y) * m + point.local.x;
        for (var k = 0u; k < 8u; k++) {
            let node = start + (k & 1u) + ((k >> 1u) & 1u) * m + (k >> 2u) * m * m;
            atomicAdd(&sums[node], u32(weights[k] * frame.fixed_point_one + 0.5));
        }
        return;
    }
    for (var k = 0u; k < 8u; k++) {
        let node = point.local + vec3(k & 1u, (k >> 1u) & 1u, k >> 2u);
        let cell = point.cell + select(vec3(0u), vec3(1u), node == vec3(frame.along));
        add_on_grid(part_of_cell(cell), node, u32(weights[k] * frame.fixed_point_one + 0.5));
    }
}

// Gives the block of a grain a slot, where it is free.
fn claim_slot(i: u32) {
    let slots = slot_count();
    if slots == 0u || i >= frame.grains {
        return;
    }
    let point = fine_point(grain_position[i].xyz);
    if point.inside && bitcast<u32>(grain_position[i].w) != NONE {
        let block = block_of_cell(point.cell);
        if block != NONE {
            atomicCompareExchangeWeak(&block_of_slot[block % slots], NONE, block);
        }
    }
}

// Finds the part of the cell of a slot's block, or of one after it.
fn find_part(slot: u32, corner: u32) {
    let block = atomicLoad(&block_of_slot[slot]);
    var part = NONE;
    if block != NONE {
        let step = vec3<i32>(vec3(corner & 1u, (corner >> 1u) & 1u, corner >> 2u));
        let other = neighbor_block(block_cell(block), step);
        if other != NONE {
            part = part_of_block(other);
        }
    }
    part_of_slot[8u * slot + corner] = part;
}

// Adds a number of a slot to those of all grains.
fn add_sum(slot: u32, k: u32) {
    let amount = atomicLoad(&sums[slot * slot_size() + k]);
    if amount == 0u {
        return;
    }
    if k >= slot_nodes() {
        add_at_node(atomicLoad(&block_of_slot[slot]), k - slot_nodes(), amount);
        return;
    }
    // Whole parts of quotients of small numbers, without division.
    let m = slot_along();
    let row = u32((f32(k) + 0.5) / f32(m));
    let layer = u32((f32(row) + 0.5) / f32(m));
    let node = vec3(k - row * m, row - layer * m, layer);
    let after = select(vec3(0u), vec3(1u), node == vec3(frame.along));
    add_on_grid(part_of_slot[8u * slot + after.x + 2u * after.y + 4u * after.z], node, amount);
}

fn count_grain(i: u32) {
    if i >= frame.grains || bitcast<u32>(grain_position[i].w) == NONE {
        return;
    }
    let x = grain_position[i].xyz;
    let spacing = frame.origin.w / f32(ALONG);
    for (var k = 0u; k < image_count(); k++) {
        let near = image(x, k, IMAGE_NODES * spacing);
        if near.w > 0.0 {
            count_at_node(near.xyz);
        }
        let fine = image(x, k, 2.0 * frame.offset.w);
        if fine.w > 0.0 {
            count_on_grid(fine.xyz);
        }
    }
}

@compute @workgroup_size(256)
fn count(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = RUN * workgroup_number(workgroup);
    let held = slot_count() * slot_size();
    if thread < MOST_SLOTS {
        atomicStore(&block_of_slot[thread], NONE);
    }
    for (var k = thread; k < held; k += WORKGROUP) {
        atomicStore(&sums[k], 0u);
    }
    workgroupBarrier();
    // Grains of the whole run claim, so that the blocks of many win.
    claim_slot(first + thread * (RUN / WORKGROUP));
    workgroupBarrier();
    if thread < 8u * slot_count() {
        find_part(thread / 8u, thread % 8u);
    }
    // Threads side by side take grains that are not, so that they seldom add to the same number at once.
    let own = 8u * (thread % 32u) + thread / 32u;
    for (var k = 0u; k < RUN; k += WORKGROUP) {
        count_grain(first + k + own);
    }
    workgroupBarrier();
    for (var slot = 0u; slot < slot_count(); slot++) {
        for (var k = thread; k < slot_size(); k += WORKGROUP) {
            add_sum(slot, k);
        }
    }
}
