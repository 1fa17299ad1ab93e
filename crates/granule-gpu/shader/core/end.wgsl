// Ends a step: time goes on, and a report is written.
//
// Hook of the method: end_step(sum) returns whether time passes; sum.z is what its last kernel left as the fourth number of
// a block's sums. A method that keeps lists leaves the number of neighbours in the third record.

struct Report {
    dt: f32,
    elapsed: f32,
    density_error: f32,
    friction_error: f32,
    max_speed: f32,
    kinetic_energy: f32,
    friction_power: f32,
    iterations: u32,
    converged: u32,
    limited: u32,
    lost: u32,
    dropped: u32,
    neighbors: u32,
    count: u32,
    // Recorded step at whose end it was written.
    slot: u32,
    // Turned by every step that has made lists.
    wall_half: u32,
}

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> counters: Counters;
@group(0) @binding(2) var<storage, read> partials: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> reports: array<Report>;

var<workgroup> shared_phase: u32;

@compute @workgroup_size(256)
fn end(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        shared_phase = step.phase;
        step.slots += 1u;
    }
    workgroupBarrier();
    let phase = workgroupUniformLoad(&shared_phase);
    if phase != SOLVED {
        return;
    }
    let blocks = (step.count + WORKGROUP - 1u) / WORKGROUP;
    var largest = vec4(0.0);
    var sum = vec4(0.0);
    var lost = 0u;
    var neighbors = 0u;
    for (var block = thread; block < blocks; block += WORKGROUP) {
        let part = partials[4u * block];
        largest.x = max(largest.x, part.x);
        sum.x += part.y;
        lost += u32(part.z);
        sum.y += partials[4u * block + 2u].x;
        sum.z += part.w;
        if KEEPS_LISTS {
            neighbors += u32(partials[4u * block + 2u].y);
        }
    }
    largest = tree_max(thread, largest);
    sum = tree_sum(thread, sum);
    lost = workgroup_scan(thread, lost).y;
    if KEEPS_LISTS {
        neighbors = workgroup_scan(thread, neighbors).y;
    } else {
        neighbors = atomicLoad(&counters.neighbors);
    }
    if thread != 0u {
        return;
    }
    if !end_step(sum) {
        step.contact_half = 1u - step.contact_half;
        step.phase = READY;
        return;
    }
    step.elapsed = select(step.elapsed + step.dt, step.length, step.last_step == 1u);
    step.contact_half = 1u - step.contact_half;
    step.removed = lost;
    var report: Report;
    report.dt = step.dt;
    report.elapsed = step.elapsed;
    report.density_error = step.density_error;
    report.friction_error = step.friction_error;
    report.max_speed = sqrt(largest.x);
    report.kinetic_energy = sum.x;
    report.friction_power = sum.y;
    report.iterations = step.iteration;
    report.converged = step.converged;
    report.limited = step.limited;
    report.lost = lost;
    report.dropped = atomicLoad(&counters.dropped);
    report.neighbors = neighbors;
    report.count = step.count - lost;
    report.slot = step.slots - 1u;
    report.wall_half = step.wall_half;
    if step.reports < params.report_capacity {
        reports[step.reports] = report;
    }
    step.reports += 1u;
    step.phase = READY;
}
