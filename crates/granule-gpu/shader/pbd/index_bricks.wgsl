// Says how many bricks of each partition have pairs to be coloured, where lists are new.

@group(0) @binding(0) var<storage, read_write> step: Step;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> colours: array<u32>;

@compute @workgroup_size(256)
fn index_bricks(@builtin(local_invocation_index) thread: u32) {
    if thread < PARTITIONS {
        let fresh = step.phase == SOLVED && colours[FRESH] == 1u;
        let count = colours[BRICK_HEADS + COLOUR_WORDS * thread];
        arguments[METHOD + CARRY_BRICKS + thread] = groups_for(select(0u, count, fresh), 1u);
    }
}
