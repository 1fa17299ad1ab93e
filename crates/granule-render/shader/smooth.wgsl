// Occlusion smoothed over the dither's period, across no edge.

@group(0) @binding(1) var depth_buffer: texture_depth_2d;
@group(0) @binding(2) var occlusion_buffer: texture_2d<f32>;

@fragment
fn smooth_occlusion(@builtin(position) position: vec4<f32>) -> @location(0) f32 {
    let scale = frame.size.z;
    let here = vec2<i32>(position.xy);
    let last = vec2<i32>(frame.size.xy / scale) - 1;
    let distance = distance_at(here);
    var sum = 0.0;
    var weights = 0.0;
    for (var y = -2; y < 2; y++) {
        for (var x = -2; x < 2; x++) {
            let place = clamp(here + vec2<i32>(x, y), vec2<i32>(0), last);
            let weight = 1e-3 + max(1.0 - abs(distance_at(place) - distance) / frame.occlusion.x, 0.0);
            sum += weight * textureLoad(occlusion_buffer, place, 0).x;
            weights += weight;
        }
    }
    return sum / weights;
}

fn distance_at(place: vec2<i32>) -> f32 {
    let depth = textureLoad(depth_buffer, vec2<u32>(vec2<f32>(place) * frame.size.z), 0);
    return frame.projection.z / max(depth, 1e-9);
}
