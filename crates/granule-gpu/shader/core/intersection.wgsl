// Walls of intersections and the edges in which two of them meet; twin of boundary/combine.rs.

// Whether any solid has several parts.
override COMBINED: bool = true;

const CANDIDATES: u32 = 16u;
const EDGES: u32 = 4u;

var<private> candidates: array<Surface, 16>;
var<private> candidate_parts: array<u32, 16>;

// Steps along two normals that reduce both distances to zero; z is 0 for nearly parallel walls.
fn meet(first: Surface, second: Surface) -> vec3<f32> {
    let c = dot(first.normal, second.normal);
    let determinant = 1.0 - c * c;
    if determinant <= 1e-3 {
        return vec3(0.0);
    }
    return vec3(
        (first.distance - c * second.distance) / determinant,
        (second.distance - c * first.distance) / determinant,
        1.0,
    );
}

// The point nearest to x of the edge in which two walls meet; w is 0 where there is none.
fn edge_between(solid: vec4<u32>, a: u32, b: u32, x: vec3<f32>, tolerance: f32) -> vec4<f32> {
    let first = candidates[a];
    let second = candidates[b];
    let first_part = candidate_parts[a];
    let second_part = candidate_parts[b];
    let steps = meet(first, second);
    if steps.z == 0.0 || steps.x <= 0.0 || steps.y <= 0.0 {
        return vec4(0.0);
    }
    var y = x - steps.x * first.normal - steps.y * second.normal;
    for (var k = 0u; k < 3u; k++) {
        let one = part_nearest(solid_table[solid.x + first_part], y);
        let two = part_nearest(solid_table[solid.x + second_part], y);
        let more = meet(one, two);
        if more.z == 0.0 {
            return vec4(0.0);
        }
        y -= more.x * one.normal + more.y * two.normal;
    }
    for (var k = 0u; k < solid.y; k++) {
        let distance = part_distance(solid_table[solid.x + k], y);
        let on_wall = (k != first_part && k != second_part) || distance >= -10.0 * tolerance;
        if !(distance <= 10.0 * tolerance && on_wall) {
            return vec4(0.0);
        }
    }
    return vec4(y, 1.0);
}

// Whether a wall of part i bounds the solid: 0 cut away, 1 given by another part, 2 yes.
fn bounds_solid(solid: vec4<u32>, i: u32, surface: Surface, tolerance: f32) -> u32 {
    var repeated = false;
    for (var j = 0u; j < solid.y; j++) {
        if j == i {
            continue;
        }
        let other = solid_table[solid.x + j];
        let distance = part_distance(other, surface.closest);
        if distance > tolerance {
            return 0u;
        }
        if j < i && distance >= -tolerance {
            let normal = part_nearest(other, surface.closest).normal;
            repeated = repeated || dot(normal, surface.normal) > 0.99;
        }
    }
    return select(2u, 1u, repeated);
}

// Accepts the walls of a solid that are nearer than `reach`.
fn solid_walls(boundary: u32, solid: vec4<u32>, x: vec3<f32>, reach: f32) {
    if COMBINED && solid.y > 1u {
        intersection_walls(boundary, solid, x, reach);
        return;
    }
    let part = solid_table[solid.x];
    for (var p = 0u; p < part.y; p++) {
        primitive_walls(solid_table[part.x + p], x, reach);
        for (var k = 0u; k < wall_count; k++) {
            accept(boundary, walls[k]);
        }
    }
}

fn intersection_walls(boundary: u32, solid: vec4<u32>, x: vec3<f32>, reach: f32) {
    let tolerance = 1e-4 * min(reach, 1.0);
    var outermost = 0u;
    var outermost_distance = -LARGEST;
    for (var i = 0u; i < solid.y; i++) {
        let distance = part_distance(solid_table[solid.x + i], x);
        if distance > outermost_distance {
            outermost = i;
            outermost_distance = distance;
        }
    }
    if outermost_distance >= reach {
        return;
    }
    var candidate_count = 0u;
    var found_some = false;
    for (var i = 0u; i < solid.y; i++) {
        let part = solid_table[solid.x + i];
        for (var p = 0u; p < part.y; p++) {
            primitive_walls(solid_table[part.x + p], x, reach);
            for (var k = 0u; k < wall_count; k++) {
                let surface = walls[k];
                if surface.distance < 0.0 && i != outermost {
                    continue;
                }
                let bounds = bounds_solid(solid, i, surface, tolerance);
                if bounds == 0u {
                    if surface.distance > 0.0 && candidate_count < CANDIDATES {
                        candidates[candidate_count] = surface;
                        candidate_parts[candidate_count] = i;
                        candidate_count++;
                    }
                } else if bounds == 2u {
                    found_some = true;
                    accept(boundary, surface);
                }
            }
        }
    }
    solid_edges(boundary, solid, candidate_count, x, reach);
    if !found_some && outermost_distance <= 0.0 {
        let surface = part_nearest(solid_table[solid.x + outermost], x);
        if surface.distance < reach {
            accept(boundary, surface);
        }
    }
}

fn solid_edges(boundary: u32, solid: vec4<u32>, candidate_count: u32, x: vec3<f32>, reach: f32) {
    let tolerance = 1e-4 * min(reach, 1.0);
    var edges: array<vec3<f32>, 4>;
    var edge_count = 0u;
    for (var a = 0u; a < candidate_count; a++) {
        for (var b = a + 1u; b < candidate_count; b++) {
            if candidate_parts[a] == candidate_parts[b] || edge_count == EDGES {
                continue;
            }
            let edge = edge_between(solid, a, b, x, tolerance);
            if edge.w == 0.0 {
                continue;
            }
            let offset = x - edge.xyz;
            let distance = length(offset);
            var known = false;
            for (var k = 0u; k < edge_count; k++) {
                known = known || length(edges[k] - edge.xyz) < 10.0 * tolerance;
            }
            if known || distance >= reach || distance <= tolerance {
                continue;
            }
            edges[edge_count] = edge.xyz;
            accept(boundary, plain(distance, offset / distance, edge.xyz, solid.z + edge_count));
            edge_count++;
        }
    }
}
