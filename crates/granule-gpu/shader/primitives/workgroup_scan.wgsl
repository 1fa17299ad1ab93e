// Sums over the threads of a workgroup, always in the same order.

var<workgroup> scan_memory: array<u32, 256>;

// Sum of the values of all threads before this one, and of all threads.
fn workgroup_scan(thread: u32, value: u32) -> vec2<u32> {
    scan_memory[thread] = value;
    workgroupBarrier();
    for (var step = 1u; step < 256u; step *= 2u) {
        var before = 0u;
        if thread >= step {
            before = scan_memory[thread - step];
        }
        workgroupBarrier();
        scan_memory[thread] += before;
        workgroupBarrier();
    }
    let result = vec2(scan_memory[thread] - value, scan_memory[255]);
    workgroupBarrier();
    return result;
}
