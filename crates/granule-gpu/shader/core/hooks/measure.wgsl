// Hook of measure.wgsl: no accelerations.

fn measured_acceleration(i: u32) -> vec3<f32> {
    return vec3(0.0);
}
