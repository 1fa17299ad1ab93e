// Walls that single precision has found near a sphere, finer: twins of boundary/exact.rs. Directions and places are those of
// the world.

struct ExactWall {
    distance: f32,
    normal: vec3<f32>,
    // From the centre of the sphere to the nearest point of the wall.
    to_closest: vec3<f32>,
    curvature: f32,
}

// A sphere's centre as an edge of a profile sees it.
struct ProfilePlace {
    radial: vec3<f32>,
    axis: vec3<f32>,
    radius: Fine,
    height: Fine,
}

fn exact_plain(distance: f32, normal: vec3<f32>) -> ExactWall {
    return ExactWall(distance, normal, -distance * normal, 0.0);
}

fn exact_inverted(wall: ExactWall, hollow: bool) -> ExactWall {
    if !hollow {
        return wall;
    }
    return ExactWall(-wall.distance, -wall.normal, wall.to_closest, -wall.curvature);
}

// Out of a centre by a radius: of a ball, or of the end of a pill.
fn exact_round(offset: Fine3, radius: f32, fallback: vec3<f32>, curvature: f32) -> ExactWall {
    let rough = fine_vector(offset);
    let size = length(rough);
    if !(size > TINY) {
        return ExactWall(-radius, fallback, radius * fallback, curvature);
    }
    let normal = rough / size;
    let distance = fine_value(fine_difference(fine_length(normal, offset), fine_number(radius)));
    return ExactWall(distance, normal, -distance * normal, curvature);
}

// One of the three coordinates.
fn fine_axis(a: Fine3, axis: u32) -> Fine {
    if axis == 0u {
        return a.x;
    }
    if axis == 1u {
        return a.y;
    }
    return a.z;
}

fn world_axis(pose: Pose, axis: u32) -> vec3<f32> {
    var unit = vec3(0.0);
    unit[axis] = 1.0;
    return into_world(pose, unit);
}

// Offset from a corner of a block along one of its axes.
fn along_axis(pose: Pose, offset: Fine3, axis: u32) -> f32 {
    if pose.translation.w == 1.0 {
        return fine_value(fine_axis(offset, axis));
    }
    return fine_value(fine_dot(world_axis(pose, axis), offset));
}

// One of the six walls of a container.
fn exact_container(pose: Pose, record: vec4<u32>, place: ExactPosition, face: u32) -> ExactWall {
    let axis = min(face / 2u, 2u);
    let upper = (face & 1u) == 1u;
    var corner = numbers(record, 0u).xyz;
    if upper {
        corner = numbers(record, 1u).xyz;
    }
    let sign = select(1.0, -1.0, upper);
    let distance = sign * along_axis(pose, fine_offset(place, pose, corner), axis);
    return exact_plain(distance, sign * world_axis(pose, axis));
}

// The nearest point of a solid block.
fn exact_block(pose: Pose, record: vec4<u32>, place: ExactPosition) -> ExactWall {
    let low = fine_offset(place, pose, numbers(record, 0u).xyz);
    let high = fine_offset(place, pose, numbers(record, 1u).xyz);
    var beyond = vec3(0.0);
    var sign = vec3(1.0);
    var outside = vec3(0.0);
    for (var axis = 0u; axis < 3u; axis++) {
        let below = -along_axis(pose, low, axis);
        let above = along_axis(pose, high, axis);
        beyond[axis] = max(below, above);
        sign[axis] = select(1.0, -1.0, below > above);
        outside[axis] = sign[axis] * max(beyond[axis], 0.0);
    }
    var axis = 2u;
    if beyond.x >= beyond.y && beyond.x >= beyond.z {
        axis = 0u;
    } else if beyond.y >= beyond.z {
        axis = 1u;
    }
    if beyond[axis] <= 0.0 {
        return exact_plain(beyond[axis], sign[axis] * world_axis(pose, axis));
    }
    let distance = length(outside);
    let normal = into_world(pose, outside / distance);
    return exact_plain(distance, normal);
}

