// Exclusive scan of u32 in three passes: tiles, sums of tiles, sums added. `sums` ends with the total.

const PER_THREAD: u32 = 8u;
const TILE: u32 = 2048u;

struct Extent {
    count: u32,
}

@group(0) @binding(0) var<uniform> extent: Extent;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(256)
fn scan_tiles(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let tile = workgroup_number(workgroup);
    let first = tile * TILE + thread * PER_THREAD;
    var values: array<u32, 8>;
    var sum = 0u;
    for (var k = 0u; k < PER_THREAD; k++) {
        values[k] = 0u;
        if first + k < extent.count {
            values[k] = data[first + k];
        }
        sum += values[k];
    }
    let scanned = workgroup_scan(thread, sum);
    var before = scanned.x;
    for (var k = 0u; k < PER_THREAD; k++) {
        if first + k < extent.count {
            data[first + k] = before;
        }
        before += values[k];
    }
    if thread == 0u && tile * TILE < extent.count {
        sums[tile] = scanned.y;
    }
}

@compute @workgroup_size(256)
fn scan_sums(@builtin(local_invocation_index) thread: u32) {
    let tiles = (extent.count + TILE - 1u) / TILE;
    var carry = 0u;
    for (var first = 0u; first < tiles; first += 256u) {
        var value = 0u;
        if first + thread < tiles {
            value = sums[first + thread];
        }
        let scanned = workgroup_scan(thread, value);
        if first + thread < tiles {
            sums[first + thread] = carry + scanned.x;
        }
        carry += scanned.y;
    }
    if thread == 0u {
        sums[tiles] = carry;
    }
}

@compute @workgroup_size(256)
fn add_sums(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let tile = workgroup_number(workgroup);
    for (var k = 0u; k < PER_THREAD; k++) {
        let i = tile * TILE + k * 256u + thread;
        if i < extent.count {
            data[i] += sums[tile];
        }
    }
}
