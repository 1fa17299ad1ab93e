// Counts the loose pairs of every bin: by colour, then those that are near, then the others.

const TOUCH: f32 = 0.01;

fn is_near(a: Place, b: Place) -> bool {
    let d = apart(a.point, b.point);
    let sum = a.radius + b.radius;
    let reach = sum + 2.0 * TOUCH * sum;
    return dot(d, d) < reach * reach;
}

fn count_of(i: u32) {
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    let own = place_of(places[2u * i], places[2u * i + 1u]);
    var over = false;
    for (var s = 0u; s < count; s++) {
        let entry = first + s * LANES;
        let j = list[params.list_base + entry];
        over = over || j == i;
        let known = pair_of[entry];
        if is_in_brick(known) {
            continue;
        }
        var bin = NOBODY;
        if !over && places_pair(i, j) {
            let other = place_of(places[2u * j], places[2u * j + 1u]);
            bin = 2u * min(known, REST) + select(1u, 0u, is_near(own, other));
            atomicAdd(&own_counts[bin], 1u);
        }
        pair_of[entry] = bin;
    }
}

@compute @workgroup_size(256)
fn count_pairs(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if thread < BINS {
        atomicStore(&own_counts[thread], 0u);
    }
    workgroupBarrier();
    if i < step.count {
        count_of(i);
    }
    workgroupBarrier();
    if thread < BINS {
        let own = atomicLoad(&own_counts[thread]);
        if own > 0u {
            atomicAdd(&colours[BIN_COUNTS + thread], own);
        }
    }
}