fn exact_pill(pose: Pose, record: vec4<u32>, place: ExactPosition) -> ExactWall {
    let from_end = numbers(record, 0u);
    let axis = numbers(record, 1u);
    let direction = into_world(pose, axis.xyz);
    let offset = fine_offset(place, pose, from_end.xyz);
    let along = dot(fine_vector(offset), direction);
    let clamped = clamp(along, 0.0, axis.w);
    if along == clamped {
        let sides = profile_place(direction, offset);
        let distance = fine_value(fine_difference(sides.radius, fine_number(from_end.w)));
        return ExactWall(distance, sides.radial, -distance * sides.radial, 0.5 / from_end.w);
    }
    let end = fine_offset(place, pose, from_end.xyz + clamped * axis.xyz);
    return exact_round(end, from_end.w, any_perpendicular(direction), 1.0 / from_end.w);
}

// Distance from an axis and place along it, of an offset from a point of the axis.
fn profile_place(axis: vec3<f32>, offset: Fine3) -> ProfilePlace {
    let rough = fine_vector(offset);
    let height = fine_length(axis, offset);
    let z = fine_value(height);
    var away = rough - dot(rough, axis) * axis;
    var size = length(away);
    if !(size > TINY + 1e-6 * length(rough)) {
        return ProfilePlace(any_perpendicular(axis), axis, Fine(0, 0.0), height);
    }
    away /= size;
    away -= dot(away, axis) * axis;
    let radial = normalize(away);
    // The direction is not quite across the axis, nor quite of length 1.
    let lean = fine_value(fine_dot(radial, fine_direction(axis)));
    let excess = fine_excess(radial) - lean * lean;
    let along = fine_dot(radial, offset);
    let radius = fine_plus(along, -lean * z - 0.5 * excess * fine_value(along));
    return ProfilePlace(radial, axis, radius, height);
}

// Height over the line of an edge.
fn exact_height(edge: Edge, place: ProfilePlace) -> f32 {
    let across = fine_scaled(edge.normal.x, fine_difference(place.radius, fine_number(edge.start.x)));
    let along = fine_scaled(edge.normal.y, fine_difference(place.height, fine_number(edge.start.y)));
    return fine_value(fine_sum(across, along));
}

fn profile_wall(place: ProfilePlace, distance: f32, normal: vec2<f32>) -> ExactWall {
    let closest = fine_value(place.radius) - distance * normal.x;
    var curvature = 0.0;
    if abs(normal.x) > 1e-6 {
        curvature = 0.5 * sign(normal.x) / max(closest, 1e-30);
    }
    let out = normal.x * place.radial + normal.y * place.axis;
    return ExactWall(distance, out, -distance * out, curvature);
}

fn on_edge(edge: Edge, place: ProfilePlace) -> ExactWall {
    return profile_wall(place, exact_height(edge, place), edge.normal);
}

fn across_axis(place: ProfilePlace) -> ProfilePlace {
    return ProfilePlace(-place.radial, place.axis, Fine(-place.radius.whole, -place.radius.rest), place.height);
}

// The nearest point of a solid of revolution.
fn exact_nearest(record: vec4<u32>, place: ProfilePlace) -> ExactWall {
    let p = vec2(fine_value(place.radius), fine_value(place.height));
    var depth = -LARGEST;
    var inside = 0u;
    var square = LARGEST;
    var outside = 0u;
    for (var k = 0u; k < record.w; k++) {
        let edge = edge_of(record, k);
        let over = over_edge(edge, p);
        if over.x > depth {
            depth = over.x;
            inside = k;
        }
        let beside = over.y - clamp(over.y, 0.0, edge.size);
        let edge_square = over.x * over.x + beside * beside;
        if edge_square < square {
            square = edge_square;
            outside = k;
        }
    }
    if depth <= 0.0 {
        return on_edge(edge_of(record, inside), place);
    }
    let edge = edge_of(record, outside);
    let over = over_edge(edge, p);
    let clamped = clamp(over.y, 0.0, edge.size);
    if over.y == clamped {
        return on_edge(edge, place);
    }
    // A rim: the distance from its point, each part of which is small.
    let corner = edge.start + clamped * edge.along;
    let apart = vec2(
        fine_value(fine_difference(place.radius, fine_number(corner.x))),
        fine_value(fine_difference(place.height, fine_number(corner.y))),
    );
    let distance = length(apart);
    let normal = apart / max(distance, TINY);
    var wall = profile_wall(place, distance, normal);
    wall.curvature = 0.0;
    return wall;
}

