// Distances and walls of solids; twins of boundary/primitive.rs, profile.rs and combine.rs.
//
// The program is a table of records: a solid is an intersection of parts, a part a union of primitives, a primitive has
// its numbers further on.

@group(0) @binding(0) var<storage, read> solid_table: array<vec4<u32>>;

struct Surface {
    distance: f32,
    normal: vec3<f32>,
    closest: vec3<f32>,
    face: u32,
    // Part of the kernel beyond the wall, below 0 where it is that of a plane.
    lambda: f32,
}

const HALF_SPACE: u32 = 0u;
const BLOCK: u32 = 1u;
const BALL: u32 = 2u;
const PILL: u32 = 3u;
const PROFILE: u32 = 4u;
const MAP: u32 = 5u;

const HOLLOW: u32 = 256u;
const TOUCHES_AXIS: u32 = 512u;
// A mesh whose inside is the void; its map is inside out already.
const CONTAINER: u32 = 1024u;

// Whether there are meshes.
override MAPS: bool = true;

const TINY: f32 = 1e-12;

fn numbers(record: vec4<u32>, k: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(solid_table[record.z + k]);
}

// A wall that nothing but its nearest point is known of.
fn plain(distance: f32, normal: vec3<f32>, closest: vec3<f32>, face: u32) -> Surface {
    return Surface(distance, normal, closest, face, -1.0);
}

fn inverted(surface: Surface) -> Surface {
    return plain(-surface.distance, -surface.normal, surface.closest, surface.face);
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
        return plain(beyond[axis], face_normal, closest, 0u);
    }
    let closest = clamp(x, low, high);
    let away = direction(x - closest, face_normal);
    return plain(away.w, away.xyz, closest, 0u);
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
    return plain(
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
        if over.x > 0.0 && edge_square < square {
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
        case MAP: {
            if MAPS {
                distance = map_distance(record, x);
            }
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
            surface = plain(distance, b.xyz, x - distance * b.xyz, 0u);
        }
        case BLOCK: {
            surface = block_nearest(a.xyz, b.xyz, x);
        }
        case BALL: {
            let away = direction(x - a.xyz, vec3(0.0, 1.0, 0.0));
            surface = plain(away.w - a.w, away.xyz, a.xyz + a.w * away.xyz, 0u);
        }
        case PILL: {
            let spine = pill_spine(a, b, x);
            let away = direction(x - spine, any_perpendicular(b.xyz));
            surface = plain(away.w - a.w, away.xyz, spine + a.w * away.xyz, 0u);
        }
        case MAP: {
            if MAPS {
                surface = map_nearest(record, x);
            }
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

// Signed distance of a part: the nearest of its primitives'.
fn part_distance(part: vec4<u32>, x: vec3<f32>) -> f32 {
    var distance = LARGEST;
    for (var k = 0u; k < part.y; k++) {
        distance = min(distance, primitive_distance(solid_table[part.x + k], x));
    }
    return distance;
}

fn part_nearest(part: vec4<u32>, x: vec3<f32>) -> Surface {
    var best = solid_table[part.x];
    if part.y > 1u {
        var distance = LARGEST;
        for (var k = 0u; k < part.y; k++) {
            let record = solid_table[part.x + k];
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
        distance = max(distance, part_distance(solid_table[solid.x + k], x));
    }
    return distance;
}
