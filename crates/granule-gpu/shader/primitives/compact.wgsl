// Indices of the entries whose flag is set, in their order, from the flags' exclusive scan.

struct Extent {
    count: u32,
}

@group(0) @binding(0) var<uniform> extent: Extent;
@group(0) @binding(1) var<storage, read> ranks: array<u32>;
@group(0) @binding(2) var<storage, read> sums: array<u32>;
@group(0) @binding(3) var<storage, read_write> indices: array<u32>;

const TILE: u32 = 2048u;

@compute @workgroup_size(256)
fn list_marked(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= extent.count {
        return;
    }
    // A flag is set where the rank grows.
    var next = sums[(extent.count + TILE - 1u) / TILE];
    if i + 1u < extent.count {
        next = ranks[i + 1u];
    }
    let rank = ranks[i];
    if next > rank && rank < arrayLength(&indices) {
        indices[rank] = i;
    }
}
