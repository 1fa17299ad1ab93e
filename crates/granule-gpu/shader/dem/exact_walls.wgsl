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

// The point of a primitive that distances are measured from, in the shape's frame: near the sphere where there is a choice.
fn reference_point(record: vec4<u32>, face: u32, local: vec3<f32>) -> vec3<f32> {
    let a = numbers(record, 0u);
    let b = numbers(record, 1u);
    var point = a.xyz;
    let kind = record.x & 255u;
    if kind == BLOCK {
        var upper = local > 0.5 * (a.xyz + b.xyz);
        if (record.x & HOLLOW) != 0u {
            upper = vec3((face & 1u) == 1u);
        }
        point = select(a.xyz, b.xyz, upper);
    } else if kind == PILL {
        let along = dot(local - a.xyz, b.xyz);
        if along > b.w {
            point = a.xyz + b.w * b.xyz;
        }
    }
    return point;
}

// Out of a centre by a radius.
fn exact_round(offset: Fine3, radius: f32, fallback: vec3<f32>) -> ExactWall {
    let rough = fine_vector(offset);
    let size = length(rough);
    var wall = ExactWall(-radius, fallback, radius * fallback, 1.0 / radius);
    if size > TINY {
        let normal = rough / size;
        let distance = fine_value(fine_difference(fine_length(normal, offset), fine_number(radius)));
        wall = ExactWall(distance, normal, -distance * normal, 1.0 / radius);
    }
    return wall;
}

// The nearest point of a solid block, from its nearest corner.
fn exact_block(pose: Pose, offset: Fine3, upper: vec3<bool>) -> ExactWall {
    var beyond = vec3(0.0);
    let sign = select(vec3(-1.0), vec3(1.0), upper);
    for (var axis = 0u; axis < 3u; axis++) {
        var unit = vec3(0.0);
        unit[axis] = 1.0;
        beyond[axis] = sign[axis] * fine_value(fine_dot(into_world(pose, unit), offset));
    }
    var axis = 2u;
    if beyond.x >= beyond.y && beyond.x >= beyond.z {
        axis = 0u;
    } else if beyond.y >= beyond.z {
        axis = 1u;
    }
    var out = vec3(0.0);
    out[axis] = sign[axis];
    var distance = beyond[axis];
    if distance > 0.0 {
        out = sign * max(beyond, vec3(0.0));
        distance = length(out);
        out /= distance;
    }
    return exact_plain(distance, into_world(pose, out));
}

