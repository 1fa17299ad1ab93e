// Corrects the impulses of contacts with walls once: twin of sweep_walls in solver/pbd/wall_solve.rs. The last pass of a step leaves
// forces behind.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read_write> motion: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> touches: array<WallTouch>;
@group(0) @binding(3) var<storage, read> wall_steps: array<WallStep>;

// Whether it is the last pass over walls.
override LAST: bool = false;

fn contact_at_wall(law: Law, normal: vec3<f32>, now: WallStep, own: AtWall, connected: f32) -> Contact {
    let mass = own.velocity.w;
    let radius = own.spin.w;
    var rolling_mass = 0.0;
    if ROTATION {
        rolling_mass = 1.0 / (5.0 * mass / (radius * radius) + now.gives.z);
    }
    return Contact(
        normal,
        -max(now.gap, 0.0) * step.inverse_dt,
        1.0 / (mass + now.gives.x),
        1.0 / (mass / tangential_share(law.rolling) + now.gives.y),
        rolling_mass,
        law.friction,
        law.rolling * radius,
        step.dt * connected * TAU * radius * law.tension,
    );
}

@compute @workgroup_size(256)
fn pbd_sweep_walls(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    if number >= step.near_walls {
        return;
    }
    let first = first_touch_of(number);
    let i = touches[first].owner;
    let own_meta = metadata[i];
    let count = own_meta.w & ~NEAR_WALLS;
    var own = AtWall(motion[2u * i], motion[2u * i + 1u]);
    if count == 0u || !(own.velocity.w > 0.0) {
        return;
    }
    for (var k = 0u; k < count; k++) {
        let touch = touches[first + k];
        let now = wall_steps[number * MOST_TOUCHES + k];
        let normal = touch.normal.xyz;
        let law = wall_law(touch.wall, own_meta);
        var u = own.velocity.xyz - now.velocity;
        var rolls = vec3(0.0);
        if ROTATION {
            u -= now.arm * cross(own.spin.xyz, normal);
            rolls = own.spin.xyz - now.turning;
        }
        let old = impulse_of(touch.first, touch.second);
        let next = correct_contact(contact_at_wall(law, normal, now, own, touch.second.w), u, rolls, old);
        let change = Impulse(next.normal - old.normal, next.tangent - old.tangent, next.rolling - old.rolling);
        own = pushed_at_wall(own, normal, now.arm, change);
        let keeps = select(1.0, step.inverse_dt, LAST);
        touches[first + k].first = keeps * vec4(next.normal, next.tangent);
        touches[first + k].second = keeps * vec4(next.rolling, touch.second.w);
    }
    motion[2u * i] = own.velocity;
    motion[2u * i + 1u] = own.spin;
}
