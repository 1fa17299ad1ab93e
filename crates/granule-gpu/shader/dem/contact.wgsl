// The law of one contact: twins of solver/dem/contact. Models are those of a scene, numbers those of a pair of materials.

// 0 Hertz, 1 Hooke, 2 DMT, 3 JKR.
override NORMAL: u32 = 0u;
override VISCOELASTIC: bool = false;
override LIMIT_DAMPING: bool = false;
// 0 Mindlin with relaxation, 1 without, 2 linear, 3 viscous.
override TANGENTIAL: u32 = 0u;
override ROLLING: bool = false;
override TWISTING: bool = false;
override CAPILLARY: bool = false;

const PI: f32 = 3.1415927;
const TURNED: f32 = 1e-10;
// Keeps divisors above 0 whose quotient is not taken then.
const LEAST: f32 = 1e-37;
// Stands for the radius of contact where only liquid connects two.
const BRIDGE: f32 = -1.0;

struct Geometry {
    normal: vec3<f32>,
    overlap: f32,
    effective_radius: f32,
    radius_a: f32,
    radius_b: f32,
    arm_a: f32,
    arm_b: f32,
}

// Velocities and angular velocities of both partners.
struct PairMotion {
    velocity_a: vec3<f32>,
    velocity_b: vec3<f32>,
    spin_a: vec3<f32>,
    spin_b: vec3<f32>,
}

// Tangential spring and radius of contact; rolling spring and angle of twisting.
struct History {
    first: vec4<f32>,
    second: vec4<f32>,
}

struct Touch {
    force: vec3<f32>,
    torque_a: vec3<f32>,
    torque_b: vec3<f32>,
    history: History,
}

struct Bearing {
    force: f32,
    elastic: f32,
    damping: f32,
    bound: f32,
    contact_radius: f32,
}

struct Slid {
    force: vec3<f32>,
    spring: vec3<f32>,
}

fn no_history() -> History {
    return History(vec4(0.0), vec4(0.0));
}

// Twin of `contact_sphere_sphere`.
fn contact_sphere_sphere(difference: vec3<f32>, radius_a: f32, radius_b: f32) -> Geometry {
    let distance = length(difference);
    var normal = vec3(0.0);
    if distance > 0.0 {
        normal = difference * (1.0 / distance);
    }
    let overlap = radius_a + radius_b - distance;
    let reduced = radius_a * radius_b / (radius_a + radius_b);
    return Geometry(normal, overlap, reduced, radius_a, radius_b, radius_a - 0.5 * overlap, radius_b - 0.5 * overlap);
}

// Twin of `contact_sphere_wall`.
fn contact_sphere_wall(normal: vec3<f32>, distance: f32, radius: f32, curvature: f32) -> Geometry {
    return Geometry(normal, radius - distance, radius / (1.0 + radius * curvature), radius, 0.0, radius, 0.0);
}

// Cube root of a number that is not negative.
fn cube_root(x: f32) -> f32 {
    if !(x > 1e-37) {
        return 0.0;
    }
    let root = exp2(log2(x) / 3.0);
    return root - (root - x / (root * root)) / 3.0;
}

// Twin of `jkr_relative_radius`.
fn jkr_relative_radius(d: f32) -> f32 {
    let t1 = 266.47932;
    let t2 = 8.0 * d * d * d;
    let t4 = cube_root(t1 + t2 + 16.324194 * sqrt(max(t1 + t2 + t2, 0.0)));
    let t5 = 4.0 * d * d / t4 + t4;
    let t6 = sqrt(max(d + d + t5, 0.0));
    let rest = 4.0 * d - t5 + 46.171794 / t6;
    let a = (t6 + sqrt(max(rest, 0.0))) / 2.4494897;
    let s = sqrt(a);
    let linear = 3.5449077;
    let slope = 4.0 * s * a - linear;
    if slope > linear {
        let better = s - (a * a - linear * s - d) / slope;
        return better * better;
    }
    return a;
}

