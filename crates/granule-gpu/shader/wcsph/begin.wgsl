// Hook of begin.wgsl: begins a step, or goes on with one that was interrupted.

// The longest step that sound, forces, viscosity and surface tension allow; twin of WcsphParams::longest_step.
fn longest_step(fastest: f32, pushed: f32) -> f32 {
    let sound = params.cfl * params.spacing / (wcsph.sound_speed + fastest);
    var bound = min(params.viscous_step, sound);
    if pushed > 0.0 {
        bound = min(bound, 0.25 * sqrt(params.spacing / pushed));
    }
    return bound;
}

fn begin_step(fastest: f32, pushed: f32) -> f32 {
    if step.progress == PRIMES || step.progress == SAMPLES {
        step.dt = 0.0;
        step.inverse_dt = 0.0;
        return 0.0;
    }
    if step.progress == NOT_KICKED {
        choose_dt(longest_step(fastest, pushed));
        step.progress = KICKS;
    } else {
        step.progress = KICKED;
    }
    return step.dt * (fastest + 0.5 * step.dt * pushed + params.push_out_speed) + 0.01 * params.support;
}

// How far pairs are listed, of this step's lists [m].
fn pair_reach() -> f32 {
    return params.reach;
}

// Whether walls move in this attempt at a step.
fn walls_move() -> bool {
    return step.progress == KICKS;
}

// Whether a wall moves as its pose says, and not as the method moves it later.
fn moves_by_pose(pose: Pose) -> bool {
    return true;
}
