// Finds the contacts of grains with walls, lets them go on with what they remember, gives grains these impulses, and finds how far
// overlaps push them. Twin of solver/pbd/walls.rs and of warm_start_walls in solver/pbd/wall_solve.rs. Contacts stay in place as
// long as lists hold, as forces between steps; a thread for each particle that has a place for some.

@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> motion: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> metadata: array<Meta>;
@group(0) @binding(5) var<storage, read_write> touches: array<WallTouch>;
@group(0) @binding(6) var<storage, read_write> wall_steps: array<WallStep>;
@group(0) @binding(7) var<storage, read_write> way: array<vec4<f32>>;

// Cosine of the largest angle by which a wall's normal turns from step to step.
const SAME_TOUCH: f32 = 0.7;
// The contact of before that one of now goes on with, and is not taken yet: of the same wall; of the same face, edge or vertex of a
// mesh where there is one, and its normal turned least.
fn known_touch(first: u32, count: u32, taken: u32, wall: u32, normal: vec3<f32>, feature: f32) -> u32 {
    var best = NOBODY;
    var least_turn = SAME_TOUCH;
    var best_is_same = false;
    for (var k = 0u; k < count; k++) {
        let turn = dot(touches[first + k].normal.xyz, normal);
        if (taken & (1u << k)) != 0u || touches[first + k].wall != wall || !(turn > SAME_TOUCH) {
            continue;
        }
        let same = touches[first + k].normal.w == feature;
        if best == NOBODY || (same && !best_is_same) || (same == best_is_same && turn > least_turn) {
            best = k;
            least_turn = turn;
            best_is_same = same;
        }
    }
    return best;
}

@compute @workgroup_size(256)
fn pbd_touch_walls(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    if number >= step.near_walls {
        return;
    }
    let first = first_touch_of(number);
    let i = touches[first].owner;
    let own_meta = metadata[i];
    var own = AtWall(motion[2u * i], motion[2u * i + 1u]);
    // Those that are held have no mass.
    if !(own.velocity.w > 0.0) {
        return;
    }
    let place = place_of(places[2u * i], places[2u * i + 1u]);
    let x = position_meters(place.point);
    let radius = place.radius;
    let v = own.velocity.xyz;
    let far = max(max(abs(x.x), abs(x.y)), abs(x.z));
    let most = pbd.push_speed * step.dt * sqrt(2.0 * radius);
    let count = own_meta.w & ~NEAR_WALLS;
    var taken = 0u;
    var now: array<WallTouch, 8>;
    var now_count = 0u;
    var push = vec3(0.0);
    for (var b = 0u; b < params.boundary_count; b++) {
        let pose = poses[b];
        let here = pose.linear.xyz + cross(pose.angular.xyz, x - pose.pivot.xyz);
        let fastest = length(v - here) + radius * length(pose.angular.xyz);
        let reach = radius + max(2.0 * radius * REACH, step.dt * fastest) + 1e-6 * (far + radius);
        let local = into_frame(pose, x);
        if is_beyond(pose, local, reach) {
            continue;
        }
        found_count = 0u;
        for (var s = 0u; s < pose.solids.y; s++) {
            find_walls_of(b, pose, solid_table[pose.solids.x + s], place.point, local, reach);
        }
        // Bodies that give way fall, and have not gone ahead.
        let gives_way = pose.high.w == 1.0;
        let falls = select(vec3(0.0), step.dt * params.gravity.xyz, gives_way);
        for (var k = 0u; k < found_count && now_count < MOST_TOUCHES; k++) {
            let wall = found[k];
            let word = b | (found_faces[k] << 16u);
            let feature = f32(found_features[k]);
            let arm = clamp(wall.distance, 0.0, radius);
            let point = x - arm * wall.normal;
            let velocity = pose.linear.xyz + falls + cross(pose.angular.xyz, point - pose.pivot.xyz);
            // A led wall is where it will be: the gap was larger by its way.
            let ahead = select(step.dt * dot(velocity, wall.normal), 0.0, gives_way);
            let gap = wall.distance - radius + ahead;
            let approach = dot(v - velocity, wall.normal);
            var along = vec4(0.0);
            var turning = vec4(0.0);
            let known = known_touch(first, count, taken, word, wall.normal, feature);
            if known != NOBODY {
                taken |= 1u << known;
                along = touches[first + known].first;
                turning = touches[first + known].second;
            }
            let touching = gap < TOUCH * 2.0 * radius;
            let pulls = wall_law(word, own_meta).tension > 0.0;
            let connected = pulls && (touching || (turning.w > 0.0 && gap < REACH * 2.0 * radius));
            if !touching && !connected && gap + step.dt * approach >= 0.0 {
                continue;
            }
            let carry = select(step.dt, 0.0, AVERAGED);
            along *= carry;
            along = vec4(along.x, along.yzw - dot(along.yzw, wall.normal) * wall.normal);
            turning = vec4(carry * turning.xyz, select(0.0, 1.0, connected && !AVERAGED));
            push += push_apart(gap, 2.0 * radius, most) * wall.normal;
            // It is not known yet how heavy particles of bodies are.
            if !SHAPED || (own_meta.y & OF_BODY) == 0u {
                own = pushed_at_wall(own, wall.normal, arm, impulse_of(along, turning));
            }
            now[now_count] = WallTouch(along, turning, vec4(wall.normal, feature), word, i, 0u, 0u);
            wall_steps[number * MOST_TOUCHES + now_count] =
                WallStep(velocity, gap, pose.angular.xyz, arm, vec3(0.0), approach, point);
            now_count++;
        }
    }
    for (var k = 0u; k < now_count; k++) {
        touches[first + k] = now[k];
    }
    if now_count != count {
        metadata[i].w = NEAR_WALLS | now_count;
    }
    if now_count > 0u {
        motion[2u * i] = own.velocity;
        motion[2u * i + 1u] = own.spin;
        way[3u * i] = vec4(push, 0.0);
    }
}
