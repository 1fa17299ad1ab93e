// Hook of the kernels of bodies: the particles of a step push them once walls are sampled, and kinematic bodies move as their
// poses say.

const KINEMATIC_FROM_POSES: bool = true;

fn pushing_count() -> u32 {
    return step.count;
}

// A step whose iterations were not all recorded goes on with what it has; there is one with particles or without.
fn bodies_begin() -> bool {
    return step.iteration == 0u && (step.phase == ITERATING || step.phase == SOLVED);
}
