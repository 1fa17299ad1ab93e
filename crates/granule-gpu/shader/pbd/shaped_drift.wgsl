// Moves bodies by their momenta and by the pushes on their particles, puts these where bodies have them, and adds up the loads: twin of
// `drift`, `put` and `add_loads` in solver/pbd/shaped.rs.

// Places of particles from the centre of mass, in the frame of the shape [m].
@group(0) @binding(3) var<storage, read> offsets: array<vec4<f32>>;
// Push of the step, and rotation vector.
@group(0) @binding(4) var<storage, read> way: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> places: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> position: array<vec4<f32>>;

// Farthest coordinate of a centre [m]: particles are within the range of positions then.
const FARTHEST_CENTER: f32 = 32700.0;

// What a rotation by a small vector adds to an orientation, in front of it.
fn change_by(q: vec4<f32>, angle: vec3<f32>) -> vec4<f32> {
    let size = length(angle);
    if !(size > 0.0) {
        return vec4(0.0);
    }
    let half = half_sine_and_cosine(size);
    let way = (half.x / size) * angle;
    let less = -half.x * half.x / (1.0 + half.y);
    return vec4(q.w * way + less * q.xyz + cross(way, q.xyz), q.w * less - dot(way, q.xyz));
}

// A body after the step, with the sum of pushes and that of their moments, both over the weight.
fn drifted(before: ShapedBody, pushed: vec3<f32>, turned: vec3<f32>) -> ShapedBody {
    var now = before;
    let moved = advance_position(center_of(before.clump), step.dt * velocity_of(before.clump));
    let apart = advance_position(moved.point, before.clump.inverse_mass * pushed);
    let free = rotate_freely(
        before.clump.turned,
        before.shape_from_principal,
        rotation_of_clump(before.clump),
        before.moments.xyz,
        step.dt,
    );
    now.clump = reoriented(before.clump, free.change);
    let angle = rates_of(before, turned / before.moments.w);
    now.clump = reoriented(now.clump, change_by(now.clump.turned, angle));
    now.clump.center_xy = vec4(apart.point.x, apart.point.y);
    now.clump.center_z = apart.point.z;
    let near = all(abs(position_meters(apart.point)) < vec3(FARTHEST_CENTER));
    let turns = all(abs(angle) < vec3(LARGEST)) && all(abs(free.change) < vec4(LARGEST));
    if before.clump.sound == 0.0 || !(moved.sound && apart.sound && near && turns) {
        now = before;
        now.clump.velocity_xy = vec4(0u);
        now.clump.velocity_z = vec2(0u);
        now.clump.rotation_xy = vec4(0u);
        now.clump.rotation_z = vec2(0u);
        now.clump.sound = 1.0;
        now.lost = 1u;
    }
    now.clump.spin = rates_of(now, rotation_of_clump(now.clump));
    return now;
}

fn put_member(body: ShapedBody, k: u32) {
    var point = place_of_member(body.clump, offsets[k].xyz).point;
    if PERIODIC {
        point = wrap_position(exact_domain(), point);
    }
    let i = members[k].row;
    places[2u * i] = vec4(point.x, point.y);
    places[2u * i + 1u] = vec4(point.z, bitcast<u32>(body.radius), pbd.first_member + k);
    position[i] = vec4(position_meters(point), body.radius);
    give_member(body, k, arm_of(body.clump, offsets[k].xyz));
}

@compute @workgroup_size(256)
fn shaped_drift(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if step.phase != SOLVED {
        return;
    }
    let before = bodies[workgroup.x];
    let end = before.clump.first + before.clump.count;
    var pushed = vec4(0.0);
    var turned = vec4(0.0);
    var force = vec4(0.0);
    var torque = vec4(0.0);
    for (var k = before.clump.first + thread; k < end; k += WORKGROUP) {
        let member = members[k];
        let push = way[3u * member.row].xyz;
        pushed += vec4(push, 0.0);
        turned += vec4(cross(member.arm, push), 0.0);
        force += vec4(member.impulse, 0.0);
        torque += vec4(cross(member.arm, member.impulse) + member.torque, 0.0);
    }
    pushed = tree_sum(thread, pushed);
    turned = tree_sum(thread, turned);
    force = tree_sum(thread, force);
    torque = tree_sum(thread, torque);
    var body = drifted(before, pushed.xyz / before.weight, turned.xyz / before.weight);
    body.force += step.inverse_dt * force;
    body.torque += step.inverse_dt * torque;
    for (var k = before.clump.first + thread; k < end; k += WORKGROUP) {
        put_member(body, k);
    }
    if thread == 0u {
        bodies[workgroup.x] = body;
    }
}
