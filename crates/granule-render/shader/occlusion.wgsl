// Ambient occlusion in screen space at one sample per pixel: how much of the sky a point sees past its surroundings.

@group(0) @binding(1) var depth_buffer: texture_depth_2d;
@group(0) @binding(2) var normal_buffer: texture_2d<f32>;

const TAPS: u32 = 20u;
const GOLDEN_ANGLE: f32 = 2.3999632;

@fragment
fn find_occlusion(@builtin(position) position: vec4<f32>) -> @location(0) f32 {
    let scale = frame.size.z;
    let pixel = floor(position.xy) * scale;
    let depth = textureLoad(depth_buffer, vec2<u32>(pixel), 0);
    if depth <= 0.0 || frame.occlusion.y == 0.0 {
        return 1.0;
    }
    let point = point_at(pixel + 0.5, depth);
    let world_normal = textureLoad(normal_buffer, vec2<u32>(pixel), 0).xyz;
    let normal = (frame.view_from_world * vec4<f32>(world_normal, 0.0)).xyz;
    // The range on screen [supersampled pixels].
    let range = frame.occlusion.x;
    let wide = 0.5 * frame.size.y * range / (frame.projection.y * -point.z);
    let reach = clamp(wide, frame.occlusion.z * scale, frame.occlusion.w * scale);
    let turn = 6.2831855 * dither(floor(position.xy));
    var sum = 0.0;
    for (var k = 0u; k < TAPS; k++) {
        let share = (f32(k) + 0.5) / f32(TAPS);
        let angle = f32(k) * GOLDEN_ANGLE + turn;
        // Denser near the point.
        let place = pixel + 0.5 + reach * share * vec2<f32>(cos(angle), sin(angle));
        let inside = clamp(place, vec2<f32>(0.0), frame.size.xy - 1.0);
        let other_depth = textureLoad(depth_buffer, vec2<u32>(inside), 0);
        if other_depth <= 0.0 {
            continue;
        }
        let difference = point_at(floor(inside) + 0.5, other_depth) - point;
        let square = dot(difference, difference);
        let fade = max(1.0 - square / (range * range), 0.0);
        // Cosine of the angle above the surface, less a little against flat surfaces that shade themselves.
        let height = dot(difference, normal) * inverseSqrt(square + 1e-12) - 0.06;
        sum += max(height, 0.0) * fade;
    }
    return clamp(1.0 - 1.9 * sum / f32(TAPS), 0.0, 1.0);
}
