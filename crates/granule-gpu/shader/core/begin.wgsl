// Begins a step where there is one to do: its length, cells, sort passes, poses of walls, dispatches.
//
// Hook of the method: begin_step(fastest, pushed) chooses the length by choose_dt from the largest speed and acceleration,
// and returns how far particles may move before they are sorted; walls_move() says whether walls do,
// moves_by_pose(pose) which of them, pair_reach() how far pairs are listed.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> partials: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> poses: array<Pose>;
@group(0) @binding(5) var<storage, read> segments: array<MotionSegment>;
@group(0) @binding(6) var<storage, read_write> extent: array<u32>;

// Cell coordinates beyond this are clamped; clamping keeps neighbours in equal or adjacent cells.
const FARTHEST_CELL: f32 = 1048574.0;
const DIGIT_BITS: u32 = 8u;

// Mean speed of the particles, where it is measured.
var<private> mean_speed: f32;

var<workgroup> shared_dt: f32;
var<workgroup> shared_go: u32;
var<workgroup> shared_measured: u32;

// Speed of the fastest point of a boundary, as its pose says.
fn speed_of(pose: Pose) -> f32 {
    return length(pose.linear.xyz) + length(pose.angular.xyz) * pose.shape_pivot.w;
}

fn fastest_wall(boundary: u32) -> f32 {
    let pose = poses[boundary];
    if !moves_by_pose(pose) {
        return 0.0;
    }
    if pose.solids.w == 0u {
        return speed_of(pose);
    }
    for (var k = 0u; k < pose.solids.w; k++) {
        let segment = segments[pose.solids.z + k];
        if step.elapsed < segment.to_time || k + 1u == pose.solids.w {
            return segment.fastest + segment.fastest_turn * pose.shape_pivot.w;
        }
    }
    return 0.0;
}

// Pivot and angle of a segment at a time since its start.
fn segment_place(segment: MotionSegment, t: f32) -> vec4<f32> {
    return segment.pivot + t * (segment.velocity + t * (segment.pivot_2 + t * segment.pivot_3));
}

// What pivot and angle of a segment change by between two times since its start.
fn segment_displacement(segment: MotionSegment, a: f32, b: f32) -> vec4<f32> {
    return (b - a) * (segment.velocity + (a + b) * segment.pivot_2 + (a * a + a * b + b * b) * segment.pivot_3);
}

// Moves a boundary to its pose at the step's end, with the velocity that leads there.
fn move_wall(boundary: u32, now: f32, dt: f32) {
    var pose = poses[boundary];
    if pose.solids.w == 0u {
        return;
    }
    let next = now + dt;
    var linear = vec3(0.0);
    var angular = vec3(0.0);
    var last = segments[pose.solids.z];
    for (var k = 0u; k < pose.solids.w; k++) {
        let segment = segments[pose.solids.z + k];
        let from_time = max(now, segment.from_time) - segment.from_time;
        let to_time = max(min(next, segment.to_time) - segment.from_time, from_time);
        let displacement = segment_displacement(segment, from_time, to_time) / dt;
        linear += displacement.xyz;
        angular += displacement.w * segment.axis.xyz;
        if next > segment.from_time {
            last = segment;
        }
    }
    let place = segment_place(last, clamp(next, last.from_time, last.to_time) - last.from_time);
    let half_angle = 0.5 * place.w;
    pose.rotation = turn(vec4(sin(half_angle) * last.axis.xyz, cos(half_angle)), last.base);
    pose.pivot = vec4(place.xyz, pose.pivot.w);
    let offset = rotate(pose.rotation, pose.shape_pivot.xyz);
    let turned = select(1.0, 0.0, any(pose.rotation.xyz != vec3(0.0)));
    pose.translation = vec4(pose.pivot.xyz - offset, turned);
    pose.linear = vec4(linear, 0.0);
    pose.angular = vec4(angular, 0.0);
    poses[boundary] = pose;
}

