// Hook of drag.wgsl: drag changes the velocity that contacts begin with.

// Velocity and inverse mass, angular velocity and radius.
@group(0) @binding(5) var<storage, read_write> motion: array<vec4<f32>>;

fn drive(i: u32, v: vec3<f32>, change: vec3<f32>) {
    if motion[2u * i].w > 0.0 {
        motion[2u * i] += vec4(change, 0.0);
    }
}
