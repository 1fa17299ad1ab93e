// Light and opacity of see-through surfaces; twin of `glass` in src/shading.rs.

fn glass(color: vec4<f32>, normal: vec3<f32>, ray: vec3<f32>) -> vec4<f32> {
    let facing = faceForward(normal, ray, normal);
    let light = surface_light(color.xyz, facing, -ray, 0.0, 0.6, 1.0);
    let flatness = 1.0 - abs(dot(ray, normal));
    return vec4<f32>(light, mix(color.w, 1.0, 0.35 * pow(flatness, 3.0)));
}
