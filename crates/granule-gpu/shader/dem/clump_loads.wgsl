// What acts on rigid grains of several spheres: twin of member_loads in solver/dem/assembled.rs. A thread has a grain.

@group(0) @binding(0) var<storage, read_write> clumps: array<Clump>;
@group(0) @binding(1) var<storage, read> inertias: array<Inertia>;
// Those of a grain are side by side.
@group(0) @binding(2) var<storage, read> members: array<Member>;
@group(0) @binding(3) var<storage, read> loads: array<vec4<f32>>;

// Force [N] and torque [N m] about the centre of mass.
struct Acting {
    force: vec3<f32>,
    torque: vec3<f32>,
}

// F = sum f, T = sum R d x f + t, in the order of the members.
fn acting_on(clump: Clump) -> Acting {
    var sum = Acting(vec3(0.0), vec3(0.0));
    for (var m = clump.first; m < clump.first + clump.count; m++) {
        let row = members[m].row;
        let force = loads[2u * row].xyz;
        sum.force += force;
        sum.torque += cross(arm_of(clump, members[m].offset), force) + loads[2u * row + 1u].xyz;
    }
    return sum;
}
