// Density that walls cut off; twin of wall_density in solver/walls.rs. `contacts` is the file's that includes this one.

fn wall_density(own: DensityState) -> f32 {
    var rest = 1.0;
    for (var k = 0u; k < contact_count(own); k++) {
        rest *= 1.0 - params.wall_fill * contacts[own.z + k].velocity.w;
    }
    return 1.0 - rest;
}