// Distance from an axis and place along it, of an offset from a point of the axis.
fn profile_place(axis: vec3<f32>, offset: Fine3) -> ProfilePlace {
    let rough = fine_vector(offset);
    let height = fine_length(axis, offset);
    var away = rough - dot(rough, axis) * axis;
    let size = length(away);
    var place = ProfilePlace(any_perpendicular(axis), axis, Fine(0, 0.0), height);
    if size > TINY + 1e-6 * length(rough) {
        away /= size;
        away -= dot(away, axis) * axis;
        place.radial = normalize(away);
        // The direction is not quite across the axis, nor quite of length 1.
        let lean = fine_value(fine_dot(place.radial, fine_direction(axis)));
        let excess = fine_excess(place.radial) - lean * lean;
        let along = fine_dot(place.radial, offset);
        place.radius = fine_plus(along, -lean * fine_value(height) - 0.5 * excess * fine_value(along));
    }
    return place;
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

// Which edge of a profile a wall is: number, whether it lies across the axis, whether its nearest point is the end of it.
struct ProfileEdge {
    number: u32,
    across: bool,
    rim: bool,
}

fn profile_edge(record: vec4<u32>, face: u32, p: vec2<f32>) -> ProfileEdge {
    let hollow = (record.x & HOLLOW) != 0u;
    let across = select(face != 0u, face >= record.w, hollow);
    var inside = 0u;
    var depth = -LARGEST;
    var outside = 0u;
    var square = LARGEST;
    var bore = 0u;
    var nearest_bore = LARGEST;
    var beside = 0.0;
    for (var k = 0u; k < record.w; k++) {
        let edge = edge_of(record, k);
        let over = over_edge(edge, p);
        if over.x > depth {
            depth = over.x;
            inside = k;
        }
        let past = over.y - clamp(over.y, 0.0, edge.size);
        let edge_square = over.x * over.x + past * past;
        if over.x > 0.0 && edge_square < square {
            square = edge_square;
            outside = k;
            beside = past;
        }
        let beyond = over_edge(edge, vec2(-p.x, p.y)).x;
        if edge.normal.x < 0.0 && beyond < nearest_bore {
            nearest_bore = beyond;
            bore = k;
        }
    }
    var found = ProfileEdge(select(face, face - record.w, across) % record.w, across, false);
    if !hollow {
        found.number = select(select(outside, inside, depth <= 0.0), bore, across);
        found.rim = !across && depth > 0.0 && beside != 0.0;
    }
    return found;
}

fn exact_profile(record: vec4<u32>, face: u32, own: ProfilePlace) -> ExactWall {
    let p = vec2(fine_value(own.radius), fine_value(own.height));
    let found = profile_edge(record, face, p);
    let edge = edge_of(record, found.number);
    var place = own;
    if found.across {
        place.radial = -own.radial;
        place.radius = Fine(-own.radius.whole, -own.radius.rest);
    }
    // Height over the line of the edge, or the distance from its end, each part of which is small.
    let end = edge.start + clamp(over_edge(edge, p).y, 0.0, edge.size) * edge.along;
    let from_point = select(edge.start, end, found.rim);
    let across = fine_difference(place.radius, fine_number(from_point.x));
    let along = fine_difference(place.height, fine_number(from_point.y));
    var normal = edge.normal;
    var distance = fine_value(fine_sum(fine_scaled(normal.x, across), fine_scaled(normal.y, along)));
    if found.rim {
        let apart = vec2(fine_value(across), fine_value(along));
        distance = length(apart);
        normal = apart / max(distance, TINY);
    }
    var wall = profile_wall(place, distance, normal);
    if found.rim {
        wall.curvature = 0.0;
    }
    return wall;
}

// The primitive of a solid that a face belongs to; x is 0xffffffff for edges in which walls meet.
fn primitive_of(solid: vec4<u32>, face: u32) -> vec4<u32> {
    var best = vec4(0xffffffffu);
    if solid.y == 1u || face < solid.z {
        for (var p = 0u; p < solid.y; p++) {
            let part = solid_table[solid.x + p];
            for (var k = 0u; k < part.y; k++) {
                let record = solid_table[part.x + k];
                if record.y <= face && (best.x == 0xffffffffu || record.y >= best.y) {
                    best = record;
                }
            }
        }
    }
    return best;
}

// Twin of `exact_of`: where both do not mean the same wall, single precision is right. `local` is the sphere's centre in the
// shape's frame.
fn exact_wall(
    pose: Pose,
    solid: vec4<u32>,
    surface: Surface,
    place: ExactPosition,
    local: vec3<f32>,
) -> ExactWall {
    let single = exact_plain(surface.distance, into_world(pose, surface.normal));
    let record = primitive_of(solid, surface.face);
    var wall = single;
    if record.x != 0xffffffffu {
        let face = surface.face - record.y;
        let hollow = (record.x & HOLLOW) != 0u;
        let kind = record.x & 255u;
        let a = numbers(record, 0u);
        let b = numbers(record, 1u);
        let point = reference_point(record, face, local);
        let offset = fine_offset(place, pose, point);
        let axis = into_world(pose, b.xyz);
        let along = dot(local - a.xyz, b.xyz);
        let beside_pill = kind == PILL && along >= 0.0 && along <= b.w;
        if kind == HALF_SPACE {
            wall = exact_plain(fine_value(fine_dot(axis, offset)), axis);
        } else if kind == BLOCK && hollow {
            var out = vec3(0.0);
            out[min(face / 2u, 2u)] = select(1.0, -1.0, (face & 1u) == 1u);
            let normal = into_world(pose, out);
            wall = exact_plain(fine_value(fine_dot(normal, offset)), normal);
        } else if kind == BLOCK {
            wall = exact_block(pose, offset, point == b.xyz);
        } else if kind == BALL || (kind == PILL && !beside_pill) {
            wall = exact_round(offset, a.w, select(vec3(0.0, 1.0, 0.0), any_perpendicular(axis), kind == PILL));
        } else if kind == PILL || kind == PROFILE {
            let around = profile_place(axis, offset);
            if kind == PROFILE {
                wall = exact_profile(record, face, around);
            } else {
                let distance = fine_value(fine_difference(around.radius, fine_number(a.w)));
                wall = ExactWall(distance, around.radial, -distance * around.radial, 0.5 / a.w);
            }
        }
        if hollow && kind != BLOCK {
            wall = ExactWall(-wall.distance, -wall.normal, wall.to_closest, -wall.curvature);
        }
        let far = max(max(abs(local.x), abs(local.y)), abs(local.z)) + length(pose.translation.xyz);
        if !(abs(wall.distance - surface.distance) <= 1e-5 * (far + abs(surface.distance))) {
            wall = single;
        }
    }
    return wall;
}
