// Lets pairs that met fast bounce, and forget the impulses of the impact. Twin of `bounce_pairs` in solver/pbd/sweep.rs.

@group(0) @binding(6) var<storage, read> pair_laws: array<u32>;
@group(0) @binding(7) var<storage, read> approaches: array<f32>;

fn solve_pair(p: u32) {
    let pair = pairs[p];
    if (pair.x & ACTIVE) == 0u {
        return;
    }
    var law = 0u;
    if SEVERAL_MATERIALS || SHAPED {
        law = pair_laws[p];
    }
    let restitution = laws[law].restitution;
    let approach = approaches[p];
    if restitution == 0.0 || approach > -bounce_speed() || impulses[2u * p].x <= 0.0 {
        return;
    }
    let i = pair.x & ~ACTIVE;
    let j = pair.y & ~PULLS;
    let normal = geometry[p].xyz;
    var sides = sides_of(i, j);
    let mass = vec2(sides.velocity_i.w, sides.velocity_j.w);
    let along = dot(sides.velocity_i.xyz - sides.velocity_j.xyz, normal);
    let size = max(-restitution * approach - along, 0.0) / (mass.x + mass.y);
    sides.velocity_i += vec4(mass.x * size * normal, 0.0);
    sides.velocity_j -= vec4(mass.y * size * normal, 0.0);
    write_sides(i, j, sides);
    impulses[2u * p] = vec4(0.0);
    impulses[2u * p + 1u] = vec4(vec3(0.0), impulses[2u * p + 1u].w);
}
