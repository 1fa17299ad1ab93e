// What sums of pushes count in: as those of the bodies that rapier moves.
fn push_scale() -> f32 {
    return force_scale();
}

fn turning_scale() -> f32 {
    return torque_scale();
}
