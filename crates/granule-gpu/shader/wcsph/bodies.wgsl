// Hook of the kernels of bodies: all particles push them before the drift, in the order of the last sort; kinematic bodies
// move as with walls.

const KINEMATIC_FROM_POSES: bool = false;

fn pushing_count() -> u32 {
    return select(0u, step.sort_count, step.progress == KICKS);
}

fn bodies_begin() -> bool {
    return step.phase == PREPARED && step.progress == KICKS;
}
