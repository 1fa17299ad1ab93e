// Gives new lists what contacts remembered: states of partners that are still listed go on, the others are forgotten. Where
// liquid spans gaps at the start, it does so from here on: twin of bridge_gaps in solver/dem/bridges.rs.

@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> memory: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> loads: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> partners: array<u32>;
@group(0) @binding(5) var<storage, read> saved: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> sources: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read> metadata: array<Meta>;

override BRIDGES: bool = false;
override SOURCE_PIECE: u32 = 0u;

// Where the state of a partner was put aside; NOBODY where there is none.
fn saved_place(source: vec2<u32>, id: u32) -> u32 {
    for (var s = 0u; s < source.y; s++) {
        if partners[source.x + s * LANES] == id {
            return memory_place(source.x / LANES + s, source.x % LANES);
        }
    }
    return NOBODY;
}

fn spans_gap(i: u32, j: u32) -> bool {
    let a = place_of(places[2u * i], places[2u * i + 1u]);
    let b = place_of(places[2u * j], places[2u * j + 1u]);
    let gap = length(apart(a.point, b.point)) - a.radius - b.radius;
    let law = laws[material_of(metadata[i]) * dem.material_count + material_of(metadata[j])];
    return gap > 0.0 && gap < law.rupture_distance;
}

@compute @workgroup_size(256)
fn carry_contacts(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let lane = i % LANES;
    let first = list[2u * (i / LANES)];
    let count = list[2u * (i / LANES) + 1u];
    let source = sources[i];
    // What was put aside may be in another piece; with nothing put aside it is that of the first.
    let from_slot = select(source.x / LANES, 0u, source.y == 0u);
    if !is_in_piece(first, PIECE) || !is_in_piece(from_slot, SOURCE_PIECE) {
        return;
    }
    var known = 0u;
    for (var s = 0u; s < count; s++) {
        let j = list[params.list_base + (first + s) * LANES + lane];
        if j == i {
            break;
        }
        let at = memory_place(first + s, lane);
        let from_place = saved_place(source, places[2u * j + 1u].w);
        var state = vec4(0.0);
        var more = vec4(0.0);
        var found = from_place != NOBODY;
        if found {
            state = saved[from_place];
            if RECORDS == 2u {
                more = saved[from_place + LANES];
            }
        } else if BRIDGES && step.progress == PRIMES && spans_gap(i, j) {
            state.w = BRIDGE;
            found = true;
        }
        if s < BITS {
            known |= select(0u, 1u << s, found);
        }
        if found || s >= BITS {
            memory[at] = state;
            if RECORDS == 2u {
                memory[at + LANES] = more;
            }
        }
    }
    loads[2u * i + 1u].w = known;
}
