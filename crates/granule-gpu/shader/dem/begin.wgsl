// Hook of begin.wgsl: begins a step, or goes on with one that was interrupted.

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

// How far pairs are listed, of this step's lists [m].
fn pair_reach() -> f32 {
    return params.reach;
}

// Whether walls move in this attempt at a step.
fn walls_move() -> bool {
    return step.progress == KICKS;
}

// Whether a wall moves as its pose says: free bodies move after the walls do.
fn moves_by_pose(pose: Pose) -> bool {
    return pose.high.w == 0.0;
}
