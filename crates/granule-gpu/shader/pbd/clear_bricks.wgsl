// Forgets the bricks of the lists before.

// Keys of bricks of each partition, then how many pairs each has; later where the next of these goes.
@group(0) @binding(0) var<storage, read_write> table: array<u32>;
@group(0) @binding(1) var<storage, read_write> bricks: array<u32>;

@compute @workgroup_size(256)
fn clear_bricks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    for (var word = i; word < arrayLength(&table); word += step.count) {
        table[word] = 0u;
    }
    if i == 0u {
        bricks[ROOM_TAKEN] = 0u;
        bricks[COLOURED] = 0u;
    }
}
