// Hook of begin.wgsl: a step as long as the fastest particle and viscosity allow; particles are sorted before they move.

fn begin_step(fastest: f32, pushed: f32) -> f32 {
    var bound = params.viscous_step;
    if fastest > 0.0 {
        bound = min(bound, params.cfl * params.spacing / fastest);
    }
    choose_dt(bound);
    return 0.0;
}

// How far pairs are listed, of this step's lists [m].
fn pair_reach() -> f32 {
    return params.reach;
}

// Whether walls move in this attempt at a step.
fn walls_move() -> bool {
    return true;
}

// Whether a wall moves as its pose says, and not as the method moves it later.
fn moves_by_pose(pose: Pose) -> bool {
    return true;
}
