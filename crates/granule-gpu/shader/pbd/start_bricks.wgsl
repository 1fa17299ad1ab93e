// Gives the pairs of every brick places one behind the other, in which they are coloured.

@group(0) @binding(0) var<storage, read> colours: array<u32>;
@group(0) @binding(1) var<storage, read_write> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> bricks: array<atomic<u32>>;

@compute @workgroup_size(256)
fn start_bricks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    let size = arrayLength(&table) / (2u * PARTITIONS);
    for (var p = 0u; p < PARTITIONS; p++) {
        let count = colours[BRICK_HEADS + COLOUR_WORDS * p];
        if i < count {
            let record = record_of(p, i);
            let at = (PARTITIONS + p) * size + atomicLoad(&bricks[record]);
            let pairs = table[at];
            let first = atomicAdd(&bricks[ROOM_TAKEN], pairs);
            atomicStore(&bricks[record], first);
            atomicStore(&bricks[record + 1u], pairs);
            table[at] = first;
        }
    }
}
