// Shifts from dense to sparse at the nodes of active blocks; twin of NodeShifting::shift. A workgroup per part of the fine
// grid.

@group(0) @binding(2) var<storage, read> counts: array<u32>;
@group(0) @binding(3) var<storage, read> cover: array<f32>;
@group(0) @binding(4) var<storage, read_write> own: array<vec4<f32>>;

const WIDE: u32 = 7u;
const WIDE_CUBE: u32 = 343u;

var<workgroup> first: array<f32, 343>;
var<workgroup> second: array<f32, 343>;
var<workgroup> goal: array<f32, 343>;

fn coordinates_of(k: u32) -> vec3<u32> {
    return vec3(k % WIDE, k / WIDE % WIDE, k / (WIDE * WIDE));
}

fn inside(p: u32) -> bool {
    return p > 0u && p + 1u < WIDE;
}

@compute @workgroup_size(256)
fn shift_nodes(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let part = workgroup_number(workgroup);
    let there = part < frame.parts;
    var block = 0u;
    var cell = vec3(0u);
    if there {
        block = block_of_part(part);
        cell = block_cell(block);
    }
    for (var k = thread; k < WIDE_CUBE; k += WORKGROUP) {
        // Nodes from two before the cell's first on.
        let node = coordinates_of(k) + vec3(1u);
        let step = vec3<i32>(node / ALONG) - vec3(1);
        let l = node % ALONG;
        first[k] = 0.0;
        goal[k] = 0.0;
        if there {
            let other = neighbor_block(cell, step);
            if other != NONE {
                let at = OWN * other + (l.z * ALONG + l.y) * ALONG + l.x;
                first[k] = f32(counts[at]);
                goal[k] = ramp(cover[at], frame.surface_ramp);
            }
        }
    }
    workgroupBarrier();
    for (var k = thread; k < WIDE_CUBE; k += WORKGROUP) {
        second[k] = 0.0;
        if inside(coordinates_of(k).x) {
            second[k] = 0.25 * (first[k - 1u] + 2.0 * first[k] + first[k + 1u]);
        }
    }
    workgroupBarrier();
    for (var k = thread; k < WIDE_CUBE; k += WORKGROUP) {
        first[k] = 0.0;
        if inside(coordinates_of(k).y) {
            first[k] = 0.25 * (second[k - WIDE] + 2.0 * second[k] + second[k + WIDE]);
        }
    }
    workgroupBarrier();
    for (var k = thread; k < WIDE_CUBE; k += WORKGROUP) {
        second[k] = -goal[k];
        if inside(coordinates_of(k).z) {
            let row = WIDE * WIDE;
            let smooth_count = 0.25 * (first[k - row] + 2.0 * first[k] + first[k + row]);
            second[k] = smooth_count / frame.full - goal[k];
        }
    }
    workgroupBarrier();
    if !there || thread >= OWN {
        return;
    }
    let at = vec3(thread % 3u, thread / 3u % 3u, thread / 9u) + vec3(2u);
    let k = (at.z * WIDE + at.y) * WIDE + at.x;
    let slope = 0.5 * vec3(
        second[k + 1u] - second[k - 1u],
        second[k + WIDE] - second[k - WIDE],
        second[k + WIDE * WIDE] - second[k - WIDE * WIDE],
    );
    let node = 2u * (OWN * block + thread);
    let node_motion = own[node];
    let known = own[node + 1u].w;
    let spacing = frame.origin.w / f32(ALONG);
    let out = clamped(-frame.node_shift * spacing * slope, frame.most_node_shift * frame.guide_radius);
    own[node] = vec4(node_motion.xyz + known * activity(node_motion.xyz) * out, node_motion.w);
}