// Twin of `pull_off_distance`.
fn pull_off_distance(law: Law, effective_radius: f32) -> f32 {
    if NORMAL != 3u {
        return 0.0;
    }
    let ratio = law.surface_energy / law.stiffness;
    return cube_root(1.8505508 * effective_radius * ratio * ratio);
}

// Twin of `normal_force`.
fn normal_force(law: Law, overlap: f32, effective_radius: f32, effective_mass: f32, speed: f32) -> Bearing {
    let depth = max(overlap, 0.0);
    var a = sqrt(effective_radius * depth);
    var secant = 1.3333334 * law.stiffness * a;
    var elastic = secant * depth;
    var pull_off = 0.0;
    if NORMAL == 1u {
        secant = law.stiffness;
        elastic = secant * depth;
    } else if NORMAL == 2u {
        pull_off = 12.566371 * law.surface_energy * effective_radius;
        elastic -= pull_off;
    } else if NORMAL == 3u {
        let scale = cube_root(law.surface_energy * effective_radius * (effective_radius / law.stiffness));
        let relative = jkr_relative_radius(overlap * effective_radius / (scale * scale));
        let power = relative * sqrt(relative);
        elastic = law.surface_energy * effective_radius * power * (1.3333334 * power - 7.0898154);
        a = scale * relative;
        secant = 1.3333334 * law.stiffness * a;
        pull_off = 9.424778 * law.surface_energy * effective_radius;
    }
    var damping = law.damping_factor * sqrt(effective_mass * secant);
    if VISCOELASTIC {
        damping = law.damping_factor * effective_mass * a;
    }
    var force = elastic - damping * speed;
    if LIMIT_DAMPING {
        force = max(force, 0.0);
    }
    var bound = abs(force);
    if NORMAL >= 2u {
        bound = abs(elastic + pull_off + pull_off);
    }
    return Bearing(force, elastic, damping, bound, a);
}

// Twin of `turn_into_plane`.
fn turn_into_plane(spring: vec3<f32>, normal: vec3<f32>, stiffness: f32, limit: f32) -> vec3<f32> {
    let out = dot(spring, normal);
    let flat = spring - out * normal;
    let remains = length(flat);
    let stretch = select(0.0, length(spring) / max(remains, LEAST), remains > 0.0);
    let leaves = abs(out) * stiffness > TURNED * limit;
    return select(1.0, stretch, leaves) * select(spring, flat, leaves);
}

// Twin of `slide`.
fn slide(trial: vec3<f32>, dashpot: vec3<f32>, spring: vec3<f32>, stiffness: f32, limit: f32) -> Slid {
    let size = length(trial);
    let slips = size > limit;
    let stretched = dot(spring, spring) > 0.0;
    // What is left of the trial force: all of it, what friction bears, or nothing where only the dashpot pulls.
    let share = select(1.0, select(0.0, limit / max(size, LEAST), stretched), slips);
    let left = share * trial;
    let relaxed = (1.0 / max(stiffness, LEAST)) * (left - dashpot);
    return Slid(-left, select(spring, relaxed, slips && stretched));
}

// Twin of `tangential_force`.
fn tangential_force(
    law: Law,
    normal: vec3<f32>,
    velocity: vec3<f32>,
    bearing: Bearing,
    history: vec4<f32>,
    dt: f32,
) -> Slid {
    let limit = law.friction * bearing.bound;
    var slid = Slid(vec3(0.0), vec3(0.0));
    if TANGENTIAL == 3u {
        let speed = length(velocity);
        if speed > 0.0 {
            slid.force = -(min(limit, law.tangential_stiffness * speed) / speed) * velocity;
        }
    } else {
        var stiffness = law.tangential_stiffness;
        if TANGENTIAL < 2u {
            stiffness *= bearing.contact_radius;
        }
        var spring = history.xyz;
        if TANGENTIAL == 0u && bearing.contact_radius < history.w {
            spring *= bearing.contact_radius / history.w;
        }
        spring = turn_into_plane(spring, normal, stiffness, limit) + dt * velocity;
        let dashpot = (law.damping_ratio * bearing.damping) * velocity;
        slid = slide(stiffness * spring + dashpot, dashpot, spring, stiffness, limit);
    }
    return slid;
}

