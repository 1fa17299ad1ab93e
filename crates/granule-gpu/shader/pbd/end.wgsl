// Hook of end.wgsl.

fn end_step(sum: vec4<f32>) -> bool {
    step.progress = NOT_BEGUN;
    step.memory_dt = step.dt;
    step.iteration = pbd.sweeps;
    return true;
}
