// Wall contacts: twins of solver/walls.rs.

const MAX_SAMPLES: u32 = 8u;
override WALL_RELAXATION: f32 = 0.5;
const PUSH_OUT: f32 = 0.1;

struct Contact {
    // Unit normal out of the wall and distance.
    normal: vec4<f32>,
    // Velocity of the wall and its share of the kernel, lambda.
    velocity: vec4<f32>,
    // Frictional acceleration and acceleration along the normal.
    impulse: vec4<f32>,
    // Coefficient of friction, below 0 for the material's.
    friction: f32,
    // Number of the boundary, 16 bits, and of its wall.
    wall: u32,
    // Shares of a correction along the normal and across it: 1 at walls, less at bodies, which give way themselves.
    mass_splitting: vec2<f32>,
}

fn contact_boundary(contact: Contact) -> u32 {
    return contact.wall & 0xffffu;
}

const NO_BODY: u32 = 0xffffffffu;

// Number of the body that a contact is with; NO_BODY for walls.
fn contact_body(contact: Contact) -> u32 {
    let boundary = contact_boundary(contact);
    return select(NO_BODY, boundary - params.wall_count, boundary >= params.wall_count);
}

// Corrects a wall's impulses for a particle velocity and returns them: tangent and normal.
fn correct_contact(contact: Contact, velocity: vec3<f32>, mu: f32, inverse_dt: f32) -> vec4<f32> {
    let gap = contact.normal.w - params.radius;
    if gap >= params.radius {
        return vec4(0.0);
    }
    var least = -gap * inverse_dt;
    if gap <= 0.0 {
        least = min(-PUSH_OUT * gap * inverse_dt, params.push_out_speed);
    }
    let n = contact.normal.xyz;
    let relative = velocity - contact.velocity.xyz;
    let v_n = dot(relative, n);
    let share = contact.mass_splitting * WALL_RELAXATION * inverse_dt;
    let normal = max(contact.impulse.w - share.x * (v_n - least), 0.0);
    var tangent = contact.impulse.xyz - share.y * (relative - v_n * n);
    tangent -= dot(tangent, n) * n;
    let square = dot(tangent, tangent);
    let most = mu * normal;
    if square > most * most {
        tangent *= most / sqrt(square);
    }
    if !(dot(tangent, tangent) <= LARGEST) {
        tangent = vec3(0.0);
    }
    return vec4(tangent, normal);
}
