// Skins of grains: how far each may move before lists are made anew. Twin of
// `way`, `skin_steps`, `skin`, `path`, `used` and `used_aside` in solver/pbd/params.rs. A path is where a grain may be from where it was
// listed, as in solver/pbd/path.rs: a way, and its radius and how far it may leave the way.

// Steps that lists are made for, at least and at most.
const LEAST_STEPS: f32 = 2.0;
const MOST_STEPS: f32 = 12.0;
// Share of its skin by which a grain may leave its way aside.
const ASIDE: f32 = 0.3;
// Ways that are shorter than this share of the least skin count as none.
const SHORTEST_WAY: f32 = 0.5;

// How far a grain may go at most in a step that it begins at a speed [m].
fn way_of(speed: f32) -> f32 {
    return (speed + pbd.gravity * step.dt) * step.dt;
}

// Steps that lists are made for where grains have this speed on average.
fn skin_steps_of(mean: f32) -> f32 {
    return clamp(pbd.mean_skin / way_of(mean), LEAST_STEPS, MOST_STEPS);
}

// The skin of a grain that goes so far in a step [m].
fn skin_of(way: f32) -> f32 {
    return clamp(step.skin_steps * way, pbd.least_skin, pbd.most_skin);
}

// The way along which a grain is listed that has a velocity.
fn path_of(velocity: vec3<f32>, radius: f32) -> vec4<f32> {
    let speed = length(velocity);
    let skin = skin_of(way_of(speed));
    let aside = min(max(ASIDE * skin, pbd.least_skin), skin);
    let along = skin - aside;
    if along > SHORTEST_WAY * pbd.least_skin && speed > 0.0 {
        return vec4((along / speed) * velocity, radius + aside);
    }
    return vec4(vec3(0.0), radius + skin);
}

// What share of its skin something has used up.
fn used_skin(moved: f32, way: f32, skin: f32) -> f32 {
    return (moved + min(way, 0.9 * skin)) / skin;
}

// How far from its way a grain is that has moved so far since it was listed.
fn aside_of(way: vec3<f32>, moved: vec3<f32>) -> f32 {
    let share = clamp(dot(moved, way) / max(dot(way, way), 1e-30), 0.0, 1.0);
    return length(moved - share * way);
}

// What share of its skin a grain has used up that is listed along a path.
fn used_aside(path: vec4<f32>, radius: f32, moved: vec3<f32>, velocity: vec3<f32>) -> f32 {
    let skin = path.w - radius;
    let speed = length(velocity);
    if all(path.xyz == vec3(0.0)) {
        return used_skin(length(moved), way_of(speed), skin);
    }
    let next = min(length(path.xyz) + 0.9 * skin, step.dt * speed) / max(speed, 1e-20);
    let aside = max(aside_of(path.xyz, moved), aside_of(path.xyz, moved + next * velocity));
    return (aside + way_of(0.0)) / skin;
}
