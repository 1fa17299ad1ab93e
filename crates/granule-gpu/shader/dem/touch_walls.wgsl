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

// Whether forces on bodies or walls are asked for.
override PUSHES: bool = false;

// The contact of before that one of now goes on with, and is not taken yet: of the same wall, its normal turned least. Where
// `same_feature` is set, of the same face, edge or vertex of a mesh as well.
fn known_touch(
    first: u32,
    count: u32,
    taken: u32,
    wall: u32,
    normal: vec3<f32>,
    feature: f32,
    same_feature: bool,
) -> u32 {
    var best = NOBODY;
    var least_turn = SAME_TOUCH;
    for (var k = 0u; k < count; k++) {
        let turn = dot(touches[first + k].normal.xyz, normal);
        let accepted = !same_feature || touches[first + k].normal.w == feature;
        if (taken & (1u << k)) == 0u && touches[first + k].wall == wall && turn > least_turn && accepted {
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
    let first = first_touch_of(number);
    let other = (1u - step.wall_half) * params.contact_capacity + number * MOST_TOUCHES;
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
    var now_count = 0u;
    var touching = 0.0;
    var force = vec3(0.0);
    var torque = vec3(0.0);
    for (var b = 0u; b < params.boundary_count; b++) {
        let pose = poses[b];
        let local = into_frame(pose, x);
        if is_beyond(pose, local, reach) {
            continue;
        }
        found_count = 0u;
        for (var s = 0u; s < pose.solids.y; s++) {
            find_walls_of(b, pose, solid_table[pose.solids.x + s], own.point, local, reach);
        }
        // A contact goes on with what it was; one that has slid over a seam of triangles with what was beyond the seam.
        var known: array<u32, 12>;
        for (var k = 0u; k < found_count; k++) {
            known[k] = NOBODY;
        }
        for (var round = select(1u, 0u, MAPS); round < 2u; round++) {
            for (var k = 0u; k < found_count; k++) {
                if known[k] == NOBODY {
                    let word = b | (found_faces[k] << 16u);
                    let feature = f32(found_features[k]);
                    known[k] = known_touch(first, count, taken, word, found[k].normal, feature, round == 0u);
                    if known[k] != NOBODY {
                        taken |= 1u << known[k];
                    }
                }
            }
        }
        let law = laws[dem.wall_laws + b * dem.material_count + material_of(own_meta)];
        for (var k = 0u; k < found_count; k++) {
            let wall = found[k];
            let word = b | (found_faces[k] << 16u);
            var before = no_history();
            if known[k] != NOBODY {
                before = History(touches[first + known[k]].first, touches[first + known[k]].second);
            }
            // A wall that is rounder than the grain would touch it all around.
            let curvature = max(wall.curvature, -0.5 / own.radius);
            let geometry = contact_sphere_wall(wall.normal, wall.distance, own.radius, curvature);
            let point = x + wall.to_closest;
            let wall_velocity = pose.linear.xyz + cross(pose.angular.xyz, point - pose.pivot.xyz);
            let motion = PairMotion(v, wall_velocity, own_spin.xyz, vec3(0.0));
            var inverse_mass = own_spin.w;
            if PUSHES {
                // Of bodies that give way, else 0.
                inverse_mass += pose.linear.w;
            }
            let touch = contact_loads(law, geometry, 1.0 / inverse_mass, motion, step.dt, before);
            if touch.history.first.w == 0.0 {
                continue;
            }
            force += touch.force;
            torque += touch.torque_a;
            touching += select(0.0, 1.0, touch.history.first.w > 0.0);
            if now_count < MOST_TOUCHES {
                if PUSHES {
                    // What the grain loses, about the body's centre: until lists are made anew, nobody needs the other half.
                    let push = cross(x - pose.pivot.xyz, -touch.force) - touch.torque_a;
                    touches[other + now_count].first = vec4(-touch.force, 0.0);
                    touches[other + now_count].second = vec4(push, 0.0);
                    touches[other + now_count].wall = select(NOBODY, word, pose.rest.w == 1.0);
                }
                now[now_count] = WallTouch(
                    touch.history.first,
                    touch.history.second,
                    vec4(wall.normal, f32(found_features[k])),
                    word,
                    i,
                    0u,
                    0u,
                );
                now_count++;
            }
        }
    }
    for (var k = 0u; k < now_count; k++) {
        touches[first + k] = now[k];
    }
    if now_count != count {
        metadata[i].w = NEAR_WALLS | now_count;
    }
    if now_count > 0u {
        let own_force = bitcast<vec4<f32>>(loads[2u * i]) + vec4(force, touching);
        loads[2u * i] = bitcast<vec4<u32>>(own_force);
        let second = loads[2u * i + 1u];
        loads[2u * i + 1u] = vec4(bitcast<vec3<u32>>(bitcast<vec3<f32>>(second.xyz) + torque), second.w);
    }
}
