// Distances of walls to fine grains; twin of boundary/sdf.rs, in a wall's own frame.

fn in_pose(rotation: vec4<f32>, translation: vec3<f32>, x: vec3<f32>) -> vec3<f32> {
    return rotate(conjugate(rotation), x - translation);
}

fn out_of_pose(rotation: vec4<f32>, translation: vec3<f32>, x: vec3<f32>) -> vec3<f32> {
    return rotate(rotation, x) + translation;
}

fn wall_distance(wall: u32, x: vec3<f32>) -> f32 {
    let solids = fine_scene.walls[wall].solids;
    var distance = LARGEST;
    for (var s = 0u; s < solids.y; s++) {
        distance = min(distance, solid_distance(solid_table[solids.x + s], x));
    }
    return distance;
}

// The nearest point of a wall; its normal is the slope of the distance.
fn wall_nearest(wall: u32, x: vec3<f32>) -> Surface {
    let solids = fine_scene.walls[wall].solids;
    var best = solids.x;
    var least = LARGEST;
    for (var s = 0u; s < solids.y; s++) {
        let distance = solid_distance(solid_table[solids.x + s], x);
        if distance < least {
            least = distance;
            best = solids.x + s;
        }
    }
    let solid = solid_table[best];
    var part = solid.x;
    var most = -LARGEST;
    for (var k = 0u; k < solid.y; k++) {
        let distance = part_distance(solid_table[solid.x + k], x);
        if distance > most {
            most = distance;
            part = solid.x + k;
        }
    }
    return part_nearest(solid_table[part], x);
}
