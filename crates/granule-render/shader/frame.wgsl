// The numbers of one picture, mirrored by FrameParams in src/frame.rs, and rays through pixels.

struct Frame {
    view_from_world: mat4x4<f32>,
    world_from_view: mat4x4<f32>,
    light_from_world: mat4x4<f32>,
    projection: vec4<f32>,
    size: vec4<f32>,
    sun_direction: vec4<f32>,
    sun: vec4<f32>,
    sky: vec4<f32>,
    bounce: vec4<f32>,
    horizon: vec4<f32>,
    zenith: vec4<f32>,
    ground: vec4<f32>,
    ground_fade: vec4<f32>,
    paint: vec4<f32>,
    shadow: vec4<f32>,
    occlusion: vec4<f32>,
}

// Not a uniform: software drivers (lavapipe) compile a shader anew for every new value of a uniform that a branch depends on, and keep them all.
@group(0) @binding(0) var<storage, read> frame: Frame;

// Direction through a point of the supersampled picture in the camera's axes, with z = -1.
fn view_ray(pixel: vec2<f32>) -> vec3<f32> {
    let ndc = vec2<f32>(2.0, -2.0) * pixel / frame.size.xy + vec2<f32>(-1.0, 1.0);
    return vec3<f32>(ndc * frame.projection.xy, -1.0);
}

// Position on screen of a point in the camera's axes; z is not used, since fragments write their own depth.
fn clip_position(point: vec3<f32>) -> vec4<f32> {
    return vec4<f32>(point.xy / frame.projection.xy, -0.5 * point.z, -point.z);
}

// Depth in the buffer of a point in the camera's axes: 1 at the near distance, 0 infinitely far.
fn depth_of(point: vec3<f32>) -> f32 {
    return frame.projection.z / -point.z;
}

// The point in the camera's axes that a pixel with a depth shows.
fn point_at(pixel: vec2<f32>, depth: f32) -> vec3<f32> {
    return view_ray(pixel) * (frame.projection.z / depth);
}

// The eye is subtracted first: this keeps all digits of what is near it, however far both are from the origin.
fn view_from_world_point(point: vec3<f32>) -> vec3<f32> {
    return (frame.view_from_world * vec4<f32>(point - frame.world_from_view[3].xyz, 0.0)).xyz;
}

fn world_from_view_direction(direction: vec3<f32>) -> vec3<f32> {
    return (frame.world_from_view * vec4<f32>(direction, 0.0)).xyz;
}

fn world_from_view_point(point: vec3<f32>) -> vec3<f32> {
    return (frame.world_from_view * vec4<f32>(point, 1.0)).xyz;
}

// Noise without visible period; twin of `dither` in src/shading.rs.
fn dither(pixel: vec2<f32>) -> f32 {
    return fract(52.982919 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715))));
}
