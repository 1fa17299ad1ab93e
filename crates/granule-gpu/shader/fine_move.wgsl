// Advects grains for which walls, the surface or regions may matter; twin of upsample/advection.rs.

// Radius of a grain [m].
fn grain_radius(id: u32) -> f32 {
    let number = class_of(id);
    return frame.radii[number / 4u][number % 4u];
}

fn restrict_all(motion: ptr<function, FineMotion>, bits: u32, radius: f32, friction: f32) {
    if bits == 0u {
        return;
    }
    // Once more where one of several walls has moved the grain: it may be in another then.
    for (var round = 0u; round < 2u; round++) {
        var count = 0u;
        var touched = false;
        for (var k = 0u; k < frame.wall_count; k++) {
            if ((bits >> min(k, 31u)) & 1u) == 1u {
                count++;
                if restrict_motion(k, motion, radius, friction) {
                    touched = true;
                }
            }
        }
        if count < 2u || !touched {
            return;
        }
    }
}

// Whether so much is inside a mass of guides that grains land there.
fn is_mass(sum: f32, largest: f32) -> bool {
    return coverage(sum, 0.0) > frame.landed && guided_share(sum, largest, 0.0, 0.0) >= 1.0;
}

// Guides around a point: the sum of their weights and the largest, and their velocity times the sum.
struct Around {
    sum: f32,
    largest: f32,
    velocity: vec3<f32>,
}

fn take_in(around: ptr<function, Around>, x: vec3<f32>, row: vec2<u32>) {
    for (var j = row.x; j < row.y; j++) {
        let d = x - guides[3u * j].xyz;
        let w = weight_of(j, dot(d, d));
        (*around).sum += w;
        (*around).largest = max((*around).largest, w);
        (*around).velocity += w * guides[3u * j + 2u].xyz;
    }
}

// The guides' share where some nodes around a grain are outside their mass; twin of Advection::share_at_surface.
fn share_at_surface(x: vec3<f32>, share: f32) -> f32 {
    let cell = inner_cell(x, frame.origin.xyz, frame.cells.xyz);
    var around = Around(0.0, 0.0, vec3(0.0));
    for (var k = 0u; k < 9u; k++) {
        take_in(&around, x, guide_row(cell, k));
    }
    if around.sum == 0.0 {
        return 0.0;
    }
    return select(share, 1.0, is_mass(around.sum, around.largest));
}

// Velocity of the guides at the frame's end around a point inside their mass; w is 0 outside.
fn mass_at(x: vec3<f32>) -> vec4<f32> {
    let cell = inner_cell(x, frame.after_origin.xyz, frame.after_cells.xyz);
    var around = Around(0.0, 0.0, vec3(0.0));
    for (var k = 0u; k < 9u; k++) {
        take_in(&around, x, row_after(cell, k));
    }
    if is_mass(around.sum, around.largest) {
        return vec4(around.velocity / around.sum, 1.0);
    }
    return vec4(0.0);
}

// Stops a grain that has flown into a mass of guides at its surface. Functions are called from one place only: drivers
// put them in wherever they are called, and those in software take long to compile that.
fn land(motion: ptr<function, FineMotion>) -> bool {
    let goal = (*motion).goal;
    let step = frame.landing_step * frame.guide_radius;
    var velocity = vec3(0.0);
    var back = vec3(0.0);
    var steps = 0u;
    var position = goal;
    for (var k = 0u; k <= steps; k++) {
        let before = goal + f32(k) * back;
        let there = mass_at(before);
        if there.w == 0.0 {
            if k == 0u {
                return false;
            }
            break;
        }
        if k == 0u {
            velocity = there.xyz;
            let displacement = ((*motion).velocity - velocity) * frame.gravity.w;
            let size = length(displacement);
            let longest = min(size, distance((*motion).start, goal));
            steps = u32(min(ceil(longest / step), frame.landing_steps));
            back = select(vec3(0.0), -displacement * (step / size), size > 0.0);
        }
        position = before;
    }
    (*motion).goal = position;
    (*motion).velocity = velocity;
    return true;
}

// Whether a region takes a grain.
fn taken(x: vec3<f32>) -> bool {
    for (var r = 0u; r < frame.region_count; r++) {
        if wall_distance(frame.wall_count + r, x) < 0.0 {
            return true;
        }
    }
    return false;
}

@compute @workgroup_size(256)
fn advance(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= atomicLoad(&counters[frame.list + LIST_COUNT]) {
        return;
    }
    let i = atomicLoad(&counters[frame.list + LIST_ENTRIES + k]);
    let first = grain_position[i];
    let radius = grain_radius(bitcast<u32>(first.w));
    let second = grain_velocity[i];
    let x = first.xyz;
    var guided = guide_motion_at(x);
    if guided.share > 0.0 && guided.share < 1.0 {
        guided.share = share_at_surface(x, guided.share);
    }
    let flight_share = 1.0 - guided.share;
    let dt = frame.gravity.w;
    var motion = FineMotion(x, x + guided.displacement, guided.velocity, 0.0);
    if flight_share > 0.0 {
        let flown = second.xyz * dt + frame.gravity.xyz * (0.5 * dt * dt);
        motion.goal = x + guided.share * guided.displacement + flight_share * flown;
        motion.velocity = guided.share * guided.velocity + flight_share * (second.xyz + frame.gravity.xyz * dt);
        motion.flight_share = flight_share;
    }
    motion.goal = shift(motion.goal, x, guided);
    var bits = walls_on_path(guided.block, motion.goal - x);
    let rests = stays(x, motion.goal, motion.velocity, bits);
    if !rests {
        let material = bitcast<u32>(second.w) & 255u;
        let friction = fine_scene.friction[material / 4u][material % 4u];
        // Once, and once more for a grain that has landed.
        for (var landed = false; ; ) {
            restrict_all(&motion, bits, radius, friction);
            if landed || !(motion.flight_share > 0.0) || !land(&motion) {
                break;
            }
            landed = true;
            // It is not where it was to be: any wall may be there.
            bits = 0xffffffffu;
        }
    }
    let position = wrapped(motion.goal);
    let lost = !(finite(position) && finite(motion.velocity));
    if lost || taken(position) {
        grain_position[i] = vec4(0.0, 0.0, 0.0, bitcast<f32>(NONE));
        atomicAdd(&counters[select(0u, 1u, lost)], 1u);
        atomicAdd(&counters[2u + i / frame.chunk], 1u);
        return;
    }
    if !rests || any(second.xyz != vec3(0.0)) {
        grain_position[i] = vec4(position, first.w);
        grain_velocity[i] = vec4(motion.velocity, second.w);
    }
}
