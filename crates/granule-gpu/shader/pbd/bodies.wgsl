// Hook of the kernels of bodies: those that keyframes lead move as their poses say.

const KINEMATIC_FROM_POSES: bool = true;

fn pushing_count() -> u32 {
    return step.near_walls;
}

// There is one step with particles or without.
fn bodies_begin() -> bool {
    return step.phase == SOLVED;
}
