// The first half kick and the drift of free bodies, and the walls that they are; the same of walls that hold a force: twin of
// Bodies::kick_and_drift and Boundaries::kick_servos. A step that was interrupted puts the walls where they are again.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> flights: array<Flight>;
@group(0) @binding(2) var<storage, read> flight_shapes: array<FlightShape>;
@group(0) @binding(3) var<storage, read_write> poses: array<Pose>;
@group(0) @binding(4) var<storage, read_write> pushes: array<u32>;

var<workgroup> shared_go: u32;

fn drifted(flight: Flight, shape: FlightShape) -> Clump {
    var clump = accelerated(flight.clump, shape.inertia, flight.force.xyz, flight.torque.xyz, 0.5 * step.dt);
    let moved = advance_position(center_of(clump), step.dt * velocity_of(clump));
    let turned = rotate_freely(
        clump.turned,
        shape.inertia.shape_from_principal,
        rotation_of_clump(clump),
        shape.inertia.moments.xyz,
        step.dt,
    );
    // A body beyond the range of positions stays there.
    if clump.sound == 0.0 || !moved.sound {
        clump = flight.clump;
        clump.sound = 0.0;
        return clump;
    }
    clump = reoriented(clump, turned.change);
    clump.center_xy = vec4(moved.point.x, moved.point.y);
    clump.center_z = moved.point.z;
    clump.spin = turned.middle;
    return clump;
}

// The wall that a body is, with the velocities of the middle of the step.
fn placed(before: Pose, clump: Clump, shape: FlightShape) -> Pose {
    var pose = before;
    let origin = advance_position(center_of(clump), -rotate(clump.turned, shape.center.xyz)).point;
    let rounded = position_meters(origin);
    pose.rotation = clump.turned;
    pose.translation = vec4(rounded, select(1.0, 0.0, any(clump.turned.xyz != vec3(0.0))));
    pose.rest = vec4(
        beyond_rounded(origin.x, rounded.x),
        beyond_rounded(origin.y, rounded.y),
        beyond_rounded(origin.z, rounded.z),
        pose.rest.w,
    );
    pose.pivot = vec4(position_meters(center_of(clump)), pose.pivot.w);
    pose.linear = vec4(velocity_of(clump), clump.inverse_mass);
    pose.angular = vec4(clump.spin, 0.0);
    return pose;
}

@compute @workgroup_size(256)
fn body_drift(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        shared_go = select(0u, 1u, step.phase == PREPARED);
    }
    workgroupBarrier();
    let go = workgroupUniformLoad(&shared_go) == 1u;
    var way = 0.0;
    if go {
        for (var b = thread; b < arrayLength(&flights); b += WORKGROUP) {
            for (var k = 0u; k < PUSH_WORDS; k++) {
                pushes[PUSH_WORDS * b + k] = 0u;
            }
            let shape = flight_shapes[b];
            if flights[b].clump.count != 0u {
                if step.progress == KICKS && flights[b].clump.sound != 0.0 {
                    let clump = drifted(flights[b], shape);
                    flights[b].clump = clump;
                    way = max(way, step.dt * (length(velocity_of(clump)) + length(clump.spin) * shape.center.w));
                }
                poses[b] = placed(poses[b], flights[b].clump, shape);
            } else if shape.servo.inverse_mass > 0.0 && step.progress != PRIMES {
                if step.progress == KICKS {
                    let servo = servo_drifted(flights[b].servo, shape.servo, step.elapsed, step.dt);
                    flights[b].servo = servo;
                    way = max(way, step.dt * abs(servo.middle_speed));
                }
                poses[b] = moved_on(poses[b], flights[b].servo, shape.servo.direction.xyz);
            }
        }
    }
    way = tree_max(thread, vec4(way)).x;
    if thread == 0u && go {
        step.wall_displacement += way;
    }
}
