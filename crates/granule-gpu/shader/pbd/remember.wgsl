// Puts aside what pairs remember, as forces under the ids of partners, before particles are sorted: in the order in which they
// were listed. Particles know where their own begins and how many slots it has (source); the sort takes that along.

@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
// Where the pair of each entry of the lists is, with a mark for who has not placed it.
@group(0) @binding(2) var<storage, read> pair_of: array<u32>;
@group(0) @binding(3) var<storage, read> impulses: array<vec4<f32>>;
// Ids of partners, or NOBODY where nothing is remembered.
@group(0) @binding(4) var<storage, read_write> partners: array<u32>;
@group(0) @binding(5) var<storage, read_write> saved: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> sources: array<vec2<u32>>;

@compute @workgroup_size(256)
fn pbd_remember(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    if i >= step.list_count {
        sources[i] = vec2(NOBODY, 0u);
        return;
    }
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    sources[i] = vec2(first, count);
    let per_time = 1.0 / step.memory_dt;
    var over = false;
    for (var s = 0u; s < count; s++) {
        let entry = first + s * LANES;
        let j = list[params.list_base + entry];
        over = over || j == i;
        var partner = NOBODY;
        if !over && (pair_of[entry] & BORROWED) == 0u {
            let pair = pair_of[entry];
            let along = per_time * impulses[2u * pair];
            let turning = per_time * impulses[2u * pair + 1u];
            if any(along != vec4(0.0)) || any(turning != vec4(0.0)) {
                saved[2u * entry] = along;
                saved[2u * entry + 1u] = turning;
                partner = places[2u * j + 1u].w;
            }
        }
        partners[entry] = partner;
    }
}
