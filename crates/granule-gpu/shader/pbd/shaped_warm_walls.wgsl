// Gives particles of bodies the impulses of the step before at walls, once it is known how heavy they are: twin of warm_start_walls in
// solver/pbd/wall_solve.rs.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read_write> motion: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> touches: array<WallTouch>;
@group(0) @binding(3) var<storage, read> wall_steps: array<WallStep>;

@compute @workgroup_size(256)
fn shaped_warm_walls(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    if number >= step.near_walls {
        return;
    }
    let first = first_touch_of(number);
    let i = touches[first].owner;
    let count = metadata[i].w & ~NEAR_WALLS;
    if count == 0u || (metadata[i].y & OF_BODY) == 0u {
        return;
    }
    var own = AtWall(motion[2u * i], motion[2u * i + 1u]);
    for (var k = 0u; k < count; k++) {
        let touch = touches[first + k];
        let arm = wall_steps[number * MOST_TOUCHES + k].arm;
        own = pushed_at_wall(own, touch.normal.xyz, arm, impulse_of(touch.first, touch.second));
    }
    motion[2u * i] = own.velocity;
    motion[2u * i + 1u] = own.spin;
}
