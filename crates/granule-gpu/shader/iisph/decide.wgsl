// Decides after an iteration whether another one follows, and whether momentum begins anew.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> partials: array<vec4<f32>>;

override ERROR_GROWTH: f32 = 1.5;

var<workgroup> shared_phase: u32;

// Twin of Momentum::note.
fn note_error(error: f32) {
    if step.iteration < step.least {
        return;
    }
    if error > ERROR_GROWTH * step.lowest_error {
        step.momentum_began = step.iteration;
        step.lowest_error = error;
    }
    step.lowest_error = min(step.lowest_error, error);
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
    }
    sum = tree_sum(thread, sum);
    if thread != 0u {
        return;
    }
    if step.iteration == 0u {
        step.iteration = iisph.sure_iterations;
    }
    step.iteration += 1u;
    step.density_error = sum.x / f32(step.count);
    step.friction_error = 0.0;
    if sum.z > 0.0 {
        step.friction_error = sum.y / (iisph.pressure_relaxation * sum.z);
    }
    note_error(step.density_error / iisph.density_error + step.friction_error / iisph.friction_error);
    let converged = step.density_error < iisph.density_error && step.friction_error < iisph.friction_error;
    step.converged = select(0u, 1u, converged);
    arguments[AFTER_DECIDE] = groups_for(step.count, WORKGROUP);
    if (converged && step.iteration >= step.least) || step.iteration >= iisph.most_iterations {
        step.phase = SOLVED;
        arguments[ITERATE] = vec4(0u, 1u, 1u, 0u);
    }
}
