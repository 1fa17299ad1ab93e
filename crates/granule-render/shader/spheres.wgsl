// Spheres: a quad per sphere, the sphere itself per pixel.

@group(0) @binding(1) var color_table: texture_2d<f32>;

struct Ball {
    @location(0) sphere: vec4<f32>,
    @location(1) value: f32,
    @location(2) id: u32,
}

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) sphere: vec4<f32>,
    @location(1) @interpolate(flat) albedo: vec3<f32>,
    @location(2) @interpolate(flat) wave_0: vec4<f32>,
    @location(3) @interpolate(flat) wave_1: vec4<f32>,
    @location(4) @interpolate(flat) wave_2: vec4<f32>,
    // 0 without marks.
    @location(5) @interpolate(flat) orientation: vec4<f32>,
}

struct Surface {
    @location(0) albedo: vec4<f32>,
    @location(1) normal: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

// A quad across the line from the eye (the origin) to the sphere, as wide as the cone that touches the sphere is there:
// half its side is r d / sqrt(d^2 - r^2). So no part of a sphere is cut off, wherever it is in the picture.
@vertex
fn place_quad(@builtin(vertex_index) corner: u32, ball: Ball) -> Corner {
    return quad(corner, ball, vec4<f32>(0.0));
}

@vertex
fn place_marked_quad(
    @builtin(vertex_index) corner: u32,
    ball: Ball,
    @location(3) orientation: vec4<f32>,
) -> Corner {
    return quad(corner, ball, orientation);
}

fn quad(corner: u32, ball: Ball, orientation: vec4<f32>) -> Corner {
    let center = view_from_world_point(ball.sphere.xyz);
    let radius = ball.sphere.w;
    let distance = length(center);
    var out: Corner;
    out.sphere = vec4<f32>(center, radius);
    out.albedo = albedo_of(ball.value, ball.id);
    out.wave_0 = grain_wave(ball.id, 0u);
    out.wave_1 = grain_wave(ball.id, 1u);
    out.wave_2 = grain_wave(ball.id, 2u);
    out.orientation = orientation;
    // A sphere around the eye is not drawn.
    if distance <= radius * 1.0001 {
        out.position = vec4<f32>(2.0, 2.0, 2.0, 1.0);
        return out;
    }
    let forward = center / distance;
    let helper = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 1.0, 0.0), abs(forward.x) > 0.7);
    let side = normalize(cross(forward, helper));
    let up = cross(side, forward);
    // A thousandth more, against rounding.
    let half_side = 1.001 * radius * distance / sqrt((distance - radius) * (distance + radius));
    let x = f32(corner & 1u) * 2.0 - 1.0;
    let y = f32(corner >> 1u) * 2.0 - 1.0;
    out.position = clip_position(center + half_side * (x * side + y * up));
    return out;
}

fn albedo_of(value: f32, id: u32) -> vec3<f32> {
    if frame.paint.z == 2.0 {
        let srgb = unpack4x8unorm(bitcast<u32>(value)).xyz;
        let low = srgb / 12.92;
        let high = pow((srgb + 0.055) / 1.055, vec3<f32>(2.4));
        return select(high, low, srgb <= vec3<f32>(0.04045));
    }
    if frame.paint.z == 1.0 {
        let place = clamp((value - frame.paint.x) * frame.paint.y, 0.0, 1.0) * 255.0;
        let below = min(u32(place), 254u);
        let low = textureLoad(color_table, vec2<u32>(below, 0u), 0).xyz;
        let high = textureLoad(color_table, vec2<u32>(below + 1u, 0u), 0).xyz;
        return mix(low, high, place - f32(below));
    }
    let material = u32(clamp(value, 0.0, 255.0));
    return textureLoad(color_table, vec2<u32>(material, 0u), 0).xyz * grain_tint(id, frame.paint.w);
}

@fragment
fn cast_ray(corner: Corner) -> Surface {
    let ray = normalize(view_ray(corner.position.xy));
    let center = corner.sphere.xyz;
    let radius = corner.sphere.w;
    let along = dot(center, ray);
    let beside = center - along * ray;
    let h = radius * radius - dot(beside, beside);
    if h < 0.0 {
        discard;
    }
    let point = (along - sqrt(h)) * ray;
    if -point.z < frame.projection.z {
        discard;
    }
    let normal = world_from_view_direction((-beside - sqrt(h) * ray) / radius);
    let waves = array<vec4<f32>, 3>(corner.wave_0, corner.wave_1, corner.wave_2);
    var out: Surface;
    out.albedo = vec4<f32>(corner.albedo * mark_tone(corner.orientation, normal), 1.0);
    let day = own_shadow(normal, frame.sun_direction.xyz, frame.zenith.w);
    out.normal = vec4<f32>(bumped_normal(normal, waves, frame.zenith.w), day);
    out.depth = depth_of(point);
    return out;
}
