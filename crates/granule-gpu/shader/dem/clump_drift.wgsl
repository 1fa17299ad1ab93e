// The first half kick and the drift of rigid grains of several spheres: twin of MoveGroup in solver/dem/assembled.rs.

// Farthest coordinate of a centre [m]: members are within the range of positions then.
const FARTHEST_CENTER: f32 = 32700.0;

// What a cell that strains leaves of a velocity.
fn slowed(before: Clump, slowing: vec3<f32>) -> Clump {
    let velocity = ExactPosition(before.velocity_xy.xy, before.velocity_xy.zw, before.velocity_z);
    let less = (0.00390625 * (slowing - vec3(1.0))) * velocity_of(before);
    let slower = advance_position(velocity, less).point;
    var now = before;
    now.velocity_xy = vec4(slower.x, slower.y);
    now.velocity_z = slower.z;
    return now;
}

fn drifted(before: Clump, inertia: Inertia, acting: Acting) -> Clump {
    var clump = accelerated(before, inertia, acting.force, acting.torque, 0.5 * step.dt);
    var way = step.dt * velocity_of(clump);
    if STRAINS {
        way += way_with_cell(center_of(clump));
        clump = slowed(clump, dem.motion.slowing.xyz);
    }
    let moved = advance_position(center_of(clump), way);
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

@compute @workgroup_size(256)
fn clump_drift(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= clump_room() || step.phase != PREPARED || step.progress != KICKS {
        return;
    }
    let clump = read_clump(k);
    if clump.count > 0u && clump.sound != 0.0 {
        var acting = kept[k];
        if acting.known == 0.0 {
            acting = acting_on(clump);
        }
        let moved = drifted(clump, inertias[k], acting);
        write_pose(k, moved);
        write_motion(k, moved);
    }
}
