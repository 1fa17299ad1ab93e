// Grains and walls; twin of upsample/contact.rs.

struct FineMotion {
    start: vec3<f32>,
    goal: vec3<f32>,
    velocity: vec3<f32>,
    // Share of the motion that is the grain's own.
    own: f32,
}

const STEPS: u32 = 64u;
const CONTACTS: u32 = 4u;
const TOUCH: f32 = 0.02;
const ALONG_WALL: f32 = 0.75;
const INTO: f32 = 1e-4;
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

// The motion that a wall allows; tells whether the grain touches it.
fn restrict_motion(k: u32, motion: ptr<function, FineMotion>, material_friction: f32) -> bool {
    let wall = fine_scene.walls[k];
    let start = in_pose(wall.start_rotation, wall.start_translation.xyz, (*motion).start);
    let goal = in_pose(wall.end_rotation, wall.end_translation.xyz, (*motion).goal);
    let radius = frame.radius;
    var gap = wall_distance(k, start) - radius;
    if gap > distance(start, goal) + radius * TOUCH {
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
    var touched = false;
    var contacts = 0u;
    for (var k_step = 0u; k_step < STEPS; k_step++) {
        var step = gap;
        if gap < TOUCH * radius {
            touched = true;
            let there = wall_nearest(k, place).normal;
            if dot(rest, there) < -INTO * length(rest) {
                met = true;
                normal = there;
                contacts++;
                rest = after_contact(rest, normal, friction);
                if contacts == CONTACTS {
                    break;
                }
            }
            step = max(abs(gap), ALONG_WALL * radius);
        }
        let size = length(rest);
        if size <= step {
            place += rest;
            break;
        }
        let part = rest * (step / size);
        place += part;
        rest -= part;
        gap = wall_distance(k, place) - radius;
    }
    for (var round = 0u; touched && round < CORRECTIONS; round++) {
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
