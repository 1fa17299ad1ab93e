// Neighbour lists: groups of 32 particles, slot by slot. A slot holds one neighbour of every particle of the group, so
// that neighbouring threads read neighbouring words. A group has as many slots as its longest list, and then up to a
// multiple of four. Particles are their own neighbours in the slots that are left: such a pair has no gradient.
//
// Groups take their slots from a common store in whatever order they come; what they write does not depend on it.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
// Cells before each particle's, one less than the number of cells up to it.
@group(0) @binding(1) var<storage, read> ranks: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>;
@group(0) @binding(4) var<storage, read_write> counters: Counters;
@group(0) @binding(5) var<storage, read_write> density_state: array<DensityState>;
@group(0) @binding(6) var<storage, read> metadata: array<Meta>;

override RANGES: u32 = 9u;

const GROUPS: u32 = 8u;

var<workgroup> longest: array<atomic<u32>, 8>;
var<workgroup> group_start: array<u32, 8>;
var<workgroup> pair_count: atomic<u32>;

// Slots of a group, when every thread has counted.
fn slots_of_group(group: u32) -> u32 {
    return (atomicLoad(&longest[group]) + 3u) & ~3u;
}

fn is_near(x: vec3<f32>, j: u32) -> bool {
    let d = nearest_image(x - position[j].xyz);
    return dot(d, d) < params.reach * params.reach;
}

@compute @workgroup_size(256)
fn list_neighbors(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    let live = i < step.count;
    let group = thread / LANES;
    if thread < GROUPS {
        atomicStore(&longest[thread], 0u);
    }
    if thread == 0u {
        atomicStore(&pair_count, 0u);
    }
    workgroupBarrier();
    var x = vec3(0.0);
    var first_row = 0u;
    var count = 0u;
    // One bit per candidate of a row, for rows of at most 32.
    var hits: array<u32, 18>;
    if live {
        x = position[i].xyz;
        var upto = step.cell_count;
        if i + 1u < step.sort_count {
            upto = ranks[i + 1u];
        }
        first_row = (upto - 1u) * RANGES;
        for (var r = 0u; r < RANGES; r++) {
            let row = rows[first_row + r];
            var bits = 0u;
            for (var j = row.x; j < row.y; j++) {
                if j != i && is_near(x, j) {
                    bits |= 1u << ((j - row.x) & 31u);
                    count++;
                }
            }
            hits[r] = bits;
        }
        atomicMax(&longest[group], count);
        atomicAdd(&pair_count, count);
    }
    workgroupBarrier();
    if thread == 0u {
        var total = 0u;
        for (var g = 0u; g < GROUPS; g++) {
            group_start[g] = total;
            total += slots_of_group(g);
        }
        let first = atomicAdd(&counters.slots, total);
        atomicAdd(&counters.neighbors, atomicLoad(&pair_count));
        for (var g = 0u; g < GROUPS; g++) {
            group_start[g] += first;
        }
    }
    workgroupBarrier();
    if !live {
        return;
    }
    let slots = slots_of_group(group);
    let start = group_start[group];
    if start + slots > params.slot_capacity {
        return;
    }
    if thread % LANES == 0u {
        list[2u * (i / LANES)] = start;
        list[2u * (i / LANES) + 1u] = slots;
    }
    var at = params.list_base + start * LANES + thread % LANES;
    for (var r = 0u; r < RANGES; r++) {
        let row = rows[first_row + r];
        if row.y - row.x <= 32u {
            var bits = hits[r];
            while bits != 0u {
                list[at] = row.x + countTrailingZeros(bits);
                at += LANES;
                bits &= bits - 1u;
            }
        } else {
            for (var j = row.x; j < row.y; j++) {
                if j != i && is_near(x, j) {
                    list[at] = j;
                    at += LANES;
                }
            }
        }
    }
    for (var k = count; k < slots; k++) {
        list[at] = i;
        at += LANES;
    }
    density_state[i] = vec4(0u, 0u, 0u, pack_state(0u, material_of(metadata[i]), count));
}
