// Lets grains that met a wall fast bounce, and forget the impulses of the impact: twin of bounce_walls in
// solver/pbd/wall_solve.rs. Leaves forces behind, and the impulses that bodies and walls have felt.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read_write> motion: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> touches: array<WallTouch>;
@group(0) @binding(3) var<storage, read_write> wall_steps: array<WallStep>;

@compute @workgroup_size(256)
fn pbd_bounce_walls(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    if number >= step.near_walls {
        return;
    }
    let first = first_touch_of(number);
    let i = touches[first].owner;
    let own_meta = metadata[i];
    let count = own_meta.w & ~NEAR_WALLS;
    var own = motion[2u * i];
    if count == 0u || !(own.w > 0.0) {
        return;
    }
    for (var k = 0u; k < count; k++) {
        let touch = touches[first + k];
        let now = wall_steps[number * MOST_TOUCHES + k];
        let normal = touch.normal.xyz;
        let law = wall_law(touch.wall, own_meta);
        var keeps = step.inverse_dt;
        var bounced = 0.0;
        if law.restitution > 0.0 && now.approach <= -bounce_speed() && touch.first.x > 0.0 {
            let along = dot(own.xyz - now.velocity, normal);
            let missing = max(-law.restitution * now.approach - along, 0.0);
            bounced = missing / (own.w + now.gives.x);
            own += vec4(own.w * bounced * normal, 0.0);
            if bounced > 0.0 {
                keeps = 0.0;
            }
        }
        let at = number * MOST_TOUCHES + k;
        wall_steps[at].velocity = (touch.first.x + bounced) * normal + touch.first.yzw;
        wall_steps[at].turning = touch.second.xyz;
        touches[first + k].first = keeps * touch.first;
        touches[first + k].second = keeps * touch.second;
    }
    motion[2u * i] = own;
}
