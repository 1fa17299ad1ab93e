// Tells contacts with free bodies how much these give way: with N of them, each as if the body had N times its inverse mass and
// inertia. Twin of share_bodies in solver/pbd/wall_solve.rs.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read> touches: array<WallTouch>;
@group(0) @binding(2) var<storage, read> pushes: array<u32>;
@group(0) @binding(3) var<storage, read> bodies: array<Body>;
@group(0) @binding(4) var<storage, read_write> wall_steps: array<WallStep>;

@compute @workgroup_size(256)
fn attach_touches(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    if number >= step.near_walls {
        return;
    }
    let first = first_touch_of(number);
    let count = metadata[touches[first].owner].w & ~NEAR_WALLS;
    for (var k = 0u; k < count; k++) {
        let touch = touches[first + k];
        let wall = touch.wall & 0xffffu;
        if wall < params.wall_count {
            continue;
        }
        let body = bodies[wall - params.wall_count];
        if !(body.center.w > 0.0) {
            continue;
        }
        let at = number * MOST_TOUCHES + k;
        let point = wall_steps[at].point;
        let turning = body.inertia_x.x + body.inertia_y.y + body.inertia_z.z;
        let response = vec3(response_along(body, point, touch.normal.xyz), largest_response(body, point), turning);
        wall_steps[at].gives = f32(pushes[PUSH_WORDS * wall + PUSH_CONTACTS]) * response;
    }
}
