// The first half kick and the drift of rigid grains of several spheres, and where these have their spheres then, with the rates
// of the half step: twin of MoveGroup and of put in solver/dem/assembled.rs. Spheres of a grain that gets lost are nowhere.

@group(0) @binding(6) var<storage, read_write> places: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> position: array<vec4<f32>>;

// Farthest coordinate of a centre [m]: members are within the range of positions then.
const FARTHEST_CENTER: f32 = 32700.0;

fn drifted(before: Clump, inertia: Inertia, acting: Acting) -> Clump {
    var clump = accelerated(before, inertia, acting.force, acting.torque, 0.5 * step.dt);
    let moved = advance_position(center_of(clump), step.dt * velocity_of(clump));
    let turned = rotate_freely(
        clump.turned,
        inertia.shape_from_principal,
        rotation_of_clump(clump),
        inertia.moments.xyz,
        step.dt,
    );
    clump = reoriented(clump, turned.change);
    clump.center_xy = vec4(moved.point.x, moved.point.y);
    clump.center_z = moved.point.z;
    clump.spin = turned.middle;
    if !(moved.sound && all(abs(position_meters(moved.point)) < vec3(FARTHEST_CENTER))) {
        clump.sound = 0.0;
    }
    return clump;
}

fn place_member(clump: Clump, member: Member) {
    let moved = place_of_member(clump, member.offset);
    var point = moved.point;
    if PERIODIC {
        point = wrap_position(exact_domain(), point);
    }
    var x = position_meters(point);
    if clump.sound == 0.0 || !moved.sound {
        x = vec3(2.0 * FARTHEST);
    }
    let i = member.row;
    places[2u * i] = vec4(point.x, point.y);
    places[2u * i + 1u] = vec4(point.z, bitcast<u32>(member.radius), member.id);
    position[i] = vec4(x, member.radius);
    velocity[i] = vec4(velocity_of(clump) + cross(clump.spin, arm_of(clump, member.offset)), member.mass);
    spin[i] = vec4(clump.spin, clump.inverse_mass);
}

@compute @workgroup_size(256)
fn clump_drift(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let m = thread_number(workgroup, thread);
    let acts = m < arrayLength(&members) && step.phase == PREPARED && step.progress == KICKS;
    let member = members[select(0u, m, acts)];
    var clump = clumps[beginning_of(member.grain)];
    let takes_part = acts && belongs(clump, m);
    let acting = acting_on(clump, member, m, thread, takes_part);
    let half = middle_of(member.grain);
    if acts && clump.count == 0u && m == clump.first {
        // Gone since the last step.
        clumps[half].count = 0u;
    }
    if !takes_part {
        return;
    }
    if clump.sound != 0.0 {
        clump = drifted(clump, inertias[member.grain], acting);
    }
    place_member(clump, member);
    if m == clump.first {
        clumps[half] = clump;
    }
}
