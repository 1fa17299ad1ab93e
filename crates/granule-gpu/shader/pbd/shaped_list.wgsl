// Where the particles of bodies are after a sort, and which pairs have those of two bodies: twins of `find` and `note_pairs` in
// solver/pbd/shaped.rs. The order of these pairs changes no bit.

@group(0) @binding(1) var<storage, read> pair_of: array<u32>;
@group(0) @binding(2) var<storage, read> metadata: array<Meta>;
@group(0) @binding(3) var<storage, read_write> members: array<BodyMember>;
@group(0) @binding(4) var<storage, read_write> colours: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> meeting: array<u32>;

@compute @workgroup_size(256)
fn shaped_list(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count || (metadata[i].y & OF_BODY) == 0u {
        return;
    }
    members[metadata[i].x - pbd.first_member].row = i;
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    for (var s = 0u; s < count; s++) {
        let entry = first + s * LANES;
        let j = list[params.list_base + entry];
        if j == i {
            break;
        }
        let pair = pair_of[entry];
        if (pair & BORROWED) == 0u && (metadata[j].y & OF_BODY) != 0u {
            let k = atomicAdd(&colours[MEETING_COUNT], 1u);
            if k < arrayLength(&meeting) {
                meeting[k] = pair;
            }
        }
    }
}
