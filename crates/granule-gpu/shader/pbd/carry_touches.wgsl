// Lets contacts with free bodies move as these do now: twin of motion_of in solver/pbd/wall_solve.rs.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read> touches: array<WallTouch>;
@group(0) @binding(2) var<storage, read> bodies: array<Body>;
@group(0) @binding(3) var<storage, read_write> wall_steps: array<WallStep>;

@compute @workgroup_size(256)
fn carry_touches(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    if number >= step.near_walls {
        return;
    }
    let first = first_touch_of(number);
    let count = metadata[touches[first].owner].w & ~NEAR_WALLS;
    for (var k = 0u; k < count; k++) {
        let wall = touches[first + k].wall & 0xffffu;
        if wall < params.wall_count {
            continue;
        }
        let body = bodies[wall - params.wall_count];
        if body.center.w > 0.0 {
            let at = number * MOST_TOUCHES + k;
            wall_steps[at].velocity = body_velocity_at(body, wall_steps[at].point);
            wall_steps[at].turning = body.angular.xyz;
        }
    }
}
