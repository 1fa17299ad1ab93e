// Transparent triangles and lines over the lit picture, hidden by what is in front of them.

struct Point {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
}

// Depth as the spheres write it, for vertices: z / w is near / distance.
fn deep_position(point: vec3<f32>) -> vec4<f32> {
    return vec4<f32>(point.xy / frame.projection.xy, frame.projection.z, -point.z);
}

@vertex
fn place_corner(
    @location(0) position: vec3<f32>,
    @location(1) color: vec4<f32>,
    @location(2) normal: vec3<f32>,
) -> Point {
    let ray = normalize(position - frame.world_from_view[3].xyz);
    return Point(set_back(deep_position(view_from_world_point(position))), glass(color, normal, ray));
}

struct Line {
    @location(0) start: vec4<f32>,
    @location(1) end: vec3<f32>,
    @location(2) color: vec4<f32>,
}

// A line as a quad of constant width on screen; the part behind the near distance is cut off.
@vertex
fn place_line(@builtin(vertex_index) corner: u32, line: Line) -> Point {
    var a = view_from_world_point(line.start.xyz);
    var b = view_from_world_point(line.end);
    let near = -1.01 * frame.projection.z;
    if a.z > near && b.z > near {
        return Point(vec4<f32>(2.0, 2.0, 2.0, 1.0), vec4<f32>(0.0));
    }
    if a.z > near {
        a = mix(a, b, (a.z - near) / (a.z - b.z));
    } else if b.z > near {
        b = mix(b, a, (b.z - near) / (b.z - a.z));
    }
    let from_clip = deep_position(a);
    let to_clip = deep_position(b);
    let way = (to_clip.xy / to_clip.w - from_clip.xy / from_clip.w) * frame.size.xy;
    let across = normalize(vec2<f32>(-way.y, way.x) + vec2<f32>(1e-9, 0.0));
    var place = select(from_clip, to_clip, (corner & 1u) == 1u);
    let side = f32(corner >> 1u) * 2.0 - 1.0;
    place = vec4<f32>(place.xy + side * across * line.start.w * frame.size.z / frame.size.xy * place.w, place.zw);
    return Point(place, line.color);
}

@fragment
fn lay_over(point: Point) -> @location(0) vec4<f32> {
    return point.color;
}
