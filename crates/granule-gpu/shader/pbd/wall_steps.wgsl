// What contacts with walls are like within a step, beside what they remember: three records for each place.

struct WallStep {
    // Velocity of the wall there; gap at the beginning of the step.
    velocity: vec3<f32>,
    gap: f32,
    // Angular velocity of the wall; from the grain's centre to where it touches.
    turning: vec3<f32>,
    arm: f32,
    // Velocity along the normal at the beginning of the step.
    approach: f32,
}

// A grain at walls.
struct AtWall {
    velocity: vec4<f32>,
    spin: vec4<f32>,
}

// Twin of `Grain::push` in solver/pbd/wall_solve.rs.
fn pushed_at_wall(own: AtWall, normal: vec3<f32>, arm: f32, by: Impulse) -> AtWall {
    let mass = own.velocity.w;
    var pushed = own;
    pushed.velocity += vec4(mass * (by.normal * normal + by.tangent), 0.0);
    if ROTATION {
        let torque = by.rolling - arm * cross(normal, by.tangent);
        pushed.spin += vec4(2.5 * mass / (own.spin.w * own.spin.w) * torque, 0.0);
    }
    return pushed;
}

fn wall_law(wall: u32, own_meta: Meta) -> Law {
    return laws[pbd.wall_laws + (wall & 0xffffu) * pbd.material_count + material_of(own_meta)];
}
