// Hook of drag.wgsl: the prediction begins with drag.

@group(0) @binding(5) var<storage, read_write> prediction: array<vec4<f32>>;

fn drive(i: u32, v: vec3<f32>, change: vec3<f32>) {
    prediction[i] = vec4(v + change, 0.0);
}
