// How far from the centre of a sphere walls are looked for [m].
fn wall_reach(radius: f32) -> f32 {
    return radius + dem.skin + dem.lasting;
}
