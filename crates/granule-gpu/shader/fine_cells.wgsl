// Guides by cell, of the frame's start or its end; twin of GuideGrid::fill.

struct Which {
    ids: u32,
    // 1 for the end of the frame.
    after: u32,
}

@group(0) @binding(0) var<uniform> which: Which;
@group(0) @binding(1) var<storage, read> records: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> keys: array<u32>;
@group(0) @binding(3) var<storage, read_write> order: array<u32>;
// Guides of cells, and of those the moving ones.
@group(0) @binding(4) var<storage, read_write> cell_counts: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> cell_moves: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> guides: array<vec4<f32>>;

fn cell_total() -> u32 {
    return frame.cells.x * frame.cells.y * frame.cells.z;
}

@compute @workgroup_size(256)
fn find_cells(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= which.ids {
        return;
    }
    let position = records[5u * i + 3u * which.after];
    let there = select(records[5u * i + 1u].w, position.w, which.after == 1u);
    let cell = floor((position.xyz - frame.origin.xyz) / frame.origin.w);
    let end = vec3<f32>(frame.cells.xyz) - vec3(1.0);
    var key = cell_total();
    if there != 0.0 && all(cell >= vec3(1.0)) && all(cell < end) {
        key = cell_index(vec3<u32>(cell), frame.cells.xyz);
        atomicAdd(&cell_counts[key], 1u);
        if which.after == 0u && position.w > 0.0 {
            atomicOr(&cell_moves[key], 1u);
        }
    }
    keys[i] = key;
    order[i] = i;
}

@compute @workgroup_size(256)
fn fill_guides(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= which.ids {
        return;
    }
    let at = 3u * (which.after * which.ids + k);
    var a = vec4(0.0);
    var b = vec4(0.0);
    var c = vec4(0.0);
    if keys[k] < cell_total() {
        let i = order[k];
        if which.after == 1u {
            a = vec4(records[5u * i + 3u].xyz, 0.0);
            c = records[5u * i + 4u];
        } else {
            a = records[5u * i];
            b = vec4(records[5u * i + 1u].xyz, 0.0);
            c = records[5u * i + 2u];
        }
    }
    guides[at] = a;
    guides[at + 1u] = b;
    guides[at + 2u] = c;
}
