// Motion of grains by their guides and by shifting; for both kernels that advect them.

@group(0) @binding(3) var<storage, read> nodes: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> excess: array<f32>;
// Positions and ids, velocities and materials of grains. One without id has been removed.
@group(0) @binding(5) var<storage, read_write> grain_position: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> grain_velocity: array<vec4<f32>>;
// Grains that regions took, grains that were lost, then both by chunk; from frame.list on the list of grains that
// advance_inside leaves to advance.
@group(0) @binding(7) var<storage, read_write> counters: array<atomic<u32>>;

struct GuideMotion {
    displacement: vec3<f32>,
    share: f32,
    velocity: vec3<f32>,
    block: u32,
}

// Interpolated motion of the guides at a point.
fn guide_motion_at(x: vec3<f32>) -> GuideMotion {
    var guided = GuideMotion(vec3(0.0), 0.0, vec3(0.0), NONE);
    let at = (x - frame.origin.xyz) * (1.0 / frame.origin.w);
    let cell = floor(at);
    if !(all(cell >= vec3(0.0)) && all(cell < vec3<f32>(frame.cells.xyz))) {
        return guided;
    }
    let block = block_of_cell(vec3<u32>(cell));
    if block == NONE {
        return guided;
    }
    let local = (at - cell) * f32(ALONG);
    let corner = min(floor(local), vec3(f32(ALONG - 1u)));
    let c = vec3<u32>(corner);
    let first = NODES * block + (c.z * ALONG_BLOCK + c.y) * ALONG_BLOCK + c.x;
    let weights = trilinear_weights(local - corner);
    var a = vec4(0.0);
    var b = vec4(0.0);
    for (var k = 0u; k < 8u; k++) {
        let node = first + (k & 1u) + ((k >> 1u) & 1u) * ALONG_BLOCK + (k >> 2u) * ALONG_BLOCK * ALONG_BLOCK;
        a += weights[k] * nodes[2u * node];
        b += weights[k] * nodes[2u * node + 1u];
    }
    let known = select(0.0, 1.0 / b.w, b.w > 0.0);
    return GuideMotion(a.xyz * known, select(a.w, 1.0, a.w > frame.full_share), b.xyz * known, block);
}

// Shift down the gradient of the concentration; twin of FineGrid::shifts.
fn fine_shift(x: vec3<f32>) -> vec3<f32> {
    let near = fine_nodes_around(x);
    if !near.found {
        return vec3(0.0);
    }
    var e: array<f32, 8>;
    for (var k = 0u; k < 8u; k++) {
        e[k] = excess[near.nodes[k]];
    }
    let t = near.beyond;
    let slope = vec3(
        mix(mix(e[1] - e[0], e[3] - e[2], t.y), mix(e[5] - e[4], e[7] - e[6], t.y), t.z),
        mix(mix(e[2] - e[0], e[3] - e[1], t.x), mix(e[6] - e[4], e[7] - e[5], t.x), t.z),
        mix(mix(e[4] - e[0], e[5] - e[1], t.x), mix(e[6] - e[2], e[7] - e[3], t.x), t.y),
    );
    return clamped(-frame.fine_shift * frame.offset.w * slope, frame.most_fine_shift * frame.radius);
}

// The goal of a grain with its shift, from one without.
fn shift(goal: vec3<f32>, x: vec3<f32>, guided: GuideMotion) -> vec3<f32> {
    if frame.shifts != 0u && guided.share > 0.0 && guided.block != NONE && is_active(guided.block) {
        let part = guided.share * activity(guided.displacement);
        if part > 0.0 {
            return goal + part * fine_shift(x);
        }
    }
    return goal;
}

// Bits of the walls that a grain may meet on its displacement from a point in a block.
fn walls_on_path(block: u32, displacement: vec3<f32>) -> u32 {
    let least = frame.reach - 2.0 * frame.largest;
    if block != NONE && dot(displacement, displacement) <= least * least {
        return walls_of_block(block);
    }
    return 0xffffffffu;
}

// Whether a grain stays where it is and no wall among some comes to it.
fn stays(x: vec3<f32>, goal: vec3<f32>, velocity: vec3<f32>, walls: u32) -> bool {
    return all(goal == x) && all(velocity == vec3(0.0)) && (walls & frame.moving_walls) == 0u;
}

fn wrapped(x: vec3<f32>) -> vec3<f32> {
    var y = x;
    for (var axis = 0u; axis < 3u; axis++) {
        let size = frame.period_length[axis];
        if size > 0.0 {
            y[axis] -= floor((y[axis] - frame.period_origin[axis]) / size) * size;
        }
    }
    return y;
}

fn finite(v: vec3<f32>) -> bool {
    return all(abs(v) <= vec3(LARGEST));
}
