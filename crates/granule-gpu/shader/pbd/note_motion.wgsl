// Decides whether lists hold for one more step: as long as no two grains, no grain and a wall, have come closer by the skin, nor will in
// a step like this one. Twin of `note_motion` in solver/pbd/mod.rs. Leaves the number of contacts where end.wgsl looks for it.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> partials: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> poses: array<Pose>;

var<workgroup> shared_phase: u32;

// Twin of Ways::against_half_skin.
fn against_half_skin(farthest: f32, box_size: vec3<f32>, of_walls: f32) -> f32 {
    let of_pairs = min(farthest, 0.5 * length(box_size));
    return max(of_pairs, 0.5 * (farthest + of_walls));
}

@compute @workgroup_size(256)
fn pbd_note_motion(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        shared_phase = step.phase;
    }
    workgroupBarrier();
    let phase = workgroupUniformLoad(&shared_phase);
    if phase != SOLVED {
        return;
    }
    // Squares of speeds and ways; what was lost; speeds of walls.
    var most = vec4(0.0);
    // Corners of the box around all ways.
    var high = vec4(0.0);
    var low = vec4(0.0);
    let blocks = (step.count + WORKGROUP - 1u) / WORKGROUP;
    for (var block = thread; block < blocks; block += WORKGROUP) {
        let first = partials[4u * block];
        let second = partials[4u * block + 1u];
        let ways = partials[4u * block + 3u];
        most = max(most, vec4(max(first.x, first.w), ways.x, first.z, 0.0));
        high = max(high, vec4(ways.yz, second.x, 0.0));
        low = max(low, vec4(second.yzw, 0.0));
    }
    for (var b = thread; b < params.boundary_count; b += WORKGROUP) {
        let pose = poses[b];
        most.w = max(most.w, length(pose.linear.xyz) + length(pose.angular.xyz) * pose.shape_pivot.w);
    }
    most = tree_max(thread, most);
    high = tree_max(thread, high);
    low = tree_max(thread, low);
    if thread != 0u {
        return;
    }
    let of_walls = step.dt * most.w;
    step.wall_displacement += of_walls;
    let ahead = min(max(step.dt * sqrt(most.x), of_walls), 0.45 * step.list_skin);
    let moved = against_half_skin(sqrt(most.y), high.xyz + low.xyz, step.wall_displacement) + ahead;
    if most.z > 0.0 || !(moved < 0.5 * step.list_skin) {
        step.listed = 0u;
    }
    if step.count > 0u {
        partials[2].y = f32(atomicLoad(&counters.neighbors));
    }
}
