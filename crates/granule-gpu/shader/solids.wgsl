// Distances and walls of solids; twins of boundary/primitive.rs, profile.rs and combine.rs.
//
// The program is a table of records: a solid is an intersection of parts, a part a union of primitives, a primitive has
// its numbers further on. Further kinds of primitives (volume maps of meshes) only need a kind and an offset.

@group(0) @binding(0) var<storage, read> program: array<vec4<u32>>;

struct Surface {
    distance: f32,
    normal: vec3<f32>,
    closest: vec3<f32>,
    face: u32,
}

const HALF_SPACE: u32 = 0u;
const BLOCK: u32 = 1u;
const BALL: u32 = 2u;
const PILL: u32 = 3u;
const PROFILE: u32 = 4u;

const HOLLOW: u32 = 256u;
const TOUCHES_AXIS: u32 = 512u;

const TINY: f32 = 1e-12;
const STEEP: f32 = 0.7;
const CANDIDATES: u32 = 16u;
const EDGES: u32 = 4u;
const MOST_WALLS: u32 = 12u;

// Walls of a primitive near a point.
var<private> walls: array<Surface, 12>;
var<private> wall_count: u32;

fn numbers(record: vec4<u32>, k: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(program[record.z + k]);
}

fn inverted(surface: Surface) -> Surface {
    return Surface(-surface.distance, -surface.normal, surface.closest, surface.face);
}

fn any_perpendicular(v: vec3<f32>) -> vec3<f32> {
    let sign = select(-1.0, 1.0, v.z >= 0.0);
    let a = -1.0 / (sign + v.z);
    let b = v.x * v.y * a;
    return vec3(b, sign + v.y * v.y * a, -v.y);
}

// Direction and length; the fallback where there is none.
fn direction(offset: vec3<f32>, fallback: vec3<f32>) -> vec4<f32> {
    let size = length(offset);
    if size <= TINY {
        return vec4(fallback, 0.0);
    }
    return vec4(offset / size, size);
}

fn block_nearest(low: vec3<f32>, high: vec3<f32>, x: vec3<f32>) -> Surface {
    let beyond = max(low - x, x - high);
    var axis = 2u;
    if beyond.x >= beyond.y && beyond.x >= beyond.z {
        axis = 0u;
    } else if beyond.y >= beyond.z {
        axis = 1u;
    }
    let sign = select(1.0, -1.0, low[axis] - x[axis] > x[axis] - high[axis]);
    var face_normal = vec3(0.0);
    face_normal[axis] = sign;
    if beyond[axis] <= 0.0 {
        var closest = x;
        closest[axis] = select(high[axis], low[axis], sign < 0.0);
        return Surface(beyond[axis], face_normal, closest, 0u);
    }
    let closest = clamp(x, low, high);
    let away = direction(x - closest, face_normal);
    return Surface(away.w, away.xyz, closest, 0u);
}

fn block_distance(low: vec3<f32>, high: vec3<f32>, x: vec3<f32>) -> f32 {
    let beyond = max(low - x, x - high);
    return length(max(beyond, vec3(0.0))) + min(max(beyond.x, max(beyond.y, beyond.z)), 0.0);
}

fn pill_spine(from_end: vec4<f32>, axis: vec4<f32>, x: vec3<f32>) -> vec3<f32> {
    return from_end.xyz + clamp(dot(x - from_end.xyz, axis.xyz), 0.0, axis.w) * axis.xyz;
}

// A point in the half-plane through it and a profile's axis: the direction away from the axis; radial and axial place.
struct Local {
    radial: vec3<f32>,
    p: vec2<f32>,
}

fn locate(origin: vec3<f32>, axis: vec3<f32>, x: vec3<f32>) -> Local {
    let offset = x - origin;
    let z = dot(offset, axis);
    let away = offset - z * axis;
    let size = length(away);
    if size <= TINY + 1e-6 * length(offset) {
        return Local(any_perpendicular(axis), vec2(0.0, z));
    }
    let tilted = away / size;
    return Local(normalize(tilted - dot(tilted, axis) * axis), vec2(size, z));
}

struct Edge {
    start: vec2<f32>,
    along: vec2<f32>,
    normal: vec2<f32>,
    size: f32,
}

fn edge_of(record: vec4<u32>, k: u32) -> Edge {
    let a = numbers(record, 2u + 2u * k);
    let b = numbers(record, 3u + 2u * k);
    return Edge(a.xy, a.zw, b.xy, b.z);
}

// Height over an edge's line and place along it.
fn over_edge(edge: Edge, p: vec2<f32>) -> vec2<f32> {
    return vec2(dot(edge.normal, p - edge.start), dot(edge.along, p - edge.start));
}

fn profile_surface(
    record: vec4<u32>,
    radial: vec3<f32>,
    distance: f32,
    normal: vec2<f32>,
    closest: vec2<f32>,
    face: u32,
) -> Surface {
    let origin = numbers(record, 0u).xyz;
    let axis = numbers(record, 1u).xyz;
    return Surface(
        distance,
        normal.x * radial + normal.y * axis,
        origin + closest.x * radial + closest.y * axis,
        face,
    );
}

