// Finds which particles of bodies touch something in this step: twin of the first half of `weigh` in solver/pbd/shaped.rs.

@group(0) @binding(1) var<storage, read> pair_of: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> metadata: array<Meta>;
@group(0) @binding(4) var<storage, read_write> members: array<BodyMember>;

// Whether a pair of a particle touches.
fn touches_any(i: u32) -> bool {
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    for (var s = 0u; s < count; s++) {
        let entry = pair_of[first + s * LANES];
        if entry == NOBODY {
            break;
        }
        if (pairs[entry & ~BORROWED].x & ACTIVE) != 0u {
            return true;
        }
    }
    return false;
}

@compute @workgroup_size(256)
fn shaped_touch(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count || (metadata[i].y & OF_BODY) == 0u {
        return;
    }
    let at_walls = (metadata[i].w & ~NEAR_WALLS) > 0u;
    members[metadata[i].x - pbd.first_member].touches = select(0u, 1u, at_walls || touches_any(i));
}