// Twin of `rolling_force`.
fn rolling_force(
    law: Law,
    normal: vec3<f32>,
    velocity: vec3<f32>,
    bound: f32,
    before: vec3<f32>,
    dt: f32,
) -> Slid {
    let limit = law.rolling_friction * bound;
    let spring = turn_into_plane(before, normal, law.rolling_stiffness, limit) + dt * velocity;
    let dashpot = law.rolling_damping * velocity;
    return slide(law.rolling_stiffness * spring + dashpot, dashpot, spring, law.rolling_stiffness, limit);
}

// Twin of `twisting_torque`: torque along the normal, and the angle of the spring.
fn twisting_torque(law: Law, speed: f32, bound: f32, before: f32, dt: f32) -> vec2<f32> {
    let limit = law.twisting_friction * bound;
    let angle = before + speed * dt;
    let dashpot = law.twisting_damping * speed;
    var result = vec2(-(law.twisting_stiffness * angle) - dashpot, angle);
    if abs(result.x) > limit {
        let signed = sign(speed) * limit;
        result = vec2(-signed, (signed - dashpot) / law.twisting_stiffness);
    }
    return result;
}

// Twin of `bridge_force`.
fn bridge_force(law: Law, effective_radius: f32, gap: f32) -> f32 {
    let radius = effective_radius + effective_radius;
    let s = max(gap, 0.0) * sqrt(radius / law.liquid_volume);
    return 6.2831855 * radius * law.liquid_tension / (1.0 + 1.05 * s + 2.5 * s * s);
}

// Twin of `contact_loads`: force on a, of which b gets the opposite, torques on both, and what the contact remembers.
fn contact_loads(
    law: Law,
    geometry: Geometry,
    effective_mass: f32,
    motion: PairMotion,
    dt: f32,
    before: History,
) -> Touch {
    let normal = geometry.normal;
    var touch = Touch(vec3(0.0), vec3(0.0), vec3(0.0), no_history());
    var neck = 0.0;
    if before.first.w > 0.0 {
        neck = -pull_off_distance(law, geometry.effective_radius);
    }
    if geometry.overlap > neck {
        let v = motion.velocity_a - motion.velocity_b;
        let surface = geometry.radius_a * motion.spin_a + geometry.radius_b * motion.spin_b;
        let spin = motion.spin_a - motion.spin_b;
        let along = dot(v, normal);
        let across = (v - along * normal) - cross(surface, normal);
        let bearing =
            normal_force(law, geometry.overlap, geometry.effective_radius, effective_mass, along);
        let slid = tangential_force(law, normal, across, bearing, before.first, dt);
        let turning = cross(slid.force, normal);
        touch.force = bearing.force * normal + slid.force;
        touch.torque_a = geometry.arm_a * turning;
        touch.torque_b = geometry.arm_b * turning;
        touch.history.first = vec4(slid.spring, bearing.contact_radius);
        if ROLLING {
            let rolls = geometry.effective_radius * cross(spin, normal);
            let rolled = rolling_force(law, normal, rolls, bearing.bound, before.second.xyz, dt);
            let torque = geometry.effective_radius * cross(normal, rolled.force);
            touch.torque_a += torque;
            touch.torque_b -= torque;
            touch.history.second = vec4(rolled.spring, 0.0);
        }
        if TWISTING {
            let twisted = twisting_torque(law, dot(spin, normal), bearing.bound, before.second.w, dt);
            touch.torque_a += twisted.x * normal;
            touch.torque_b -= twisted.x * normal;
            touch.history.second.w = twisted.y;
        }
    }
    if CAPILLARY {
        let gap = -geometry.overlap;
        let known = before.first.w != 0.0 || touch.history.first.w != 0.0;
        if known && gap < law.rupture_distance {
            touch.force -= bridge_force(law, geometry.effective_radius, gap) * normal;
            if !(touch.history.first.w > 0.0) {
                touch.history.first.w = BRIDGE;
            }
        }
    }
    return touch;
}
