// Hook of begin.wgsl: begins a step, or goes on with one that was interrupted.

fn begin_step(fastest: f32, pushed: f32) -> f32 {
    if step.progress == PRIMES {
        step.dt = 0.0;
        step.inverse_dt = 0.0;
        return 0.0;
    }
    if step.progress == NOT_KICKED {
        choose_dt(params.longest_step);
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
