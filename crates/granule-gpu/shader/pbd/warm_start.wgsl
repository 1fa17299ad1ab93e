// Gives grains the impulses of the step before, and finds how far overlaps push them. Twin of `warm_start` in
// solver/pbd/sweep.rs.

// Push of a step, and rotation vector since lists were made.
@group(0) @binding(6) var<storage, read_write> way: array<vec4<f32>>;

fn solve_pair(p: u32) {
    let pair = pairs[p];
    if (pair.x & ACTIVE) == 0u {
        return;
    }
    let i = pair.x & ~ACTIVE;
    let j = pair.y;
    let g = geometry[p];
    let sides = sides_of(i, j);
    let radius = vec2(sides.spin_i.w, sides.spin_j.w);
    let by = impulse_of(impulses[2u * p], impulses[2u * p + 1u]);
    write_sides(i, j, pushed_sides(sides, g.xyz, arms_of(radius, g.w), by));
    let size = pair_diameter(radius);
    let deep = push_apart(g.w, size, pbd.push_speed * step.dt * sqrt(size));
    if deep > 0.0 {
        let mass = vec2(sides.velocity_i.w, sides.velocity_j.w);
        let share = deep / (mass.x + mass.y);
        if mass.x > 0.0 {
            way[2u * i] += vec4((share * mass.x) * g.xyz, 0.0);
        }
        if mass.y > 0.0 {
            way[2u * j] -= vec4((share * mass.y) * g.xyz, 0.0);
        }
    }
}

@compute @workgroup_size(256)
fn warm_start_colour(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    run_colour(workgroup, thread);
}

@compute @workgroup_size(256)
fn warm_start_tail(@builtin(local_invocation_index) thread: u32) {
    run_tail(thread);
}
