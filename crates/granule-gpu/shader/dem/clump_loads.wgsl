// What acts on rigid grains of several spheres: twin of member_loads in solver/dem/assembled.rs. A thread has a member, and finds
// what acts on it; that of the first member adds up all of its grain, in their order, and moves the grain. It leaves it behind in the
// other of the two places that the grain has in the table, so that nobody waits.

@group(0) @binding(0) var<storage, read_write> clumps: array<Clump>;
@group(0) @binding(1) var<storage, read> inertias: array<Inertia>;
// Those of a grain are side by side.
@group(0) @binding(2) var<storage, read> members: array<Member>;
@group(0) @binding(3) var<storage, read> loads: array<vec4<f32>>;
// Force and torque of the members of a workgroup's threads.
var<workgroup> member_loads: array<vec3<f32>, 512>;

// Whether a member is one of a grain that is there.
fn belongs(clump: Clump, m: u32) -> bool {
    return m >= clump.first && m - clump.first < clump.count;
}

// Force [N] and torque [N m] about the centre of mass.
struct Acting {
    force: vec3<f32>,
    torque: vec3<f32>,
}

fn acting_at(turned: vec4<f32>, member: Member) -> Acting {
    let force = loads[2u * member.row].xyz;
    let torque = loads[2u * member.row + 1u].xyz;
    return Acting(force, cross(rotate(turned, member.offset), force) + torque);
}

// What acts on the grain of a first member: F = sum f, T = sum R d x f + t. All threads of a workgroup call it; members in other
// workgroups are looked at again.
fn acting_on(clump: Clump, member: Member, m: u32, thread: u32, takes_part: bool) -> Acting {
    if takes_part {
        let own = acting_at(clump.turned, member);
        member_loads[2u * thread] = own.force;
        member_loads[2u * thread + 1u] = own.torque;
    }
    workgroupBarrier();
    var sum = Acting(vec3(0.0), vec3(0.0));
    if takes_part && m == clump.first {
        let first_here = m - thread;
        for (var n = clump.first; n < clump.first + clump.count; n++) {
            if n >= first_here && n - first_here < WORKGROUP {
                sum.force += member_loads[2u * (n - first_here)];
                sum.torque += member_loads[2u * (n - first_here) + 1u];
            } else {
                let other = acting_at(clump.turned, members[n]);
                sum.force += other.force;
                sum.torque += other.torque;
            }
        }
    }
    return sum;
}
