// What contacts with walls are like within a step, beside what they remember: four records for each place.

struct WallStep {
    // Velocity of the wall there, after bounces the impulse on the grain; gap at the beginning of the step.
    velocity: vec3<f32>,
    gap: f32,
    // Angular velocity of the wall, after bounces the impulse against rolling; from the grain's centre to where it touches.
    turning: vec3<f32>,
    arm: f32,
    // What a body that gives way adds to the inverse masses along the normal and across it, and to the inverse inertia.
    gives: vec3<f32>,
    // Velocity along the normal at the beginning of the step.
    approach: f32,
    // Where the grain touches the wall, or would.
    point: vec3<f32>,
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
