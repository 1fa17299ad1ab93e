// Sum and maximum of 4-vectors: per block of 256, then of all blocks by one workgroup. The order of additions depends
// on the count alone.

struct Extent {
    count: u32,
}

@group(0) @binding(0) var<uniform> extent: Extent;
@group(0) @binding(1) var<storage, read> data: array<vec4<f32>>;
// Sum and maximum per block.
@group(0) @binding(2) var<storage, read_write> blocks: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> total: array<vec4<f32>, 2>;

const LOWEST: f32 = -3.4028234e38;

@compute @workgroup_size(256)
fn reduce_blocks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let block = workgroup_number(workgroup);
    let i = block * WORKGROUP + thread;
    var value = vec4(0.0);
    var largest = vec4(LOWEST);
    if i < extent.count {
        value = data[i];
        largest = value;
    }
    let sum = tree_sum(thread, value);
    largest = tree_max(thread, largest);
    if thread == 0u && block * WORKGROUP < extent.count {
        blocks[2u * block] = sum;
        blocks[2u * block + 1u] = largest;
    }
}

@compute @workgroup_size(256)
fn reduce_total(@builtin(local_invocation_index) thread: u32) {
    let count = (extent.count + WORKGROUP - 1u) / WORKGROUP;
    var sum = vec4(0.0);
    var largest = vec4(LOWEST);
    for (var block = thread; block < count; block += WORKGROUP) {
        sum += blocks[2u * block];
        largest = max(largest, blocks[2u * block + 1u]);
    }
    sum = tree_sum(thread, sum);
    largest = tree_max(thread, largest);
    if thread == 0u {
        total[0] = sum;
        total[1] = largest;
    }
}
