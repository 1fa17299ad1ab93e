// Walls of meshes near a point: the nearest one, and where walls meet at a concave angle each of them; twin of
// GridSolid::surfaces. The first one holds the wall integral of all.

var<private> map_walls: array<MapWall, 4>;

// Twin of GridSolid::walls; returns how many there are.
fn find_map_walls(record: vec4<u32>, local: vec3<f32>, field: MapField, reach: f32) -> u32 {
    let size = length(field.direction);
    let normal = direction_or_up(field.direction);
    let nearest = MapWall(local - field.distance * normal, normal);
    let others = walls_of_cell(map_grid(record), local);
    map_walls[0] = nearest;
    if others.y == 0u || field.distance >= MEETING_REACH * reach {
        return 1u;
    }
    var count = select(0u, 1u, min(field.certainty, size) >= RELIABLE_SLOPE);
    let least = IN_FRONT * PROBE_STEP * reach;
    let first_wall = solid_table[record.z + 3u].w;
    for (var k = 0u; k < others.y; k++) {
        let at = first_wall + 2u * (others.x + k);
        var wall = MapWall(bitcast<vec4<f32>>(solid_table[at]).xyz, bitcast<vec4<f32>>(solid_table[at + 1u]).xyz);
        let distance = map_wall_distance(wall, local);
        wall.foot = local - distance * wall.normal;
        var meets = distance < MEETING_REACH * reach && count < MOST_MAP_WALLS;
        for (var other = 0u; other < count; other++) {
            meets = meets && map_walls_meet(wall, map_walls[other], least);
        }
        if meets {
            map_walls[count] = wall;
            count++;
        }
    }
    if count == 0u {
        map_walls[0] = nearest;
        return 1u;
    }
    return count;
}

fn offer_map_walls(record: vec4<u32>, x: vec3<f32>, reach: f32) {
    let local = in_map_frame(record, x);
    let field = map_field(record, local);
    if field.distance >= reach {
        return;
    }
    let count = find_map_walls(record, local, field, reach);
    let lambda = clamp(wall_lambda(field.distance) + field.excess, 0.0, 1.0);
    for (var k = 0u; k < count; k++) {
        let distance = map_wall_distance(map_walls[k], local);
        let normal = out_of_map_frame(record, map_walls[k].normal);
        var surface = plain(distance, normal, x - distance * normal, 0u);
        surface.lambda = select(0.0, lambda, k == 0u);
        offer(record, surface, reach);
    }
}
