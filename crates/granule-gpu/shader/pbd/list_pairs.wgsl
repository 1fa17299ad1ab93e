// Neighbour lists by reaches, in the form of core/neighbors.wgsl: pairs that may touch before somebody has moved by its
// skin, the same as those of Cutoff::Reaches in solver/search.rs. Two that are held never touch, nor
// do two particles of one body.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
// Cells before each particle's, one less than the number of cells up to it.
@group(0) @binding(1) var<storage, read> ranks: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>;
@group(0) @binding(4) var<storage, read_write> counters: Counters;
@group(0) @binding(5) var<storage, read_write> density_state: array<DensityState>;
@group(0) @binding(6) var<storage, read> metadata: array<Meta>;
// Push of a step; rotation vector, and how far a grain is listed; its path.
@group(0) @binding(7) var<storage, read> way: array<vec4<f32>>;

override RANGES: u32 = 9u;

const GROUPS: u32 = 8u;
// Share of a coordinate that rounding may hide: twin of levels.rs.
const ROUNDING: f32 = 4e-7;

var<workgroup> longest: array<atomic<u32>, 8>;
var<workgroup> group_start: array<u32, 8>;

struct Own {
    x: vec3<f32>,
    // How far it is listed.
    reach: f32,
    number: u32,
    held: bool,
    // Material of a particle of a body, with the mark of such; 0 for others.
    of_body: u32,
    // As far as it may be beside its way, and what rounding may hide.
    path: vec4<f32>,
}

// Material and mark of a particle of a body; 0 for others.
fn body_word(i: u32) -> u32 {
    let word = metadata[i].y;
    return select(0u, word & (MATERIAL | OF_BODY), (word & OF_BODY) != 0u);
}

// Twin of listed_radius, for a radius and a skin together.
fn listed_reach(x: vec3<f32>, reach: f32) -> f32 {
    let far = max(abs(x), params.period_length.xyz);
    return reach + min(ROUNDING * (max(max(far.x, far.y), far.z) + reach), reach);
}

// Square of the least distance between a segment from d to d + a and one from 0 to b: twin of `distance_squared` in
// solver/pbd/path.rs.
fn segments_apart(d: vec3<f32>, a: vec3<f32>, b: vec3<f32>) -> f32 {
    let aa = max(dot(a, a), 1e-30);
    let bb = max(dot(b, b), 1e-30);
    let ab = dot(a, b);
    let ad = dot(a, d);
    let bd = dot(b, d);
    let area = aa * bb - ab * ab;
    var s = 0.0;
    if area > 1e-6 * aa * bb {
        s = clamp((ab * bd - ad * bb) / area, 0.0, 1.0);
    }
    let t = clamp((ab * s + bd) / bb, 0.0, 1.0);
    s = clamp((ab * t - ad) / aa, 0.0, 1.0);
    let apart = d + s * a - t * b;
    return dot(apart, apart);
}

fn is_near(own: Own, j: u32) -> bool {
    let other = position[j];
    let d = nearest_image(own.x - other.xyz);
    let farthest = own.reach + listed_reach(other.xyz, other.w + step.list_skin);
    if j == own.number || !(dot(d, d) < farthest * farthest) {
        return false;
    }
    let of_other = way[3u * j + 1u].w;
    let reach = own.reach + listed_reach(other.xyz, abs(of_other));
    if !(dot(d, d) < reach * reach) {
        return false;
    }
    if SHAPED && own.of_body != 0u && body_word(j) == own.of_body {
        return false;
    }
    if own.held && of_other < 0.0 {
        return false;
    }
    let path = way[3u * j + 2u];
    if all(own.path.xyz == vec3(0.0)) && all(path.xyz == vec3(0.0)) {
        return true;
    }
    let beside = own.path.w + listed_reach(other.xyz, path.w);
    return segments_apart(d, own.path.xyz, path.xyz) < beside * beside;
}

fn own_of(i: u32) -> Own {
    let x = position[i];
    var of_body = 0u;
    if SHAPED {
        of_body = body_word(i);
    }
    let reach = way[3u * i + 1u].w;
    let path = way[3u * i + 2u];
    let beside = vec4(path.xyz, listed_reach(x.xyz, path.w));
    return Own(x.xyz, listed_reach(x.xyz, abs(reach)), i, reach < 0.0, of_body, beside);
}

@compute @workgroup_size(256)
fn pbd_list_pairs(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    let live = i < step.count;
    let group = thread / LANES;
    if thread < GROUPS {
        atomicStore(&longest[thread], 0u);
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
    }
    workgroupBarrier();
    if thread == 0u {
        var total = 0u;
        for (var g = 0u; g < GROUPS; g++) {
            group_start[g] = total;
            total += atomicLoad(&longest[g]);
        }
        let first = atomicAdd(&counters.slots, total);
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
