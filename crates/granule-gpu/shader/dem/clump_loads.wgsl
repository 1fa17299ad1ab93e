// What acts on rigid grains of several spheres: twin of member_loads in solver/dem/assembled.rs. A thread per grain adds up the
// loads of its members, in their order.

// Principal moments of inertia over the largest of them, the largest [kg m2], and what turns principal axes into those of the shape.
struct Inertia {
    moments: vec4<f32>,
    shape_from_principal: vec4<f32>,
}

@group(0) @binding(0) var<storage, read_write> clumps: array<Clump>;
@group(0) @binding(1) var<storage, read> inertias: array<Inertia>;
@group(0) @binding(2) var<storage, read> members: array<Member>;
@group(0) @binding(3) var<storage, read> loads: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> spin: array<vec4<f32>>;

// Lets the loads of members and the weight act for dt [s]: F = sum f + m g, T = sum R d x f + t. What is not
// finite or out of range shows.
fn kicked(before: Clump, inertia: Inertia, dt: f32) -> Clump {
    var force = vec3(0.0);
    var torque = vec3(0.0);
    for (var k = before.first; k < before.first + before.count; k++) {
        let row = members[k].row;
        let f = loads[2u * row].xyz;
        force += f;
        torque += cross(arm_of(before, members[k].offset), f) + loads[2u * row + 1u].xyz;
    }
    let velocity = ExactPosition(before.velocity_xy.xy, before.velocity_xy.zw, before.velocity_z);
    let rotation = ExactPosition(before.rotation_xy.xy, before.rotation_xy.zw, before.rotation_z);
    let faster = advance_position(velocity, (0.00390625 * dt) * (force / before.mass + params.gravity.xyz));
    let turning = advance_position(rotation, (2.4414063e-4 * dt / inertia.moments.w) * torque);
    var now = before;
    now.velocity_xy = vec4(faster.point.x, faster.point.y);
    now.velocity_z = faster.point.z;
    now.rotation_xy = vec4(turning.point.x, turning.point.y);
    now.rotation_z = turning.point.z;
    if !(faster.sound && turning.sound) {
        now.sound = 0.0;
    }
    return now;
}
