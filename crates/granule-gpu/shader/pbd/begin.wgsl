// Hook of begin.wgsl: begins a step, or goes on with one that was interrupted. Twin of list_contacts_near in solver/pbd/mod.rs.

fn begin_step(fastest: f32, pushed: f32) -> f32 {
    if step.progress == AGAIN {
        return 0.0;
    }
    if step.progress == NOT_BEGUN {
        choose_equal_dt();
        step.progress = BEGINS;
    } else {
        step.progress = BEGUN;
    }
    if !(step.memory_dt > 0.0) {
        step.memory_dt = step.dt;
    }
    if step.listed == 0u {
        step.skin_steps = skin_steps_of(mean_speed);
        step.list_skin = skin_of(way_of(fastest));
        step.wall_displacement = 0.0;
    }
    return 0.0;
}

// How far pairs are listed, of this step's lists [m].
fn pair_reach() -> f32 {
    return pbd.largest + 2.0 * step.list_skin;
}

// Whether walls move in this attempt at a step: note_motion.wgsl counts their ways.
fn walls_move() -> bool {
    return false;
}

// Whether a wall moves as its pose says.
fn moves_by_pose(pose: Pose) -> bool {
    return true;
}
