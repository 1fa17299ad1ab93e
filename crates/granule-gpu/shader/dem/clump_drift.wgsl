// The first half kick and the drift of rigid grains of several spheres, and where these have their spheres then, with the rates
// of the half step: twin of MoveGroup and of put in solver/dem/assembled.rs. Spheres of a grain that gets lost are nowhere.

@group(0) @binding(6) var<storage, read_write> places: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> position: array<vec4<f32>>;

// Farthest coordinate of a centre [m]: members are within the range of positions then.
const FARTHEST_CENTER: f32 = 32700.0;

fn place_member(clump: Clump, v: vec3<f32>, member: Member) {
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
    velocity[i] = vec4(v + cross(clump.spin, arm_of(clump, member.offset)), member.mass);
    spin[i] = vec4(clump.spin, member.inverse_mass);
}

// Spheres of a grain that came without bounds are nowhere.
fn lose_members(clump: Clump) {
    for (var m = clump.first; m < clump.first + clump.count; m++) {
        position[members[m].row] = vec4(vec3(2.0 * FARTHEST), members[m].radius);
    }
}

@compute @workgroup_size(256)
fn clump_drift(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= arrayLength(&clumps) || step.phase != PREPARED || step.progress != KICKS {
        return;
    }
    if clumps[k].count == 0u {
        return;
    }
    if clumps[k].sound == 0.0 {
        lose_members(clumps[k]);
        return;
    }
    let inertia = inertias[k];
    var clump = kicked(clumps[k], inertia, 0.5 * step.dt);
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
    clumps[k] = clump;
    let v = velocity_of(clump);
    for (var m = clump.first; m < clump.first + clump.count; m++) {
        place_member(clump, v, members[m]);
    }
}
