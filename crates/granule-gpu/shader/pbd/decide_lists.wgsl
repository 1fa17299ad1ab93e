// Decides how a step goes on: without sort and search where lists hold. Else it goes on with the next recorded step that sorts, and
// puts aside what contacts remember.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> colours: array<u32>;

// Whether the recorded step sorts and lists.
override SORTS: bool = true;

var<workgroup> shared_lists: u32;

// Whether lists are to be made by this recorded step.
fn decide() -> bool {
    let none = vec4(0u, 1u, 1u, 0u);
    arguments[REMEMBER] = none;
    arguments[CARRY] = none;
    arguments[NEAR] = none;
    arguments[METHOD + CARRY_ONE] = none;
    arguments[METHOD + FOLD] = none;
    if step.phase != PREPARED {
        return false;
    }
    if step.listed == 1u {
        leave_out_sort_and_search();
        if step.elapsed == 0.0 {
            arguments[METHOD + FOLD] = groups_for(step.count, WORKGROUP);
        }
        return false;
    }
    // Keys may be longer than what is recorded can sort.
    let halts = SORTS && step.sort_passes > step.pass_capacity;
    if halts || !SORTS {
        leave_out_sort_and_search();
        arguments[LIVE] = none;
        step.phase = select(READY, HALTED, halts);
        return false;
    }
    if step.remembered == 0u {
        arguments[REMEMBER] = groups_for(step.sort_count, WORKGROUP);
        step.remembered = 1u;
    }
    arguments[METHOD + FOLD] = groups_for(step.sort_count, WORKGROUP);
    return true;
}

@compute @workgroup_size(256)
fn pbd_decide_lists(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        shared_lists = select(0u, 1u, decide());
    }
    workgroupBarrier();
    let lists = workgroupUniformLoad(&shared_lists);
    if lists == 0u {
        return;
    }
    if thread < BINS {
        colours[BIN_COUNTS + thread] = 0u;
    }
    if thread < PARTITIONS {
        colours[BRICK_HEADS + COLOUR_WORDS * thread] = 0u;
        colours[BRICK_HEADS + COLOUR_WORDS * thread + 1u] = thread;
    }
    if thread == 0u {
        colours[FRESH] = 1u;
        colours[OPEN] = 0u;
        colours[MEETING_COUNT] = 0u;
    }
}