fn exact_profile(pose: Pose, record: vec4<u32>, place: ExactPosition, face: u32) -> ExactWall {
    let axis = into_world(pose, numbers(record, 1u).xyz);
    let local = profile_place(axis, fine_offset(place, pose, numbers(record, 0u).xyz));
    let hollow = (record.x & HOLLOW) != 0u;
    if hollow {
        if face < record.w {
            return exact_inverted(on_edge(edge_of(record, face), local), true);
        }
        if face < 2u * record.w {
            return exact_inverted(on_edge(edge_of(record, face - record.w), across_axis(local)), true);
        }
        return exact_plain(LARGEST, axis);
    }
    if face == 0u {
        return exact_nearest(record, local);
    }
    // The wall beyond the axis of a bore.
    var best = exact_plain(LARGEST, axis);
    for (var k = 0u; k < record.w; k++) {
        let edge = edge_of(record, k);
        if edge.normal.x < 0.0 {
            let wall = on_edge(edge, across_axis(local));
            if wall.distance < best.distance {
                best = wall;
            }
        }
    }
    return best;
}

// The primitive of a solid that a face belongs to; x is 0xffffffff for edges in which walls meet.
fn primitive_of(solid: vec4<u32>, face: u32) -> vec4<u32> {
    if solid.y > 1u && face >= solid.z {
        return vec4(0xffffffffu);
    }
    var best = vec4(0xffffffffu);
    for (var p = 0u; p < solid.y; p++) {
        let part = solid_table[solid.x + p];
        for (var k = 0u; k < part.y; k++) {
            let record = solid_table[part.x + k];
            if record.y <= face && (best.x == 0xffffffffu || record.y >= best.y) {
                best = record;
            }
        }
    }
    return best;
}

// Twin of `exact_of`: where both do not mean the same wall, single precision is right.
fn exact_wall(pose: Pose, solid: vec4<u32>, surface: Surface, place: ExactPosition, x: vec3<f32>) -> ExactWall {
    let normal = into_world(pose, surface.normal);
    let single = exact_plain(surface.distance, normal);
    let record = primitive_of(solid, surface.face);
    if record.x == 0xffffffffu {
        return single;
    }
    let face = surface.face - record.y;
    let hollow = (record.x & HOLLOW) != 0u;
    var wall = single;
    switch record.x & 255u {
        case HALF_SPACE: {
            let out = into_world(pose, numbers(record, 1u).xyz);
            wall = exact_plain(fine_value(fine_dot(out, fine_offset(place, pose, numbers(record, 0u).xyz))), out);
        }
        case BLOCK: {
            if hollow {
                wall = exact_container(pose, record, place, face);
            } else {
                wall = exact_block(pose, record, place);
            }
        }
        case BALL: {
            let a = numbers(record, 0u);
            let round = exact_round(fine_offset(place, pose, a.xyz), a.w, vec3(0.0, 1.0, 0.0), 1.0 / a.w);
            wall = exact_inverted(round, hollow);
        }
        case PILL: {
            wall = exact_inverted(exact_pill(pose, record, place), hollow);
        }
        case PROFILE: {
            wall = exact_profile(pose, record, place, face);
        }
        default: {}
    }
    let far = max(max(abs(x.x), abs(x.y)), abs(x.z));
    if abs(wall.distance - surface.distance) <= 1e-5 * (far + abs(surface.distance)) {
        return wall;
    }
    return single;
}
