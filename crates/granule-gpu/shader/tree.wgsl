// Sums, minima and maxima over the threads of a workgroup, as a tree: always in the same order.

var<workgroup> tree_memory: array<vec4<f32>, 256>;

fn tree_sum(thread: u32, value: vec4<f32>) -> vec4<f32> {
    tree_memory[thread] = value;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if thread < half {
            tree_memory[thread] += tree_memory[thread + half];
        }
        workgroupBarrier();
    }
    let sum = tree_memory[0];
    workgroupBarrier();
    return sum;
}

fn tree_max(thread: u32, value: vec4<f32>) -> vec4<f32> {
    tree_memory[thread] = value;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if thread < half {
            tree_memory[thread] = max(tree_memory[thread], tree_memory[thread + half]);
        }
        workgroupBarrier();
    }
    let largest = tree_memory[0];
    workgroupBarrier();
    return largest;
}
