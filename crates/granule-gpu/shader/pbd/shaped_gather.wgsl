// What pairs with grains did to every particle of a body in the step, before any bounce: twin of the first half of `add_loads` in
// solver/pbd/shaped.rs.

@group(0) @binding(1) var<storage, read> pair_of: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> geometry: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> impulses: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> motion: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> metadata: array<Meta>;
@group(0) @binding(7) var<storage, read_write> members: array<BodyMember>;

@compute @workgroup_size(256)
fn shaped_gather(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count || (metadata[i].y & OF_BODY) == 0u {
        return;
    }
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    var impulse = vec3(0.0);
    var torque = vec3(0.0);
    for (var s = 0u; s < count; s++) {
        let entry = pair_of[first + s * LANES];
        if entry == NOBODY {
            break;
        }
        let p = entry & ~BORROWED;
        let pair = pairs[p];
        let keeps = (pair.x & ~ACTIVE) == i;
        let j = select(pair.x & ~ACTIVE, pair.y & ~PULLS, keeps);
        if (pair.x & ACTIVE) == 0u || (metadata[j].y & OF_BODY) != 0u {
            continue;
        }
        let g = geometry[p];
        let by = impulse_of(impulses[2u * p], impulses[2u * p + 1u]);
        let sign = select(-1.0, 1.0, keeps);
        impulse += sign * (by.normal * g.xyz + by.tangent);
        if ROTATION {
            let radius = vec2(motion[2u * i + 1u].w, motion[2u * j + 1u].w);
            torque += sign * by.rolling - arms_of(radius, g.w).x * cross(g.xyz, by.tangent);
        }
    }
    let k = metadata[i].x - pbd.first_member;
    members[k].impulse = impulse;
    members[k].torque = torque;
}
