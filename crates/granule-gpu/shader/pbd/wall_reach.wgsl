// How far from the centre of a grain walls are looked for [m].
fn wall_reach(radius: f32) -> f32 {
    return radius + step.list_skin;
}
