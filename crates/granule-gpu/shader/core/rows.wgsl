// The particles in and around every occupied cell, as ranges without overlap: 3 x 3 rows of at most two spans.

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> first_keys: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> second_keys: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> rows: array<vec2<u32>>;

// Ranges per cell.
override RANGES: u32 = 9u;

fn cell_key(cell: u32) -> vec2<u32> {
    let particle = starts[cell];
    if (step.sort_passes & 1u) == 1u {
        return second_keys[particle];
    }
    return first_keys[particle];
}

fn start_of(cell: u32) -> u32 {
    if cell < step.cell_count {
        return starts[cell];
    }
    return step.sort_count;
}

// The first cell whose key is not below `key`.
fn first_not_below(key: vec2<u32>) -> u32 {
    var low = 0u;
    var high = step.cell_count;
    while low < high {
        let middle = (low + high) / 2u;
        if key_is_below(cell_key(middle), key) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

fn range_between(lowest: vec3<u32>, highest: vec3<u32>) -> vec2<u32> {
    let last = key_of_cell(highest);
    let first = first_not_below(key_of_cell(lowest));
    var end = first;
    while end < step.cell_count && !key_is_below(last, cell_key(end)) {
        end++;
    }
    return vec2(start_of(first), start_of(end));
}

// The cells next to `c` along an axis: first and last of one or two spans; the second is empty where x > y.
fn spans(axis: u32, c: u32) -> vec4<u32> {
    let cells = params.period_cells[axis];
    if cells == 0u {
        return vec4(max(c, 1u) - 1u, min(c + 1u, step.cell_range[axis]), 1u, 0u);
    }
    if cells <= 3u {
        return vec4(0u, cells - 1u, 1u, 0u);
    }
    if c == 0u {
        return vec4(0u, 1u, cells - 1u, cells - 1u);
    }
    if c == cells - 1u {
        return vec4(cells - 2u, cells - 1u, 0u, 0u);
    }
    return vec4(c - 1u, c + 1u, 1u, 0u);
}

// The k-th cell of two spans, or 0xffffffff.
fn in_spans(span: vec4<u32>, k: u32) -> u32 {
    let first_count = span.y - span.x + 1u;
    if k < first_count {
        return span.x + k;
    }
    if span.z <= span.w && k - first_count <= span.w - span.z {
        return span.z + k - first_count;
    }
    return 0xffffffffu;
}

@compute @workgroup_size(256)
fn find_rows(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let cell = thread_number(workgroup, thread);
    if cell >= step.cell_count {
        return;
    }
    let here = cell_of_key(cell_key(cell));
    let x = spans(0u, here.x);
    let y = spans(1u, here.y);
    let z = spans(2u, here.z);
    for (var row = 0u; row < 9u; row++) {
        let at = vec2(in_spans(y, row % 3u), in_spans(z, row / 3u));
        var range = vec2(0u);
        var beyond = vec2(0u);
        if at.x != 0xffffffffu && at.y != 0xffffffffu {
            range = range_between(vec3(x.x, at), vec3(x.y, at));
            if x.z <= x.w {
                beyond = range_between(vec3(x.z, at), vec3(x.w, at));
            }
        }
        rows[cell * RANGES + row] = range;
        if RANGES > 9u {
            rows[cell * RANGES + 9u + row] = beyond;
        }
    }
}
