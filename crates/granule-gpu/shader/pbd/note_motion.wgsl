// Decides whether lists hold for one more step: as long as no grain has moved by its skin, and no wall by its own, nor will in a
// step like this one. Twin of `note_motion` in solver/pbd/mod.rs. Leaves the number of contacts where end.wgsl looks for it.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> partials: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> counters: Counters;
@group(0) @binding(3) var<storage, read> poses: array<Pose>;

var<workgroup> shared_phase: u32;

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
    // Square of speeds, shares of skins that are used up; what was lost; speeds of walls.
    var most = vec4(0.0);
    let blocks = (step.count + WORKGROUP - 1u) / WORKGROUP;
    for (var block = thread; block < blocks; block += WORKGROUP) {
        let first = partials[4u * block];
        let used = partials[4u * block + 3u].x;
        most = max(most, vec4(max(first.x, first.w), used, first.z, 0.0));
    }
    for (var b = thread; b < params.boundary_count; b += WORKGROUP) {
        let pose = poses[b];
        most.w = max(most.w, length(pose.linear.xyz) + length(pose.angular.xyz) * pose.shape_pivot.w);
    }
    most = tree_max(thread, most);
    if thread != 0u {
        return;
    }
    let of_walls = step.dt * most.w;
    step.wall_displacement += of_walls;
    let used = max(most.y, used_skin(step.wall_displacement, of_walls, step.list_skin));
    if most.z > 0.0 || !(used < 1.0) {
        step.listed = 0u;
    }
    if step.count > 0u {
        partials[2].y = f32(atomicLoad(&counters.neighbors));
    }
}
