// Places loose pairs by colour, and tells each which law it has. The order inside of a colour changes no bit of the result.

@group(0) @binding(5) var<storage, read> metadata: array<Meta>;
@group(0) @binding(6) var<storage, read_write> pairs: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> pair_laws: array<u32>;

var<workgroup> next_place: array<atomic<u32>, 130>;

fn place_own(i: u32) {
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    for (var s = 0u; s < count; s++) {
        let entry = first + s * LANES;
        let bin = pair_of[entry];
        if bin >= BINS {
            continue;
        }
        let j = list[params.list_base + entry];
        let place = atomicAdd(&next_place[bin], 1u);
        let keeps = places[2u * i + 1u].w < places[2u * j + 1u].w;
        pair_of[entry] = place;
        let law = law_of_pair(i, j);
        if SEVERAL_MATERIALS || SHAPED {
            pair_laws[place] = law;
        }
        pairs[place] = words_of_pair(vec2(i, j), keeps, law);
    }
}

@compute @workgroup_size(256)
fn place_pairs(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if thread < BINS {
        atomicStore(&own_counts[thread], 0u);
    }
    workgroupBarrier();
    if i < step.count {
        let first = list[2u * (i / LANES)] * LANES + i % LANES;
        let count = list[2u * (i / LANES) + 1u];
        for (var s = 0u; s < count; s++) {
            let bin = pair_of[first + s * LANES];
            if bin < BINS {
                atomicAdd(&own_counts[bin], 1u);
            }
        }
    }
    workgroupBarrier();
    if thread < BINS {
        let own = atomicLoad(&own_counts[thread]);
        var first = 0u;
        if own > 0u {
            first = atomicAdd(&colours[BIN_PLACES + thread], own);
        }
        atomicStore(&next_place[thread], first);
    }
    workgroupBarrier();
    if i < step.count {
        place_own(i);
    }
}
