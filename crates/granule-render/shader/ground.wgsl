// The ground: a level plane, found per pixel.

struct Surface {
    @location(0) albedo: vec4<f32>,
    @location(1) normal: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn show_ground(@builtin(position) position: vec4<f32>) -> Surface {
    let ray = view_ray(position.xy);
    let eye = frame.world_from_view[3].xyz;
    let fall = world_from_view_direction(ray).y;
    let distance = (frame.ground.w - eye.y) / fall;
    if fall >= 0.0 || frame.ground_fade.w <= 0.0 || distance < frame.projection.z {
        discard;
    }
    var out: Surface;
    out.albedo = vec4<f32>(frame.ground.xyz, 0.5);
    out.normal = vec4<f32>(0.0, 1.0, 0.0, 1.0);
    out.depth = depth_of(ray * distance);
    return out;
}
