// Light and opacity of transparent surfaces; twin of `glass` in src/shading.rs.

// How much farther away transparent surfaces count as, so that one that lies on a solid is hidden everywhere; twin of
// `SET_BACK` in src/shading.rs.
const SET_BACK: f32 = 1e-4;

// A place on screen, with its depth, set back.
fn set_back(clip: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(clip.xy, clip.z * (1.0 - SET_BACK), clip.w);
}

fn glass(color: vec4<f32>, normal: vec3<f32>, ray: vec3<f32>) -> vec4<f32> {
    let facing = faceForward(normal, ray, normal);
    let light = surface_light(color.xyz, facing, -ray, 0.0, 0.6, 1.0);
    let flatness = 1.0 - abs(dot(ray, normal));
    return vec4<f32>(light, mix(color.w, 1.0, 0.35 * pow(flatness, 3.0)));
}
