// Grains of a chunk by the nodes before them, block by block; for locality only. Removed ones come last.

// What a sort costs per grain, in bytes that are moved: 16 + 8 for keys and order, 8 to narrow keys, for each of two
// passes 4 to count digits and 16 to move pairs, 36 + 32 to put grains in order. The first chunk is put aside and copied in
// the end, 64 bytes for each of its grains; every other one is put where the one before it was.

struct Chunk {
    // Grains, the first of them, those that are not removed, and where these go.
    count: u32,
    first: u32,
    live: u32,
    goal: u32,
}

@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(2) var<storage, read_write> grain_position: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> grain_velocity: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> keys: array<u32>;
@group(0) @binding(5) var<storage, read_write> order: array<u32>;
@group(0) @binding(6) var<storage, read_write> positions_aside: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> velocities_aside: array<vec4<f32>>;
// Complement of the least key of a grain in a block, and the largest; 0 at first.
@group(0) @binding(8) var<storage, read_write> span: array<atomic<u32>>;

// Keys of grains outside blocks and of removed ones, after all others.
const OUTSIDE: u32 = 0xfffffffeu;
const REMOVED_KEY: u32 = 0xffffffffu;
// Last of the narrow keys of grains in blocks; those two follow.
const LAST: u32 = 0xfffdu;

var<workgroup> highest: array<atomic<u32>, 2>;

fn key_of(i: u32) -> u32 {
    let position = grain_position[i];
    if bitcast<u32>(position.w) == NONE {
        return REMOVED_KEY;
    }
    let at = (position.xyz - frame.origin.xyz) / frame.origin.w;
    let cell = floor(at);
    if !(all(cell >= vec3(0.0)) && all(cell < vec3<f32>(frame.cells.xyz))) {
        return OUTSIDE;
    }
    let block = block_of_cell(vec3<u32>(cell));
    if block == NONE {
        return OUTSIDE;
    }
    let node = vec3<u32>(min(floor((at - cell) * f32(ALONG)), vec3(f32(ALONG - 1u))));
    return OWN * block + (node.z * ALONG + node.y) * ALONG + node.x;
}

@compute @workgroup_size(256)
fn find_keys(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if thread < 2u {
        atomicStore(&highest[thread], 0u);
    }
    workgroupBarrier();
    let k = thread_number(workgroup, thread);
    if k < chunk.count {
        let key = key_of(chunk.first + k);
        keys[k] = key;
        order[k] = k;
        if key < OUTSIDE {
            atomicMax(&highest[0], ~key);
            atomicMax(&highest[1], key);
        }
    }
    workgroupBarrier();
    if thread < 2u {
        atomicMax(&span[thread], atomicLoad(&highest[thread]));
    }
}

// A chunk is sorted by 16 bits, in two passes: grains of one chunk are in few of all blocks. Where they are in more, some
// nodes side by side share a key; their grains stay in the order that they had.
@compute @workgroup_size(256)
fn narrow_keys(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= chunk.count {
        return;
    }
    let key = keys[k];
    if key >= OUTSIDE {
        keys[k] = key & 0xffffu;
        return;
    }
    let least = ~atomicLoad(&span[0]);
    let range = atomicLoad(&span[1]) - least;
    var shift = 0u;
    while (range >> shift) > LAST {
        shift++;
    }
    keys[k] = (key - least) >> shift;
}

@compute @workgroup_size(256)
fn put_aside(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= chunk.live {
        return;
    }
    let i = chunk.first + order[k];
    positions_aside[k] = grain_position[i];
    velocities_aside[k] = grain_velocity[i];
}

// The goal ends before the chunk begins, so that no grain is written that another thread still reads.
@compute @workgroup_size(256)
fn put_in_order(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= chunk.live {
        return;
    }
    let i = chunk.first + order[k];
    grain_position[chunk.goal + k] = grain_position[i];
    grain_velocity[chunk.goal + k] = grain_velocity[i];
}