// Sets the step's length: the longest one within a bound, and such that steps end where the batch does.
fn choose_dt(bound: f32) {
    var longest = params.longest_step;
    step.limited = 0u;
    if params.fixed_step == 0u {
        step.limited = select(0u, 1u, bound < longest);
        // No step is so short that time would stand still.
        longest = max(min(longest, bound), 1e-6 * step.length);
    }
    let remaining = step.length - step.elapsed;
    // Rounding of a quotient of thousands must not make one step more of it.
    let quotient = remaining / longest;
    let steps = max(ceil(quotient - 1e-4 - 2.4e-7 * quotient), 1.0);
    step.last_step = select(0u, 1u, steps == 1.0);
    step.dt = remaining / steps;
    step.inverse_dt = 1.0 / step.dt;
}

// Equal steps up to the frame's end, counted, since a sum of thousands of them is not exact; twin of `equal_steps` in
// solver/world.rs. Where a shorter step is asked for within a frame, the rest of it is divided anew.
fn choose_equal_dt() {
    let is_new = step.elapsed == 0.0 || step.steps_left == 0u;
    if is_new || step.dt > 1.001 * params.longest_step {
        let quotient = (step.length - step.elapsed) / params.longest_step;
        step.steps_left = max(u32(ceil(quotient - 1e-4 - 2.4e-7 * quotient)), 1u);
        step.steps_of_frame = step.steps_left;
        step.dt = (step.length - step.elapsed) / f32(step.steps_of_frame);
        step.inverse_dt = 1.0 / step.dt;
    }
    step.last_step = select(0u, 1u, step.steps_left == 1u);
    step.limited = 0u;
    step.steps_left -= 1u;
}

// Divides space into cells a little larger than the reach of pairs, by what rounding needs.
fn choose_cells(low: vec3<f32>, high: vec3<f32>) -> u32 {
    let reach = pair_reach();
    var bits = 0u;
    for (var axis = 0u; axis < 3u; axis++) {
        let cells = params.period_cells[axis];
        if cells > 0u {
            step.cell_scale[axis] = f32(cells) * params.period_inverse[axis];
            step.cell_origin[axis] = params.period_origin[axis];
            step.cell_min[axis] = 0;
            step.cell_range[axis] = cells - 1u;
        } else {
            let farthest = max(abs(low[axis]), abs(high[axis])) / reach;
            let slack = 1.0 + 0.0009765625 + min(farthest, FARTHEST_CELL) * 2.4e-7;
            let scale = 1.0 / (reach * slack);
            step.cell_scale[axis] = scale;
            step.cell_origin[axis] = 0.0;
            let first = i32(floor(clamp(low[axis] * scale, -FARTHEST_CELL, FARTHEST_CELL)));
            let last = i32(floor(clamp(high[axis] * scale, -FARTHEST_CELL, FARTHEST_CELL)));
            step.cell_min[axis] = first;
            step.cell_range[axis] = u32(max(last - first, 0));
        }
        let own = 32u - countLeadingZeros(step.cell_range[axis]);
        step.cell_bits[axis] = own;
        bits += own;
    }
    return bits;
}

// Halts a step whose keys are longer than what is recorded can sort; methods that keep lists find out later whether they sort
// at all.
fn set_dispatches(bits: u32, begins: bool) {
    if begins {
        // One bit more, so that removed particles come after all others.
        step.sort_passes = min((bits + 1u + DIGIT_BITS - 1u) / DIGIT_BITS, MOST_PASSES);
    }
    let go = begins && (KEEPS_LISTS || step.sort_passes <= step.pass_capacity);
    if begins && !go {
        step.phase = HALTED;
    }
    let count = select(0u, step.sort_count, go);
    extent[0] = count;
    let one = select(0u, 1u, go && count > 0u);
    arguments[BLOCKS] = groups_for(count, WORKGROUP);
    arguments[TILES] = groups_for(count, TILE);
    arguments[ONE] = vec4(one, 1u, 1u, 0u);
    arguments[CELLS] = vec4(0u, 1u, 1u, 0u);
    arguments[LIVE] = groups_for(select(0u, step.count, go), WORKGROUP);
    arguments[SEARCH] = arguments[LIVE];
    for (var k = 0u; k < MOST_PASSES; k++) {
        let needed = k < step.sort_passes;
        arguments[PASS_TILES + k] = groups_for(select(0u, count, needed), TILE);
        arguments[PASS_DIGITS + k] = vec4(select(0u, 256u * one, needed), 1u, 1u, 0u);
    }
}

