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
    return vec4<f32>(sum / f32(scale * scale), 1.0);
}
