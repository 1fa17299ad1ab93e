// Hook of check.wgsl: lists are those of the particles from here on, and contacts go over to them.

fn after_search() {
    if step.listed == 0u {
        step.listed = 1u;
        step.wall_displacement = 0.0;
        step.list_count = step.count;
        step.remembered = 0u;
        step.wall_half = 1u - step.wall_half;
        arguments[CARRY] = groups_for(step.count, WORKGROUP);
    }
}
