// Hook of drag.wgsl: drag is a force.

@group(0) @binding(5) var<storage, read_write> loads: array<vec4<f32>>;

fn drive(i: u32, v: vec3<f32>, change: vec3<f32>) {
    if mover_of(metadata[i]) != HELD {
        loads[2u * i] += vec4((velocity[i].w * step.inverse_dt) * change, 0.0);
    }
}
