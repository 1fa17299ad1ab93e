// Decides after a iteration whether another one follows.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> partials: array<vec4<f32>>;

override LAYERS_PER_ITERATION: f32 = 4.0;
override LEAST_ITERATIONS: u32 = 3u;

var<workgroup> shared_phase: u32;

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
fn decide(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        shared_phase = step.phase;
    }
    workgroupBarrier();
    let phase = workgroupUniformLoad(&shared_phase);
    if phase != ITERATING {
        if thread == 0u {
            arguments[AFTER_DECIDE] = vec4(0u, 1u, 1u, 0u);
        }
        return;
    }
    let blocks = (step.count + WORKGROUP - 1u) / WORKGROUP;
    var sum = vec4(0.0);
    for (var block = thread; block < blocks; block += WORKGROUP) {
        sum += partials[4u * block];
        sum.w += partials[4u * block + 3u].x;
    }
    sum = tree_sum(thread, sum);
    if thread != 0u {
        return;
    }
    if step.iteration == 0u {
        step.least = min(least_iterations(sum.w), iisph.most_iterations);
        step.iteration = iisph.sure_iterations;
    }
    step.iteration += 1u;
    step.density_error = sum.x / f32(step.count);
    step.friction_error = 0.0;
    if sum.z > 0.0 {
        step.friction_error = sum.y / (iisph.pressure_relaxation * sum.z);
    }
    let converged = step.density_error < iisph.density_error && step.friction_error < iisph.friction_error;
    step.converged = select(0u, 1u, converged);
    arguments[AFTER_DECIDE] = groups_for(step.count, WORKGROUP);
    if (converged && step.iteration >= step.least) || step.iteration >= iisph.most_iterations {
        step.phase = SOLVED;
        arguments[ITERATE] = vec4(0u, 1u, 1u, 0u);
    }
}
