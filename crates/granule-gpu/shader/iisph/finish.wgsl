// Lets the step's end run once its iterations are done.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;

@compute @workgroup_size(1)
fn finish() {
    let solved = step.phase == SOLVED;
    arguments[FINISH] = groups_for(select(0u, step.count, solved), WORKGROUP);
}
