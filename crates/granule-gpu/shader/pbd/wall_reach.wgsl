// How far from the centre of a grain walls are looked for [m], where both have the largest skin of all, and walls have moved since
// the lists of a checkpoint were made.
fn wall_reach(radius: f32) -> f32 {
    return radius + 2.0 * step.list_skin + step.wall_displacement;
}
