// Hook of measure.wgsl.

@group(0) @binding(4) var<storage, read> acceleration: array<vec4<f32>>;

fn measured_acceleration(i: u32) -> vec3<f32> {
    return acceleration[i].xyz;
}
