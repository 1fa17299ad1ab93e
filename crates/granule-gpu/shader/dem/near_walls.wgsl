// Walls that a sphere may touch, of analytic shapes and of meshes: facets.wgsl has them then.

// Walls of a solid near a particle, in the shape's frame.
var<private> near_count: u32;
var<private> near: array<Surface, 12>;

// Takes a wall in the shape's frame.
fn accept(boundary: u32, surface: Surface) {
    if near_count < MOST_NEAR {
        near[near_count] = surface;
        near_count++;
    }
}

// Finds the walls of a solid that a sphere may touch.
fn find_walls_of(boundary: u32, pose: Pose, solid: vec4<u32>, place: ExactPosition, local: vec3<f32>, reach: f32) {
    let mesh = mesh_of(solid);
    if MAPS && mesh.x != 0xffffffffu {
        add_facets(mesh, pose, place, local, reach);
        return;
    }
    near_count = 0u;
    solid_walls(boundary, solid, local, reach);
    for (var k = 0u; k < near_count; k++) {
        add_wall(exact_wall(pose, solid, near[k], place, local), near[k].face);
    }
}
