// Decides after the drift how a step goes on: without sort and search as long as no particle has moved by half of the skin
// since these were done, and no wall either; partners that a cell has squeezed together count, too. Else it goes on with the next recorded step that sorts: that one measures the
// particles, and puts aside what contacts remember. Twin of list_pairs in solver/dem/mod.rs.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> partials: array<vec4<f32>>;

// Whether the recorded step sorts and lists.
override SORTS: bool = true;

override STRAINS: bool = false;

var<workgroup> shared_phase: u32;

@compute @workgroup_size(256)
fn dem_decide_lists(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        shared_phase = step.phase;
        arguments[REMEMBER] = vec4(0u, 1u, 1u, 0u);
        arguments[CARRY] = vec4(0u, 1u, 1u, 0u);
        arguments[NEAR] = vec4(0u, 1u, 1u, 0u);
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
    var way = max(farthest, step.wall_displacement);
    if STRAINS {
        way += 0.5 * dem.motion.squeeze * params.reach;
    }
    let near = way < 0.5 * dem.skin;
    let measured = step.listed == 0u;
    if step.removed > 0u || !near {
        step.listed = 0u;
    }
    if step.listed == 1u {
        leave_out_sort_and_search();
        return;
    }
    // Keys may be longer than what is recorded can sort.
    let halts = measured && SORTS && step.sort_passes > step.pass_capacity;
    if halts || !measured || !SORTS {
        leave_out_sort_and_search();
        arguments[LIVE] = vec4(0u, 1u, 1u, 0u);
        step.phase = select(READY, HALTED, halts);
        return;
    }
    if step.remembered == 0u {
        arguments[REMEMBER] = groups_for(step.sort_count, WORKGROUP);
        step.remembered = 1u;
    }
}
