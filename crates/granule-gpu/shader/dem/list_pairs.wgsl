// Neighbour lists by radii, in the form of core/neighbors.wgsl: pairs that may touch before somebody has moved by half of the
// skin. Members of one rigid grain, and two that are held, never touch.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
// Cells before each particle's, one less than the number of cells up to it.
@group(0) @binding(1) var<storage, read> ranks: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>;
@group(0) @binding(4) var<storage, read_write> counters: Counters;
@group(0) @binding(5) var<storage, read_write> density_state: array<DensityState>;
@group(0) @binding(6) var<storage, read> metadata: array<Meta>;
// The rigid grain of each particle, or NOBODY; and its number among all members.
@group(0) @binding(7) var<storage, read> grains: array<vec2<u32>>;

override RANGES: u32 = 9u;
override CLUMPS: bool = false;
// Slots of a piece of the contact memory, whose end no list goes over.
override PIECES: u32 = 1u;
override PIECE_SLOTS: u32 = 1u;

const GROUPS: u32 = 8u;
// Share of a coordinate that rounding of two positions may hide between them.
const ROUNDING: f32 = 2.4e-7;

var<workgroup> longest: array<atomic<u32>, 8>;
var<workgroup> group_start: array<u32, 8>;
var<workgroup> pair_count: atomic<u32>;

struct Own {
    x: vec3<f32>,
    // As far as a partner's surface is listed.
    reach: f32,
    number: u32,
    grain: u32,
    held: bool,
}

fn is_near(own: Own, j: u32) -> bool {
    let other = position[j];
    let d = nearest_image(own.x - other.xyz);
    let reach = own.reach + other.w;
    if j == own.number || !(dot(d, d) < reach * reach) {
        return false;
    }
    if CLUMPS && own.grain != NOBODY && own.grain == grains[j].x {
        return false;
    }
    return !(own.held && mover_of(metadata[j]) == HELD);
}

fn own_of(i: u32) -> Own {
    let x = position[i];
    let far = max(max(abs(x.x), abs(x.y)), abs(x.z));
    let period = max(max(params.period_length.x, params.period_length.y), params.period_length.z);
    var grain = NOBODY;
    if CLUMPS {
        grain = grains[i].x;
    }
    let reach = x.w + dem.skin + dem.lasting + ROUNDING * max(far, period);
    return Own(x.xyz, reach, i, grain, mover_of(metadata[i]) == HELD);
}

@compute @workgroup_size(256)
fn list_pairs(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
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
    var own: Own;
    var first_row = 0u;
    var count = 0u;
    // One bit per candidate of a row, for rows of at most 32.
    var hits: array<u32, 18>;
    if live {
        own = own_of(i);
        var upto = step.cell_count;
        if i + 1u < step.sort_count {
            upto = ranks[i + 1u];
        }
        first_row = (upto - 1u) * RANGES;
        for (var r = 0u; r < RANGES; r++) {
            let row = rows[first_row + r];
            var bits = 0u;
            for (var j = row.x; j < row.y; j++) {
                if is_near(own, j) {
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
            total += atomicLoad(&longest[g]);
        }
        var first = atomicAdd(&counters.slots, total);
        if PIECES > 1u && first / PIECE_SLOTS != (first + max(total, 1u) - 1u) / PIECE_SLOTS {
            first = atomicAdd(&counters.slots, total);
        }
        atomicAdd(&counters.neighbors, atomicLoad(&pair_count));
        for (var g = 0u; g < GROUPS; g++) {
            group_start[g] += first;
        }
    }
    workgroupBarrier();
    if !live {
        return;
    }
    let slots = atomicLoad(&longest[group]);
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
                if is_near(own, j) {
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
    density_state[i] = vec4(bitcast<u32>(1.0), 0u, 0u, pack_state(0u, material_of(metadata[i]), count));
}
