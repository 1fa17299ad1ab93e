// The plane through a field, in the colours of its values, with lines of equal value.

@group(0) @binding(3) var slice_colors: texture_2d<f32>;

// Widths of lines [pixels].
const LINE: f32 = 1.2;
const ZERO_LINE: f32 = 3.0;

fn map_color(value: f32) -> vec3<f32> {
    let place = clamp((value - field.slice.x) * field.slice.y, 0.0, 1.0) * 255.0;
    let below = min(u32(place), 254u);
    let low = textureLoad(slice_colors, vec2<u32>(below, 0u), 0).xyz;
    let high = textureLoad(slice_colors, vec2<u32>(below + 1u, 0u), 0).xyz;
    return mix(low, high, place - f32(below));
}

@fragment
fn show_slice(@builtin(position) position: vec4<f32>) -> Surface {
    let ray = view_ray(position.xy);
    let normal = field.plane.xyz;
    let distance = field.plane.w / dot(normal, ray);
    let place = (field.grid_from_view * vec4<f32>(ray * distance, 1.0)).xyz;
    let room = 1e-3;
    let outside = any(place < vec3<f32>(-room)) || any(place > field.nodes.xyz - 1.0 + room);
    // What is not a number is outside, too.
    if outside || !(distance >= frame.projection.z) || !(distance < 1e30) {
        discard;
    }
    let value = field_value(place);
    let world_normal = world_from_view_direction(normal);
    var color = map_color(value);
    if field.slice.z > 0.0 {
        // Change per metre along the plane, and the size of a pixel there [m].
        let gradient = world_from_grid_direction(field_gradient(place)) * field.options.z;
        let along = length(gradient - world_normal * dot(gradient, world_normal));
        let pixel = 2.0 * frame.projection.y * distance / frame.size.y * frame.size.z;
        let number = round(value / field.slice.z);
        let away = abs(value - number * field.slice.z) / max(along, 1e-20);
        let is_zero = number == 0.0;
        let is_steep = along > 0.02 * field.nodes.w * field.options.z;
        if is_steep && away < 0.5 * pixel * select(LINE, ZERO_LINE, is_zero) {
            color = select(0.3 * color, vec3<f32>(0.0), is_zero);
        }
    }
    var out: Surface;
    out.albedo = vec4<f32>(color, 0.0);
    out.normal = vec4<f32>(faceForward(world_normal, world_from_view_direction(ray), world_normal), 1.0);
    out.depth = depth_of(ray * distance);
    return out;
}
