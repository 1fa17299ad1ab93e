// What acts on rigid grains of several spheres: twin of member_loads in solver/dem/assembled.rs. A workgroup has GRAINS of them: all
// of its threads read loads, one per member; then one thread per grain adds up those of its members, in their order.

@group(0) @binding(0) var<storage, read_write> clumps: array<Clump>;
@group(0) @binding(1) var<storage, read> inertias: array<Inertia>;
// Those of a grain are side by side, and in the order of grains.
@group(0) @binding(2) var<storage, read> members: array<Member>;
@group(0) @binding(3) var<storage, read> loads: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> spin: array<vec4<f32>>;

const GRAINS: u32 = 64u;

// Force and torque of a thread's member.
var<workgroup> member_loads: array<vec3<f32>, 512>;
var<workgroup> first_member: atomic<u32>;
var<workgroup> end_of_members: atomic<u32>;
var<workgroup> shared_range: vec2<u32>;

// The grain of a thread; NOBODY for threads that have none.
fn own_grain(workgroup: vec3<u32>, thread: u32) -> u32 {
    let k = workgroup_number(workgroup) * GRAINS + thread;
    if thread >= GRAINS || k >= arrayLength(&clumps) || clumps[k].count == 0u {
        return NOBODY;
    }
    return k;
}

// From the first member of a workgroup's grains to behind the last; nothing where it does not act.
fn range_of_members(own: u32, thread: u32, acts: bool) -> vec2<u32> {
    if thread == 0u {
        atomicStore(&first_member, NOBODY);
        atomicStore(&end_of_members, 0u);
    }
    workgroupBarrier();
    if own != NOBODY && acts {
        atomicMin(&first_member, clumps[own].first);
        atomicMax(&end_of_members, clumps[own].first + clumps[own].count);
    }
    workgroupBarrier();
    if thread == 0u {
        shared_range = vec2(atomicLoad(&first_member), atomicLoad(&end_of_members));
    }
    return workgroupUniformLoad(&shared_range);
}

// Force [N] and torque [N m] about the centre of mass.
struct Acting {
    force: vec3<f32>,
    torque: vec3<f32>,
}

// What acts on the grain of a thread: F = sum f, T = sum R d x f + t.
fn acting_on(own: u32, thread: u32, range: vec2<u32>) -> Acting {
    var acting = Acting(vec3(0.0), vec3(0.0));
    for (var from_member = range.x; from_member < range.y; from_member += WORKGROUP) {
        let m = from_member + thread;
        if m < range.y {
            let row = members[m].row;
            let f = loads[2u * row].xyz;
            let arm = rotate(clumps[members[m].grain].turned, members[m].offset);
            member_loads[2u * thread] = f;
            member_loads[2u * thread + 1u] = cross(arm, f) + loads[2u * row + 1u].xyz;
        }
        workgroupBarrier();
        if own != NOBODY {
            let first = clumps[own].first;
            let end = min(first + clumps[own].count, from_member + WORKGROUP);
            for (var k = max(first, from_member); k < end; k++) {
                acting.force += member_loads[2u * (k - from_member)];
                acting.torque += member_loads[2u * (k - from_member) + 1u];
            }
        }
        workgroupBarrier();
    }
    return acting;
}
