// What acts on rigid grains of several spheres: twin of member_loads in solver/dem/assembled.rs. A thread per grain adds up the
// loads of its members, in their order.

@group(0) @binding(0) var<storage, read_write> clumps: array<Clump>;
@group(0) @binding(1) var<storage, read> inertias: array<Inertia>;
@group(0) @binding(2) var<storage, read> members: array<Member>;
@group(0) @binding(3) var<storage, read> loads: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> spin: array<vec4<f32>>;

// Lets the loads of members and the weight act for dt [s]: F = sum f + m g, T = sum R d x f + t.
fn kicked(before: Clump, inertia: Inertia, dt: f32) -> Clump {
    var force = vec3(0.0);
    var torque = vec3(0.0);
    for (var k = before.first; k < before.first + before.count; k++) {
        let row = members[k].row;
        let f = loads[2u * row].xyz;
        force += f;
        torque += cross(arm_of(before, members[k].offset), f) + loads[2u * row + 1u].xyz;
    }
    return accelerated(before, inertia, force, torque, dt);
}
