// Gives new pairs what was remembered: forces of partners that are still listed become impulses of this step, the others are
// forgotten. Tells entries of the lists that have placed no pair which one the other grain has placed.

@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> pair_of: array<u32>;
@group(0) @binding(3) var<storage, read> partners: array<u32>;
@group(0) @binding(4) var<storage, read> saved: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> sources: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> impulses: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> pairs: array<vec2<u32>>;

// The entry under which the state of a partner was put aside; NOBODY where there is none.
fn saved_entry(source: vec2<u32>, id: u32) -> u32 {
    for (var s = 0u; s < source.y; s++) {
        if partners[source.x + s * LANES] == id {
            return source.x + s * LANES;
        }
    }
    return NOBODY;
}

// The pair that a grain has placed with another one, as that one's entry names it.
fn borrowed_pair(j: u32, i: u32) -> u32 {
    let first = list[2u * (j / LANES)] * LANES + j % LANES;
    let count = list[2u * (j / LANES) + 1u];
    for (var s = 0u; s < count; s++) {
        if list[params.list_base + first + s * LANES] == i {
            return BORROWED | (pair_of[first + s * LANES] & ~IN_BRICK);
        }
    }
    return NOBODY;
}

@compute @workgroup_size(256)
fn carry_pairs(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    let source = sources[i];
    for (var s = 0u; s < count; s++) {
        let j = list[params.list_base + first + s * LANES];
        if j == i {
            break;
        }
        let placed = pair_of[first + s * LANES];
        if placed == NOBODY || placed == IN_OTHERS {
            pair_of[first + s * LANES] = borrowed_pair(j, i);
            continue;
        }
        let pair = placed & ~IN_BRICK;
        pair_of[first + s * LANES] = pair;
        let known = saved_entry(source, places[2u * j + 1u].w);
        var along = vec4(0.0);
        var turning = vec4(0.0);
        if known != NOBODY {
            along = step.dt * saved[2u * known];
            turning = step.dt * saved[2u * known + 1u];
            pairs[pair].x |= ACTIVE;
        }
        impulses[2u * pair] = along;
        impulses[2u * pair + 1u] = turning;
    }
}
