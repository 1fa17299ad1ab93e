// Gives new pairs what was remembered: forces of partners that are still listed become impulses of this step, the others are
// forgotten. Tells entries of the lists that have placed no pair which one the other grain has placed.

@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> pair_of: array<u32>;
@group(0) @binding(3) var<storage, read> partners: array<u32>;
@group(0) @binding(4) var<storage, read> saved: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> sources: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> impulses: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> pairs: array<vec2<u32>>;

// Four slots from one on, the last of them again where there are no more: looked at together, they are waited for once.
fn four_slots(first: u32, slot: u32, count: u32) -> vec4<u32> {
    return first + LANES * min(vec4(slot) + vec4(0u, 1u, 2u, 3u), vec4(count - 1u));
}

// Which of four entries is the one that is looked for; NOBODY where none is.
fn one_of(entries: vec4<u32>, found: vec4<u32>, wanted: u32) -> u32 {
    let is_it = found == vec4(wanted);
    return select(select(select(select(NOBODY, entries.w, is_it.w), entries.z, is_it.z), entries.y, is_it.y), entries.x, is_it.x);
}

// The entry under which the state of a partner was put aside; NOBODY where there is none.
fn saved_entry(source: vec2<u32>, id: u32) -> u32 {
    for (var s = 0u; s < source.y; s += 4u) {
        let at = four_slots(source.x, s, source.y);
        let entry = one_of(at, vec4(partners[at.x], partners[at.y], partners[at.z], partners[at.w]), id);
        if entry != NOBODY {
            return entry;
        }
    }
    return NOBODY;
}

// The pair that a grain has placed with another one, as that one's entry names it.
fn borrowed_pair(j: u32, i: u32) -> u32 {
    let first = list[2u * (j / LANES)] * LANES + j % LANES;
    let count = list[2u * (j / LANES) + 1u];
    for (var s = 0u; s < count; s += 4u) {
        let at = four_slots(first, s, count);
        let from_list = params.list_base + at;
        let entry = one_of(at, vec4(list[from_list.x], list[from_list.y], list[from_list.z], list[from_list.w]), i);
        if entry != NOBODY {
            return BORROWED | (pair_of[entry] & ~IN_BRICK);
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
