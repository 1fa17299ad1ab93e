// From samples to pixels: every sample is tone-mapped, then the samples of a pixel are averaged.

@group(0) @binding(1) var samples: texture_2d<f32>;

@fragment
fn resolve(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let scale = u32(frame.size.z);
    let corner = vec2<u32>(position.xy) * scale;
    var sum = vec3<f32>(0.0);
    for (var y = 0u; y < scale; y++) {
        for (var x = 0u; x < scale; x++) {
            let light = textureLoad(samples, corner + vec2<u32>(x, y), 0).xyz;
            // Colours that are not lit stay as they are.
            sum += select(light, tone_map(light), frame.sky.w > 0.0);
        }
    }
    let color = sum / f32(scale * scale);
    if frame.sky.w == 0.0 {
        return vec4<f32>(color, 1.0);
    }
    // Smooth gradients would show bands of equal bytes: half a byte of noise, in the units that the picture is stored in.
    let low = 12.92 * color;
    let high = 1.055 * pow(max(color, vec3<f32>(1e-6)), vec3<f32>(1.0 / 2.4)) - 0.055;
    let stored = select(high, low, color <= vec3<f32>(0.0031308)) + (dither(position.xy) - 0.5) / 255.0;
    let dark = stored / 12.92;
    let bright = pow(max((stored + 0.055) / 1.055, vec3<f32>(1e-6)), vec3<f32>(2.4));
    return vec4<f32>(select(bright, dark, stored <= vec3<f32>(0.04045)), 1.0);
}