fn profile_nearest(record: vec4<u32>, local: Local) -> Surface {
    var depth = -LARGEST;
    var inside = 0u;
    var inside_place = 0.0;
    var square = LARGEST;
    var outside = 0u;
    var height = 0.0;
    var place = 0.0;
    for (var k = 0u; k < record.w; k++) {
        let edge = edge_of(record, k);
        let over = over_edge(edge, local.p);
        if over.x > depth {
            depth = over.x;
            inside = k;
            inside_place = over.y;
        }
        let beside = over.y - clamp(over.y, 0.0, edge.size);
        let edge_square = over.x * over.x + beside * beside;
        if edge_square < square {
            square = edge_square;
            outside = k;
            height = over.x;
            place = over.y;
        }
    }
    if depth <= 0.0 {
        let edge = edge_of(record, inside);
        let closest = edge.start + inside_place * edge.along;
        return profile_surface(record, local.radial, depth, edge.normal, closest, 0u);
    }
    let edge = edge_of(record, outside);
    let clamped = clamp(place, 0.0, edge.size);
    let closest = edge.start + clamped * edge.along;
    let distance = sqrt(square);
    if place == clamped || distance <= TINY {
        return profile_surface(record, local.radial, height, edge.normal, closest, 0u);
    }
    return profile_surface(record, local.radial, distance, (local.p - closest) / distance, closest, 0u);
}

// Signed distance of a primitive.
fn primitive_distance(record: vec4<u32>, x: vec3<f32>) -> f32 {
    let a = numbers(record, 0u);
    let b = numbers(record, 1u);
    var distance = 0.0;
    switch record.x & 255u {
        case HALF_SPACE: {
            distance = dot(b.xyz, x - a.xyz);
        }
        case BLOCK: {
            distance = block_distance(a.xyz, b.xyz, x);
        }
        case BALL: {
            distance = length(x - a.xyz) - a.w;
        }
        case PILL: {
            distance = length(x - pill_spine(a, b, x)) - a.w;
        }
        default: {
            distance = profile_nearest(record, locate(a.xyz, b.xyz, x)).distance;
        }
    }
    return select(distance, -distance, (record.x & HOLLOW) != 0u);
}

// The nearest wall of a primitive that is not turned inside out.
fn solid_nearest(record: vec4<u32>, x: vec3<f32>) -> Surface {
    let a = numbers(record, 0u);
    let b = numbers(record, 1u);
    var surface: Surface;
    switch record.x & 255u {
        case HALF_SPACE: {
            let distance = dot(b.xyz, x - a.xyz);
            surface = Surface(distance, b.xyz, x - distance * b.xyz, 0u);
        }
        case BLOCK: {
            surface = block_nearest(a.xyz, b.xyz, x);
        }
        case BALL: {
            let away = direction(x - a.xyz, vec3(0.0, 1.0, 0.0));
            surface = Surface(away.w - a.w, away.xyz, a.xyz + a.w * away.xyz, 0u);
        }
        case PILL: {
            let spine = pill_spine(a, b, x);
            let away = direction(x - spine, any_perpendicular(b.xyz));
            surface = Surface(away.w - a.w, away.xyz, spine + a.w * away.xyz, 0u);
        }
        default: {
            surface = profile_nearest(record, locate(a.xyz, b.xyz, x));
        }
    }
    return surface;
}

fn primitive_nearest(record: vec4<u32>, x: vec3<f32>) -> Surface {
    var surface = solid_nearest(record, x);
    if (record.x & HOLLOW) != 0u {
        surface = inverted(surface);
    }
    surface.face += record.y;
    return surface;
}

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
                offer(record, Surface(distance, normal, closest, 2u * axis + side), reach);
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

// Signed distance of a part: the nearest of its primitives'.
fn part_distance(part: vec4<u32>, x: vec3<f32>) -> f32 {
    var distance = LARGEST;
    for (var k = 0u; k < part.y; k++) {
        distance = min(distance, primitive_distance(program[part.x + k], x));
    }
    return distance;
}

fn part_nearest(part: vec4<u32>, x: vec3<f32>) -> Surface {
    var best = program[part.x];
    if part.y > 1u {
        var distance = LARGEST;
        for (var k = 0u; k < part.y; k++) {
            let record = program[part.x + k];
            let own = primitive_distance(record, x);
            if own < distance {
                distance = own;
                best = record;
            }
        }
    }
    return primitive_nearest(best, x);
}

// Signed distance of a solid: the farthest of its parts'.
fn solid_distance(solid: vec4<u32>, x: vec3<f32>) -> f32 {
    var distance = -LARGEST;
    for (var k = 0u; k < solid.y; k++) {
        distance = max(distance, part_distance(program[solid.x + k], x));
    }
    return distance;
}
