// The grid of about a grain's diameter; twin of FineGrid.

// The cell of the fine grid that a point is in: the cell of the guides, its coordinates in there, and how far the point is beyond it.
struct FinePoint {
    cell: vec3<u32>,
    local: vec3<u32>,
    beyond: vec3<f32>,
    inside: bool,
}

struct FineNodes {
    nodes: array<u32, 8>,
    beyond: vec3<f32>,
    found: bool,
}

fn part_size() -> u32 {
    return frame.along * frame.along * frame.along;
}

fn fine_point(x: vec3<f32>) -> FinePoint {
    let at = (x - frame.origin.xyz) * (1.0 / frame.offset.w) + frame.offset.xyz;
    let base = floor(at);
    let end = vec3<f32>(frame.cells.xyz * frame.along) - vec3(1.0);
    if !(all(base >= vec3(0.0)) && all(base < end)) {
        return FinePoint(vec3(0u), vec3(0u), vec3(0.0), false);
    }
    let first = vec3<u32>(base);
    let cell = first / frame.along;
    return FinePoint(cell, first - cell * frame.along, at - base, true);
}

// The eight nodes of the fine grid around a point; the last of all nodes stands for those that there are not.
fn fine_nodes_around(x: vec3<f32>) -> FineNodes {
    var near: FineNodes;
    near.found = false;
    let point = fine_point(x);
    if !point.inside {
        return near;
    }
    let n = frame.along;
    let cell = point.cell;
    let local = point.local;
    let size = part_size();
    near.beyond = point.beyond;
    if all(local + vec3(1u) < vec3(n)) {
        let part = part_of_cell(cell);
        if part == NONE {
            return near;
        }
        let start = part * size + (local.z * n + local.y) * n + local.x;
        for (var k = 0u; k < 8u; k++) {
            near.nodes[k] = start + (k & 1u) + ((k >> 1u) & 1u) * n + (k >> 2u) * n * n;
        }
    } else {
        for (var k = 0u; k < 8u; k++) {
            let node = local + vec3(k & 1u, (k >> 1u) & 1u, k >> 2u);
            let after = node == vec3(n);
            let part = part_of_cell(cell + select(vec3(0u), vec3(1u), after));
            let l = select(node, vec3(0u), after);
            near.nodes[k] = select(part * size + (l.z * n + l.y) * n + l.x, frame.parts * size, part == NONE);
        }
    }
    near.found = true;
    return near;
}
