// Goes on with the step if lists and contacts had room, and halts otherwise: the host makes room and begins it anew.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> counters: Counters;

@compute @workgroup_size(1)
fn check_room() {
    let none = vec4(0u, 1u, 1u, 0u);
    if step.phase != PREPARED {
        // A step whose sweeps were not all recorded goes on with them.
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
        arguments[SWEEP] = none;
        return;
    }
    if step.listed == 0u {
        step.list_slots = step.slots_needed;
    }
    arguments[PARTICLES] = all;
    arguments[SWEEP] = all;
    step.phase = SWEEPING;
    if step.count == 0u || WEAK {
        step.phase = SOLVED;
        step.converged = 1u;
    }
    if WEAK {
        if step.listed == 0u {
            step.listed = 1u;
            step.wall_way = 0.0;
        }
        if step.kicked == SAMPLES {
            arguments[PARTICLES] = none;
        }
    }
}
