// Grains and walls; twin of upsample/contact.rs.

struct FineMotion {
    start: vec3<f32>,
    goal: vec3<f32>,
    velocity: vec3<f32>,
    // Share of the motion that is the grain's own.
    own: f32,
}

const SLIDES: u32 = 4u;
const MARCHES: u32 = 48u;
const TOUCH: f32 = 0.02;
const CORRECTIONS: u32 = 4u;

fn after_contact(velocity: vec3<f32>, normal: vec3<f32>, friction: f32) -> vec3<f32> {
    let into = dot(velocity, normal);
    if into >= 0.0 {
        return velocity;
    }
    let along = velocity - normal * into;
    let speed = length(along);
    let lost = friction * -into;
    if speed <= lost {
        return vec3(0.0);
    }
    return along * (1.0 - lost / speed);
}

// How far a grain gets along a direction, and the normal of the wall that ends its way.
struct March {
    at: f32,
    normal: vec3<f32>,
    met: bool,
}

fn march(wall: u32, place: vec3<f32>, direction: vec3<f32>, size: f32) -> March {
    let radius = frame.radius;
    var at = 0.0;
    for (var k = 0u; k < MARCHES; k++) {
        let x = place + direction * at;
        let gap = wall_distance(wall, x) - radius;
        var step = gap;
        if gap < TOUCH * radius {
            let normal = wall_nearest(wall, x).normal;
            if dot(direction, normal) < 0.0 {
                return March(at, normal, true);
            }
            step = max(abs(gap), 0.25 * radius);
        }
        at += step;
        if at >= size {
            return March(size, vec3(0.0), false);
        }
    }
    return March(at, vec3(0.0), false);
}

// The motion that a wall allows; tells whether the grain touches it.
fn restrict_motion(k: u32, motion: ptr<function, FineMotion>, material_friction: f32) -> bool {
    let wall = fine_scene.walls[k];
    let start = in_pose(wall.start_rotation, wall.start_translation.xyz, (*motion).start);
    let goal = in_pose(wall.end_rotation, wall.end_translation.xyz, (*motion).goal);
    let radius = frame.radius;
    if wall_distance(k, start) > distance(start, goal) + radius * (1.0 + TOUCH) {
        return false;
    }
    var friction = wall.start_translation.w;
    if friction < 0.0 {
        friction = material_friction;
    }
    friction *= (*motion).own;
    var place = start;
    var rest = goal - start;
    var normal = vec3(0.0);
    var met = false;
    for (var slide = 0u; slide < SLIDES; slide++) {
        let size = length(rest);
        if size <= 1e-4 * radius {
            place += rest;
            break;
        }
        let direction = rest / size;
        let found = march(k, place, direction, size);
        place += direction * found.at;
        if !found.met {
            break;
        }
        met = true;
        normal = found.normal;
        rest = after_contact(direction * (size - found.at), normal, friction);
    }
    for (var round = 0u; round < CORRECTIONS; round++) {
        let surface = wall_nearest(k, place);
        if surface.distance >= radius * (1.0 - 1e-3) {
            break;
        }
        place += surface.normal * (radius - surface.distance);
        normal = surface.normal;
        met = true;
    }
    if !met {
        return false;
    }
    let to = out_of_pose(wall.end_rotation, wall.end_translation.xyz, place);
    let carried = (to - out_of_pose(wall.start_rotation, wall.start_translation.xyz, place)) / frame.gravity.w;
    (*motion).goal = to;
    (*motion).velocity =
        carried + after_contact((*motion).velocity - carried, rotate(wall.end_rotation, normal), friction);
    return true;
}
