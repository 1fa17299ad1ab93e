// Hook of drag.wgsl: drag is an acceleration.

@group(0) @binding(5) var<storage, read_write> acceleration: array<vec4<f32>>;

fn drive(i: u32, v: vec3<f32>, change: vec3<f32>) {
    acceleration[i] += vec4(step.inverse_dt * change, 0.0);
}
