// Hook of end.wgsl: no time passes in a step that only found the first forces. Lost spheres beyond the first of their grain are
// reported in the place of the density error.

fn end_step(sum: vec4<f32>) -> bool {
    let begins = step.progress == PRIMES;
    step.progress = NOT_KICKED;
    step.density_error = sum.z;
    return !begins;
}
