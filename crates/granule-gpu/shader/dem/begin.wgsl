// Hook of begin.wgsl: begins a step, or goes on with one that was interrupted.

// Equal steps up to the frame's end, counted, since a sum of thousands of them is not exact; twin of `equal_steps` in
// solver/world.rs. Where a shorter step is asked for within a frame, the rest of it is divided anew.
fn choose_equal_dt() {
    let is_new = step.elapsed == 0.0 || step.steps_left == 0u;
    if is_new || step.dt > 1.001 * params.longest_step {
        let quotient = (step.length - step.elapsed) / params.longest_step;
        step.steps_left = max(u32(ceil(quotient - 1e-4 - 2.4e-7 * quotient)), 1u);
        step.steps_of_frame = step.steps_left;
        step.dt = (step.length - step.elapsed) / f32(step.steps_of_frame);
        step.inverse_dt = 1.0 / step.dt;
    }
    step.last_step = select(0u, 1u, step.steps_left == 1u);
    step.limited = 0u;
    step.steps_left -= 1u;
}

fn begin_step(fastest: f32, pushed: f32) -> f32 {
    if step.progress == PRIMES {
        step.dt = 0.0;
        step.inverse_dt = 0.0;
        return 0.0;
    }
    if step.progress == NOT_KICKED {
        choose_equal_dt();
        step.progress = KICKS;
    } else {
        step.progress = KICKED;
    }
    return step.dt * fastest + params.skin;
}

// Whether walls move in this attempt at a step.
fn walls_move() -> bool {
    return step.progress == KICKS;
}

// Whether a wall moves as its pose says: free bodies move after the walls do.
fn moves_by_pose(pose: Pose) -> bool {
    return pose.high.w == 0.0;
}
