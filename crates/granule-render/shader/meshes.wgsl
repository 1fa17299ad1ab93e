// Meshes: solid ones with depth, normal and colour and in the shadow map; transparent ones over the lit picture.

struct Body {
    @location(0) position: vec3<f32>,
    @location(1) color: vec4<f32>,
    @location(2) normal: vec3<f32>,
    @location(3) row_x: vec4<f32>,
    @location(4) row_y: vec4<f32>,
    @location(5) row_z: vec4<f32>,
    @location(6) tint: vec4<f32>,
}

fn turned(body: Body, v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot(body.row_x.xyz, v), dot(body.row_y.xyz, v), dot(body.row_z.xyz, v));
}

fn shift(body: Body) -> vec3<f32> {
    return vec3<f32>(body.row_x.w, body.row_y.w, body.row_z.w);
}

@vertex
fn place_mesh_caster(body: Body) -> @builtin(position) vec4<f32> {
    let place = (frame.light_from_world * vec4<f32>(turned(body, body.position) + shift(body), 1.0)).xyz;
    return vec4<f32>(place.xy, clamp(place.z, 0.0, 1.0), 1.0);
}

struct Point {
    @builtin(position) position: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) color: vec4<f32>,
    // From the eye, in the world's axes [m].
    @location(2) place: vec3<f32>,
}

fn corner_of(body: Body) -> Point {
    // The eye is subtracted from the shift first, which keeps all digits of a body that is near it.
    let place = turned(body, body.position) + (shift(body) - frame.world_from_view[3].xyz);
    let point = (frame.view_from_world * vec4<f32>(place, 0.0)).xyz;
    // Depth as the spheres write it: z / w is near / distance.
    let clip = vec4<f32>(point.xy / frame.projection.xy, frame.projection.z, -point.z);
    return Point(clip, turned(body, body.normal), vec4<f32>(body.color.xyz * body.tint.xyz, body.tint.w), place);
}

@vertex
fn place_mesh(body: Body) -> Point {
    return corner_of(body);
}

@vertex
fn place_glass_mesh(body: Body) -> Point {
    var point = corner_of(body);
    point.position = set_back(point.position);
    return point;
}

struct Surface {
    @location(0) albedo: vec4<f32>,
    @location(1) normal: vec4<f32>,
}

// Seen from behind, a triangle shows its other side.
@fragment
fn show_mesh(point: Point, @builtin(front_facing) is_front: bool) -> Surface {
    let normal = normalize(point.normal) * select(-1.0, 1.0, is_front);
    return Surface(vec4<f32>(point.color.xyz, 1.0), vec4<f32>(normal, 1.0));
}

@fragment
fn lay_mesh_over(point: Point) -> @location(0) vec4<f32> {
    return glass(point.color, normalize(point.normal), normalize(point.place));
}
