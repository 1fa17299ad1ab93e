// The mathematics of one contact: twins of solver/pbd/contact.rs.

struct Impulse {
    normal: f32,
    tangent: vec3<f32>,
    rolling: vec3<f32>,
}

struct Contact {
    normal: vec3<f32>,
    least: f32,
    mass: f32,
    tangential_mass: f32,
    rolling_mass: f32,
    friction: f32,
    rolling: f32,
    hold: f32,
}

const ROLLING_SHARE: f32 = 0.16666667;
const TURNING_SHARE: f32 = 0.2857143;
const PUSH: f32 = 0.2;
const SLOP: f32 = 0.003;
const TOUCH: f32 = 0.01;
const REACH: f32 = 0.05;
const TAU: f32 = 6.2831855;

// Twin of `no_longer`.
fn no_longer(a: vec3<f32>, most: f32) -> vec3<f32> {
    let square = dot(a, a);
    if most * most < square {
        return (most / sqrt(square)) * a;
    }
    return a;
}

// Twin of `correct`.
fn correct_contact(contact: Contact, u: vec3<f32>, turning: vec3<f32>, old: Impulse) -> Impulse {
    let along = dot(u, contact.normal);
    let normal = max(old.normal - contact.mass * (along - contact.least), -contact.hold);
    let pressed = normal + contact.hold;
    let across = u - along * contact.normal;
    let tangent = old.tangent - contact.tangential_mass * across;
    let rolling = old.rolling - contact.rolling_mass * turning;
    return Impulse(
        normal,
        no_longer(tangent, contact.friction * pressed),
        no_longer(rolling, contact.rolling * pressed),
    );
}

// Twin of `push`.
fn push_apart(gap: f32, diameter: f32, most: f32) -> f32 {
    let deep = -gap - SLOP * diameter;
    return max(min(PUSH * deep, most), 0.0);
}

// An impulse from the two records that remember it; the last number says whether a pull connects.
fn impulse_of(along: vec4<f32>, turning: vec4<f32>) -> Impulse {
    return Impulse(along.x, along.yzw, turning.xyz);
}

// Share of the mass along the normal that friction feels.
fn tangential_share(rolling: f32) -> f32 {
    if !ROTATION {
        return 1.0;
    }
    return select(TURNING_SHARE, ROLLING_SHARE, rolling > 0.0);
}

// Slowest impact that bounces [m/s]: twin of `bounce_speed` in solver/pbd/params.rs.
fn bounce_speed() -> f32 {
    return 4.0 * length(params.gravity.xyz) * step.dt;
}
