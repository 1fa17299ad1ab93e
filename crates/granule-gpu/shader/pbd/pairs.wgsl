// Pairs of grains as passes over colours see them.

// Places of the keeper, with the mark ACTIVE, and of its partner, with the mark PULLS.
@group(0) @binding(0) var<storage, read> pairs: array<vec2<u32>>;
// From the partner to the keeper; gap at the beginning of the step.
@group(0) @binding(1) var<storage, read> geometry: array<vec4<f32>>;
// Impulses along the normal and across it; against rolling, and whether a pull connects the two.
@group(0) @binding(2) var<storage, read_write> impulses: array<vec4<f32>>;
// Velocity and inverse mass, angular velocity and radius.
@group(0) @binding(3) var<storage, read_write> motion: array<vec4<f32>>;

// Both sides of a pair.
struct Sides {
    velocity_i: vec4<f32>,
    velocity_j: vec4<f32>,
    spin_i: vec4<f32>,
    spin_j: vec4<f32>,
}

fn sides_of(i: u32, j: u32) -> Sides {
    return Sides(motion[2u * i], motion[2u * j], motion[2u * i + 1u], motion[2u * j + 1u]);
}

// Grains that are held stay as they are.
fn write_sides(i: u32, j: u32, sides: Sides) {
    if sides.velocity_i.w > 0.0 {
        motion[2u * i] = sides.velocity_i;
        if ROTATION {
            motion[2u * i + 1u] = sides.spin_i;
        }
    }
    if sides.velocity_j.w > 0.0 {
        motion[2u * j] = sides.velocity_j;
        if ROTATION {
            motion[2u * j + 1u] = sides.spin_j;
        }
    }
}

// Both sides under an impulse at the point of contact and one against rolling: twin of `Sides::push`.
fn pushed_sides(sides: Sides, normal: vec3<f32>, arm: vec2<f32>, by: Impulse) -> Sides {
    let mass = vec2(sides.velocity_i.w, sides.velocity_j.w);
    let whole = by.normal * normal + by.tangent;
    var pushed = sides;
    pushed.velocity_i += vec4(mass.x * whole, 0.0);
    pushed.velocity_j -= vec4(mass.y * whole, 0.0);
    if ROTATION {
        let twist = cross(normal, by.tangent);
        let radius = vec2(sides.spin_i.w, sides.spin_j.w);
        let inertia = 2.5 * mass / (radius * radius);
        pushed.spin_i += vec4(inertia.x * (by.rolling - arm.x * twist), 0.0);
        pushed.spin_j -= vec4(inertia.y * (by.rolling + arm.y * twist), 0.0);
    }
    return pushed;
}
