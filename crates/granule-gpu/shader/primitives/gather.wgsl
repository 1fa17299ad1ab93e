// Reorders a column of 16-byte records: target[k] = source[order[k]].

struct Extent {
    count: u32,
}

@group(0) @binding(0) var<uniform> extent: Extent;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> gathered: array<vec4<u32>>;

@compute @workgroup_size(256)
fn gather(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k < extent.count {
        gathered[k] = source[order[k]];
    }
}
