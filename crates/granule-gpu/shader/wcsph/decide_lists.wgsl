// Decides after the drift of a weakly compressible step how it goes on: with the host where there are bodies to be moved;
// without sort and search as long as no particle has moved by half of the skin since these were done, and no wall either.
// Twin of drift in solver/wcsph/kick.rs.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> partials: array<vec4<f32>>;

var<workgroup> shared_phase: u32;

@compute @workgroup_size(256)
fn decide_lists(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        shared_phase = step.phase;
    }
    workgroupBarrier();
    let phase = workgroupUniformLoad(&shared_phase);
    if phase != PREPARED {
        return;
    }
    var farthest = 0.0;
    let blocks = (step.sort_count + WORKGROUP - 1u) / WORKGROUP;
    for (var block = thread; block < blocks; block += WORKGROUP) {
        farthest = max(farthest, partials[4u * block + 3u].x);
    }
    farthest = sqrt(tree_max(thread, vec4(farthest)).x);
    if thread != 0u {
        return;
    }
    let near = max(farthest, step.wall_displacement) < 0.5 * params.skin;
    if step.listed == 0u || step.removed > 0u || !near {
        step.listed = 0u;
    }
    let moves_bodies = BODIES && step.progress == KICKS;
    // Keys may be longer than what is recorded can sort.
    let halts = step.listed == 0u && step.sort_passes > step.pass_capacity;
    if step.listed == 1u || moves_bodies || halts {
        leave_out_sort_and_search();
    }
    if moves_bodies || halts {
        arguments[LIVE] = vec4(0u, 1u, 1u, 0u);
        step.phase = select(HALTED, MOVING, moves_bodies);
    }
}
