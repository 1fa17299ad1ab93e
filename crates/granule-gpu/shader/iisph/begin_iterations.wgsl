// Finds how many iterations the step takes at least, before the first of them.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read> partials: array<vec4<f32>>;

override LAYERS_PER_ITERATION: f32 = 4.0;
override LEAST_ITERATIONS: u32 = 3u;

// Fewest iterations, by the height of the heap that the mean pressure tells; twin of Setup::iterations.
fn least_iterations(pressure: f32) -> u32 {
    if iisph.least_iterations != 0xffffffffu {
        return iisph.least_iterations;
    }
    var layers = 0.0;
    if iisph.layer_pressure > 0.0 {
        layers = 2.5 * (pressure / f32(step.count)) / iisph.layer_pressure;
    }
    return max(u32(ceil(layers / LAYERS_PER_ITERATION)), LEAST_ITERATIONS);
}

@compute @workgroup_size(256)
fn begin_iterations(@builtin(local_invocation_index) thread: u32) {
    let blocks = (step.count + WORKGROUP - 1u) / WORKGROUP;
    var sum = vec4(0.0);
    for (var block = thread; block < blocks; block += WORKGROUP) {
        sum.x += partials[4u * block + 3u].x;
    }
    sum = tree_sum(thread, sum);
    // A step whose iterations were not all recorded goes on with them.
    if thread == 0u && step.phase == ITERATING && step.iteration == 0u {
        step.least = min(least_iterations(sum.x), iisph.most_iterations);
        step.momentum_began = 0u;
        step.lowest_error = LARGEST;
    }
}
