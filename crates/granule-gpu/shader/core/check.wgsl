// Goes on with the step if lists and contacts had room, and halts otherwise: the host makes room and begins it anew.
//
// Hook of the method: after_search() says how the step goes on; without iterations it is solved already.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> counters: Counters;

@compute @workgroup_size(1)
fn check_capacity() {
    let none = vec4(0u, 1u, 1u, 0u);
    if step.phase != PREPARED {
        // A step whose iterations were not all recorded goes on with them.
        arguments[PARTICLES] = none;
        return;
    }
    // Removed particles came last.
    step.sort_count = step.count;
    step.slots_needed = atomicLoad(&counters.slots);
    step.contacts_needed = atomicLoad(&counters.contacts);
    let all = groups_for(step.count, WORKGROUP);
    if step.cells_needed > params.cell_capacity || step.slots_needed > params.slot_capacity
        || step.contacts_needed > params.contact_capacity {
        step.phase = HALTED;
        arguments[PARTICLES] = none;
        arguments[ITERATE] = none;
        return;
    }
    if step.listed == 0u {
        step.list_slots = step.slots_needed;
    }
    arguments[PARTICLES] = all;
    arguments[ITERATE] = all;
    step.phase = SOLVED;
    step.converged = 1u;
    after_search();
}
