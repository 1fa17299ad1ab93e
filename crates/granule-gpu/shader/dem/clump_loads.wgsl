// What acts on rigid grains of several spheres: twin of member_loads in solver/dem/assembled.rs. A thread has a grain.
// The second half step of a step adds it up and keeps it for the first half step of the next, between which nothing changes it.

@group(0) @binding(0) var<storage, read_write> clumps: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> inertias: array<Inertia>;
// Those of a grain are side by side.
@group(0) @binding(2) var<storage, read> members: array<Member>;
@group(0) @binding(3) var<storage, read> loads: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> kept: array<Acting>;

// Force [N] and torque [N m] about the centre of mass; the struct mirrors that of src/dem/layout.rs.
struct Acting {
    force: vec3<f32>,
    // 1 where it was added up; 0 of grains that are new, or come from a checkpoint.
    known: f32,
    torque: vec3<f32>,
}

// What acts on a member.
fn acting_at(clump: Clump, offset: vec3<f32>, force: vec3<f32>, torque: vec3<f32>) -> Acting {
    return Acting(force, 1.0, cross(arm_of(clump, offset), force) + torque);
}

// With one more, if it is there.
fn with_member(sum: Acting, more: Acting, is_there: bool) -> Acting {
    if !is_there {
        return sum;
    }
    return Acting(sum.force + more.force, 1.0, sum.torque + more.torque);
}

// F = sum f, T = sum R d x f + t, in the order of the members. Four are read at once: one after the other, a thread would wait eight
// times for the memory.
fn acting_on(clump: Clump) -> Acting {
    var sum = Acting(vec3(0.0), 1.0, vec3(0.0));
    let end = clump.first + clump.count;
    for (var m = clump.first; m < end; m += 4u) {
        let last = end - 1u;
        let a = members[m];
        let b = members[min(m + 1u, last)];
        let c = members[min(m + 2u, last)];
        let d = members[min(m + 3u, last)];
        let force_a = loads[2u * a.row].xyz;
        let force_b = loads[2u * b.row].xyz;
        let force_c = loads[2u * c.row].xyz;
        let force_d = loads[2u * d.row].xyz;
        let torque_a = loads[2u * a.row + 1u].xyz;
        let torque_b = loads[2u * b.row + 1u].xyz;
        let torque_c = loads[2u * c.row + 1u].xyz;
        let torque_d = loads[2u * d.row + 1u].xyz;
        sum = with_member(sum, acting_at(clump, a.offset, force_a, torque_a), true);
        sum = with_member(sum, acting_at(clump, b.offset, force_b, torque_b), m + 1u < end);
        sum = with_member(sum, acting_at(clump, c.offset, force_c, torque_c), m + 2u < end);
        sum = with_member(sum, acting_at(clump, d.offset, force_d, torque_d), m + 3u < end);
    }
    return sum;
}
