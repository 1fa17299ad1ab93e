// Grains of a chunk by the nodes before them, block by block; for locality only. Removed ones come last.

// What a sort costs per grain, in bytes that are moved: 16 + 8 for keys and order, for each of three passes 4 to count
// digits and 16 to move pairs, 36 + 32 to put grains in order. The first chunk is put aside and copied in the end, 64
// bytes for each of its grains; every other one is put where the one before it was.

struct Chunk {
    // Grains, the first of them, those that are not removed, and where these go.
    count: u32,
    first: u32,
    live: u32,
    goal: u32,
}

@group(0) @binding(2) var<uniform> chunk: Chunk;
@group(0) @binding(3) var<storage, read_write> place_of: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> velocity_of: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> keys: array<u32>;
@group(0) @binding(6) var<storage, read_write> order: array<u32>;
@group(0) @binding(7) var<storage, read_write> places_aside: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> velocities_aside: array<vec4<f32>>;

@compute @workgroup_size(256)
fn find_keys(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= chunk.count {
        return;
    }
    let i = chunk.first + k;
    var key = OWN * frame.blocks;
    let at = (place_of[i].xyz - frame.origin.xyz) / frame.origin.w;
    let cell = floor(at);
    if all(cell >= vec3(0.0)) && all(cell < vec3<f32>(frame.cells.xyz)) {
        let block = block_of_cell(vec3<u32>(cell));
        if block != NONE {
            let node = vec3<u32>(min(floor((at - cell) * f32(ALONG)), vec3(f32(ALONG - 1u))));
            key = OWN * block + (node.z * ALONG + node.y) * ALONG + node.x;
        }
    }
    if bitcast<u32>(place_of[i].w) == NONE {
        key = OWN * frame.blocks + 1u;
    }
    keys[k] = key;
    order[k] = k;
}

@compute @workgroup_size(256)
fn put_aside(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= chunk.live {
        return;
    }
    let i = chunk.first + order[k];
    places_aside[k] = place_of[i];
    velocities_aside[k] = velocity_of[i];
}

// The goal ends before the chunk begins, so that no grain is written that another thread still reads.
@compute @workgroup_size(256)
fn put_in_order(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= chunk.live {
        return;
    }
    let i = chunk.first + order[k];
    place_of[chunk.goal + k] = place_of[i];
    velocity_of[chunk.goal + k] = velocity_of[i];
}
