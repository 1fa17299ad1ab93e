// Walls of primitives near a point; twins of boundary/primitive.rs and profile.rs.

const STEEP: f32 = 0.7;
const MOST_WALLS: u32 = 12u;

// Those of a primitive near a point.
var<private> walls: array<Surface, 12>;
var<private> wall_count: u32;

fn offer(record: vec4<u32>, surface: Surface, reach: f32) {
    if surface.distance < reach && wall_count < MOST_WALLS {
        var numbered = surface;
        numbered.face += record.y;
        walls[wall_count] = numbered;
        wall_count++;
    }
}

fn container_walls(record: vec4<u32>, x: vec3<f32>, reach: f32) {
    let low = numbers(record, 0u).xyz;
    let high = numbers(record, 1u).xyz;
    let beyond = max(low - x, x - high);
    let near = max(beyond.x, max(beyond.y, beyond.z)) < reach;
    for (var axis = 0u; axis < 3u; axis++) {
        for (var side = 0u; side < 2u; side++) {
            let wall = select(low[axis], high[axis], side == 1u);
            let sign = select(1.0, -1.0, side == 1u);
            let distance = sign * (x[axis] - wall);
            if distance < reach && (near || distance < 0.0) {
                var closest = x;
                closest[axis] = wall;
                var normal = vec3(0.0);
                normal[axis] = sign;
                offer(record, plain(distance, normal, closest, 2u * axis + side), reach);
            }
        }
    }
}

fn profile_container_walls(record: vec4<u32>, x: vec3<f32>, reach: f32) {
    let local = locate(numbers(record, 0u).xyz, numbers(record, 1u).xyz, x);
    var sunk = 0.0;
    for (var k = 0u; k < record.w; k++) {
        sunk = max(sunk, over_edge(edge_of(record, k), local.p).x);
    }
    let slack = min(sunk, reach);
    var found_some = false;
    for (var k = 0u; k < record.w; k++) {
        let edge = edge_of(record, k);
        let over = over_edge(edge, local.p);
        let above = over.y >= -slack && over.y <= edge.size + slack;
        if -over.x < reach && (above || -over.x < 0.0) {
            found_some = true;
            let closest = edge.start + over.y * edge.along;
            offer(record, profile_surface(record, local.radial, -over.x, -edge.normal, closest, k), reach);
        }
        if (record.x & TOUCHES_AXIS) != 0u && edge.normal.x > STEEP {
            let across = over_edge(edge, vec2(-local.p.x, local.p.y));
            if across.x <= 0.0 && -across.x < reach && across.y >= 0.0 && across.y <= edge.size {
                let closest = edge.start + across.y * edge.along;
                let face = record.w + k;
                offer(record, profile_surface(record, -local.radial, -across.x, -edge.normal, closest, face), reach);
            }
        }
    }
    if !found_some {
        offer(record, inverted(profile_nearest(record, local)), reach);
    }
}

fn profile_outside(record: vec4<u32>, x: vec3<f32>, reach: f32) {
    let local = locate(numbers(record, 0u).xyz, numbers(record, 1u).xyz, x);
    offer(record, profile_nearest(record, local), reach);
    if (record.x & TOUCHES_AXIS) != 0u {
        return;
    }
    for (var k = 0u; k < record.w; k++) {
        let edge = edge_of(record, k);
        if edge.normal.x < -STEEP {
            let across = over_edge(edge, vec2(-local.p.x, local.p.y));
            let in_bore = over_edge(edge, local.p).x >= 0.0;
            if in_bore && across.x >= 0.0 && across.y >= 0.0 && across.y <= edge.size {
                let closest = edge.start + across.y * edge.along;
                offer(record, profile_surface(record, -local.radial, across.x, edge.normal, closest, 1u), reach);
            }
        }
    }
}

// Walls of a primitive nearer than `reach`, into `walls`.
fn primitive_walls(record: vec4<u32>, x: vec3<f32>, reach: f32) {
    wall_count = 0u;
    let hollow = (record.x & HOLLOW) != 0u;
    let kind = record.x & 255u;
    if kind == BLOCK && hollow {
        container_walls(record, x, reach);
    } else if kind == PROFILE && hollow {
        profile_container_walls(record, x, reach);
    } else if MAPS && kind == MAP {
        offer_map_walls(record, x, reach);
    } else if kind == PROFILE {
        profile_outside(record, x, reach);
    } else {
        var surface = solid_nearest(record, x);
        if hollow {
            surface = inverted(surface);
        }
        offer(record, surface, reach);
    }
}