@compute @workgroup_size(256)
fn begin(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        let go = step.phase == READY && step.elapsed < step.length && step.reports < step.most_reports;
        shared_go = select(0u, 1u, go);
        // Whether measure.wgsl has left bounds, speeds and numbers of live particles.
        shared_measured = select(0u, 1u, go && (MEASURES_LISTED || step.listed == 0u));
    }
    workgroupBarrier();
    let go = workgroupUniformLoad(&shared_go) == 1u;
    let measured = workgroupUniformLoad(&shared_measured) == 1u;
    var high = vec4(vec3(-LARGEST), 0.0);
    var low = vec4(-LARGEST);
    var live_count = 0u;
    var speeds = 0.0;
    var pushed = 0.0;
    let blocks = (step.sort_count + WORKGROUP - 1u) / WORKGROUP;
    if measured {
        for (var block = thread; block < blocks; block += WORKGROUP) {
            high = max(high, partials[4u * block]);
            let second = partials[4u * block + 1u];
            low = max(low, vec4(second.xyz, 0.0));
            if MEASURES_ACCELERATION {
                pushed = max(pushed, partials[4u * block + 2u].x);
            }
            live_count += u32(second.w);
            speeds += partials[4u * block + 3u].x;
        }
        for (var b = thread; b < params.boundary_count; b += WORKGROUP) {
            low.w = max(low.w, fastest_wall(b));
        }
    }
    high = tree_max(thread, high);
    low = tree_max(thread, low);
    if MEASURES_ACCELERATION {
        pushed = sqrt(tree_max(thread, vec4(pushed)).x);
    }
    let total = workgroup_scan(thread, live_count).y;
    speeds = tree_sum(thread, vec4(speeds)).x;
    if thread == 0u {
        var bits = 0u;
        if go {
            if measured {
                step.count = total;
                step.removed = step.sort_count - total;
            }
            let fastest = max(sqrt(high.w), max(low.w, 0.0));
            mean_speed = speeds / f32(max(total, 1u));
            let margin = begin_step(fastest, pushed);
            if measured && total > 0u {
                bits = choose_cells(-low.xyz - margin, high.xyz + margin);
            }
            step.phase = PREPARED;
            step.iteration = 0u;
            step.converged = 0u;
            step.density_error = 0.0;
            step.friction_error = 0.0;
            step.cell_count = 0u;
            atomicStore(&counters.slots, 0u);
            atomicStore(&counters.contacts, 0u);
            atomicStore(&counters.neighbors, 0u);
            atomicStore(&counters.dropped, 0u);
        }
        set_dispatches(bits, go);
        shared_dt = step.dt;
    }
    workgroupBarrier();
    let dt = workgroupUniformLoad(&shared_dt);
    var speed = 0.0;
    if go && dt > 0.0 {
        for (var b = thread; b < params.boundary_count; b += WORKGROUP) {
            move_wall(b, step.elapsed, dt);
            if moves_by_pose(poses[b]) {
                speed = max(speed, speed_of(poses[b]));
            }
        }
    }
    if KEEPS_LISTS {
        speed = tree_max(thread, vec4(speed)).x;
        if thread == 0u && go && walls_move() {
            step.wall_displacement += dt * speed;
        }
    }
}
