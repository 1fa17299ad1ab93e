// Puts aside what contacts remember, under the ids of partners, before particles are sorted: in the order in which they were
// listed. Particles know where their own begins and how many slots it has (source); the sort takes that along.

@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> memory: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> loads: array<vec4<u32>>;
// Ids of partners, or NOBODY where nothing is remembered.
@group(0) @binding(4) var<storage, read_write> partners: array<u32>;
@group(0) @binding(5) var<storage, read_write> saved: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> sources: array<vec2<u32>>;

@compute @workgroup_size(256)
fn remember(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    if i >= step.list_count {
        sources[i] = vec2(NOBODY, 0u);
        return;
    }
    let group = i / LANES;
    let lane = i % LANES;
    let first = list[2u * group];
    let count = list[2u * group + 1u];
    if !is_in_piece(first, PIECE) {
        return;
    }
    sources[i] = vec2(first * LANES + lane, count);
    let known = loads[2u * i + 1u].w;
    var over = false;
    for (var s = 0u; s < count; s++) {
        let entry = (first + s) * LANES + lane;
        let j = list[params.list_base + entry];
        over = over || j == i;
        let at = memory_place(first + s, lane);
        var kept = !over;
        if kept && s < BITS {
            kept = (known & (1u << s)) != 0u;
        } else if kept {
            kept = memory[at].w != 0.0;
        }
        if kept {
            saved[at] = memory[at];
            if RECORDS == 2u {
                saved[at + LANES] = memory[at + LANES];
            }
        }
        partners[entry] = select(NOBODY, places[2u * j + 1u].w, kept);
    }
}
