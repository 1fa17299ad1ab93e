// Sums and maxima over the threads of a workgroup, as a tree whose nodes take four: always in the same order.

var<workgroup> tree_memory: array<vec4<f32>, 256>;

fn tree_sum(thread: u32, value: vec4<f32>) -> vec4<f32> {
    tree_memory[thread] = value;
    workgroupBarrier();
    for (var quarter = 64u; quarter > 0u; quarter /= 4u) {
        if thread < quarter {
            let first = tree_memory[thread] + tree_memory[thread + quarter];
            let second = tree_memory[thread + 2u * quarter] + tree_memory[thread + 3u * quarter];
            tree_memory[thread] = first + second;
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
    for (var quarter = 64u; quarter > 0u; quarter /= 4u) {
        if thread < quarter {
            let first = max(tree_memory[thread], tree_memory[thread + quarter]);
            let second = max(tree_memory[thread + 2u * quarter], tree_memory[thread + 3u * quarter]);
            tree_memory[thread] = max(first, second);
        }
        workgroupBarrier();
    }
    let largest = tree_memory[0];
    workgroupBarrier();
    return largest;
}
