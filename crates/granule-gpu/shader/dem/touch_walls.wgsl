// Contacts of grains with walls: twin of solver/dem/walls.rs. Contacts stay in place as long as lists hold; a thread for each
// particle that has a place for some.

@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> spin: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> metadata: array<Meta>;
@group(0) @binding(6) var<storage, read_write> touches: array<WallTouch>;
@group(0) @binding(7) var<storage, read_write> loads: array<vec4<u32>>;

// Cosine of the largest angle by which a wall's normal turns from step to step.
const SAME_TOUCH: f32 = 0.7;
// Walls near a particle at a time.
const MOST_NEAR: u32 = 12u;

var<private> near_count: u32;
var<private> near: array<Surface, 12>;
var<private> near_solids: array<u32, 12>;
var<private> current_solid: u32;

// Takes a wall in the shape's frame.
fn accept(boundary: u32, surface: Surface) {
    if near_count < MOST_NEAR {
        near[near_count] = surface;
        near_solids[near_count] = current_solid;
        near_count++;
    }
}

// The contact of before that one of now goes on with, and is not taken yet: of the same wall, its normal turned least.
fn known_touch(first: u32, count: u32, taken: u32, wall: u32, normal: vec3<f32>) -> u32 {
    var best = NOBODY;
    var least_turn = SAME_TOUCH;
    for (var k = 0u; k < count; k++) {
        let turn = dot(touches[first + k].normal.xyz, normal);
        if (taken & (1u << k)) == 0u && touches[first + k].wall == wall && turn > least_turn {
            best = k;
            least_turn = turn;
        }
    }
    return best;
}

@compute @workgroup_size(256)
fn touch_walls(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    if number >= step.near_walls {
        return;
    }
    let first = step.wall_half * params.contact_capacity + number * MOST_TOUCHES;
    let i = touches[first].owner;
    let own_meta = metadata[i];
    let own_spin = spin[i];
    // Those that are held have no mass.
    if !(own_spin.w > 0.0) {
        return;
    }
    let own = place_of(places[2u * i], places[2u * i + 1u]);
    let x = position_meters(own.point);
    let v = velocity[i].xyz;
    let far = max(max(abs(x.x), abs(x.y)), abs(x.z));
    let reach = own.radius + dem.lasting + 1e-6 * (far + own.radius);
    let count = own_meta.w & ~NEAR_WALLS;
    var taken = 0u;
    var now: array<WallTouch, 8>;
    var found = 0u;
    var touching = 0.0;
    var force = vec3(0.0);
    var torque = vec3(0.0);
    for (var b = 0u; b < params.boundary_count; b++) {
        let pose = poses[b];
        let local = into_frame(pose, x);
        if is_beyond(pose, local, reach) {
            continue;
        }
        near_count = 0u;
        for (var s = 0u; s < pose.solids.y; s++) {
            current_solid = pose.solids.x + s;
            solid_walls(b, solid_table[current_solid], local, reach);
        }
        let law = laws[dem.wall_laws + b * dem.material_count + material_of(own_meta)];
        for (var k = 0u; k < near_count; k++) {
            let wall = exact_wall(pose, solid_table[near_solids[k]], near[k], own.point, local);
            let word = b | (near[k].face << 16u);
            var before = no_history();
            let known = known_touch(first, count, taken, word, wall.normal);
            if known != NOBODY {
                taken |= 1u << known;
                before = History(touches[first + known].first, touches[first + known].second);
            }
            // A wall that is rounder than the grain would touch it all around.
            let curvature = max(wall.curvature, -0.5 / own.radius);
            let geometry = contact_sphere_wall(wall.normal, wall.distance, own.radius, curvature);
            let point = x + wall.to_closest;
            let wall_velocity = pose.linear.xyz + cross(pose.angular.xyz, point - pose.pivot.xyz);
            let motion = PairMotion(v, wall_velocity, own_spin.xyz, vec3(0.0));
            let touch = contact_loads(law, geometry, 1.0 / own_spin.w, motion, step.dt, before);
            if touch.history.first.w == 0.0 {
                continue;
            }
            force += touch.force;
            torque += touch.torque_a;
            touching += select(0.0, 1.0, touch.history.first.w > 0.0);
            if found < MOST_TOUCHES {
                now[found] = WallTouch(
                    touch.history.first,
                    touch.history.second,
                    vec4(wall.normal, 0.0),
                    word,
                    i,
                    0u,
                    0u,
                );
                found++;
            }
        }
    }
    for (var k = 0u; k < found; k++) {
        touches[first + k] = now[k];
    }
    if found != count {
        metadata[i].w = NEAR_WALLS | found;
    }
    if found > 0u {
        let own_force = bitcast<vec4<f32>>(loads[2u * i]) + vec4(force, touching);
        loads[2u * i] = bitcast<vec4<u32>>(own_force);
        let second = loads[2u * i + 1u];
        loads[2u * i + 1u] = vec4(bitcast<vec3<u32>>(bitcast<vec3<f32>>(second.xyz) + torque), second.w);
    }
}
