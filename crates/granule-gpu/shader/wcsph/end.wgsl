// Hook of end.wgsl: no time passes in a step that only found accelerations, neighbours or walls.

fn end_step(sum: vec4<f32>) -> bool {
    step.density_error = sum.z / max(f32(step.count), 1.0);
    let begins = step.progress == PRIMES || step.progress == SAMPLES;
    step.progress = NOT_KICKED;
    return !begins;
}
