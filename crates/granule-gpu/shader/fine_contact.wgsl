// Grains and walls; twin of upsample/contact.rs.

struct FineMotion {
    start: vec3<f32>,
    goal: vec3<f32>,
    velocity: vec3<f32>,
    // Share of the motion that is the grain's own flight.
    flight_share: f32,
}

const STEPS: u32 = 64u;
const CONTACTS: u32 = 4u;
const TOUCH: f32 = 0.02;
const ALONG_WALL: f32 = 0.75;
const AHEAD: f32 = 0.25;
const INTO: f32 = 1e-4;
const SUNK: f32 = 1e-3;
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

// The motion that a wall allows; tells whether it changed it. Twin of Wall::restrict: first whether the path is free, then
// from the start again along the wall. Both in one loop, as functions are best called from few places.
fn restrict_motion(k: u32, motion: ptr<function, FineMotion>, radius: f32, material_friction: f32) -> bool {
    let wall = fine_scene.walls[k];
    let start = in_pose(wall.start_rotation, wall.start_translation.xyz, (*motion).start);
    let goal = in_pose(wall.end_rotation, wall.end_translation.xyz, (*motion).goal);
    var friction = wall.start_translation.w;
    if friction < 0.0 {
        friction = material_friction;
    }
    friction *= (*motion).flight_share;
    let displacement = goal - start;
    let path_length = length(displacement);
    var position = start;
    var rest = displacement;
    var normal = vec3(0.0);
    var met = false;
    var contacts = 0u;
    var looks_ahead = true;
    var at = 0.0;
    var start_gap = 0.0;
    var steps = 0u;
    loop {
        var gap = wall_distance(k, position) - radius;
        if looks_ahead {
            if steps == 0u {
                start_gap = gap;
            }
            steps++;
            let sunk = gap < -SUNK * radius;
            if !sunk && path_length - at <= max(gap, 0.0) {
                return false;
            }
            if !sunk && steps < STEPS {
                at = min(at + max(gap, ALONG_WALL * radius), path_length);
                position = start + displacement * (at / path_length);
                continue;
            }
            if friction == 0.0 && path_length <= ALONG_WALL * radius && start_gap >= -SUNK * radius {
                // Without friction all that a wall does to a short displacement is to keep its end outside.
                position = goal;
                rest = vec3(0.0);
                break;
            }
            looks_ahead = false;
            steps = 0u;
            position = start;
            gap = start_gap;
        }
        steps++;
        var step = max(gap, AHEAD * radius);
        if gap < TOUCH * radius {
            let there = wall_nearest(k, position).normal;
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
            position += rest;
            rest = vec3(0.0);
            break;
        }
        let part = rest * (step / size);
        position += part;
        rest -= part;
        if steps == STEPS {
            break;
        }
    }
    // Steps have run out: as good as a contact.
    let given_up = !met && any(rest != vec3(0.0));
    for (var round = 0u; round < CORRECTIONS; round++) {
        let surface = wall_nearest(k, position);
        if round == 0u && given_up {
            normal = surface.normal;
            met = true;
        }
        if surface.distance >= radius * (1.0 - SUNK) {
            break;
        }
        position += surface.normal * (radius - surface.distance);
        normal = surface.normal;
        met = true;
    }
    if !met {
        return false;
    }
    let to = out_of_pose(wall.end_rotation, wall.end_translation.xyz, position);
    let carried = (to - out_of_pose(wall.start_rotation, wall.start_translation.xyz, position)) / frame.gravity.w;
    (*motion).goal = to;
    (*motion).velocity =
        carried + after_contact((*motion).velocity - carried, rotate(wall.end_rotation, normal), friction);
    return true;
}
