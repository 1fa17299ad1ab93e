// Corrects the impulses of pairs once. Twin of `sweep` in solver/pbd/sweep.rs.

@group(0) @binding(6) var<storage, read> pair_laws: array<u32>;

fn contact_of(p: u32, sides: Sides, g: vec4<f32>, connected: f32) -> Contact {
    let mass = vec2(sides.velocity_i.w, sides.velocity_j.w);
    let radius = vec2(sides.spin_i.w, sides.spin_j.w);
    var number = 0u;
    if SEVERAL_MATERIALS || SHAPED {
        number = pair_laws[p];
    }
    let law = laws[number];
    let along = 1.0 / (mass.x + mass.y);
    var rolling_mass = 0.0;
    if ROTATION {
        let inertia = mass / (radius * radius);
        rolling_mass = 0.2 / (inertia.x + inertia.y);
    }
    let pull = TAU * min(radius.x, radius.y) * law.tension;
    return Contact(
        g.xyz,
        -max(g.w, 0.0) * step.inverse_dt,
        along,
        along * tangential_share(law.rolling),
        rolling_mass,
        law.friction,
        law.rolling * 0.5 * pair_diameter(radius),
        pull * connected * step.dt,
    );
}

fn solve_pair(p: u32) {
    let pair = pairs[p];
    if (pair.x & ACTIVE) == 0u {
        return;
    }
    let i = pair.x & ~ACTIVE;
    let j = pair.y & ~PULLS;
    let g = geometry[p];
    let sides = sides_of(i, j);
    let arm = arms_of(vec2(sides.spin_i.w, sides.spin_j.w), g.w);
    let turning = impulses[2u * p + 1u];
    let old = impulse_of(impulses[2u * p], turning);
    var u = sides.velocity_i.xyz - sides.velocity_j.xyz;
    var rolls = vec3(0.0);
    if ROTATION {
        u -= cross(arm.x * sides.spin_i.xyz + arm.y * sides.spin_j.xyz, g.xyz);
        rolls = sides.spin_i.xyz - sides.spin_j.xyz;
    }
    let now = correct_contact(contact_of(p, sides, g, turning.w), u, rolls, old);
    let change = Impulse(now.normal - old.normal, now.tangent - old.tangent, now.rolling - old.rolling);
    write_sides(i, j, pushed_sides(sides, g.xyz, arm, change));
    impulses[2u * p] = vec4(now.normal, now.tangent);
    impulses[2u * p + 1u] = vec4(now.rolling, turning.w);
}
