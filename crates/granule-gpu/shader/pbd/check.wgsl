// Hook of check.wgsl: lists are those of the particles from here on, and contacts go over to them. Each particle near walls
// has asked for places for MOST_TOUCHES contacts.

fn after_search() {
    if step.listed == 0u {
        step.listed = 1u;
        step.wall_displacement = 0.0;
        step.list_count = step.count;
        step.remembered = 0u;
        step.wall_half = 1u - step.wall_half;
        step.near_walls = step.contacts_needed / MOST_TOUCHES;
        step.memory_dt = step.dt;
        arguments[CARRY] = groups_for(step.count, WORKGROUP);
        arguments[METHOD + CARRY_ONE] = vec4(1u, 1u, 1u, 0u);
    }
    arguments[NEAR] = groups_for(step.near_walls, WORKGROUP);
}
