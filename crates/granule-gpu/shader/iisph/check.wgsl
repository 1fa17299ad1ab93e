// Hook of check.wgsl: iterations follow where there are particles.

fn after_search() {
    if step.count > 0u {
        step.phase = ITERATING;
        step.converged = 0u;
    }
}
