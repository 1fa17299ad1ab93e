// The mesh of about a grain's diameter; twin of FineMesh.

struct FinePlace {
    nodes: array<u32, 8>,
    beyond: vec3<f32>,
    found: bool,
}

fn part_size() -> u32 {
    return frame.along * frame.along * frame.along;
}

fn part_of_cell(cell: vec3<u32>) -> u32 {
    let block = block_of_cell(cell);
    if block == NONE {
        return NONE;
    }
    return part_of_block(block);
}

// The eight nodes of the mesh around a point; the last of all nodes stands for those that there are not.
fn fine_place(x: vec3<f32>) -> FinePlace {
    var place: FinePlace;
    place.found = false;
    let at = (x - frame.origin.xyz) * (1.0 / frame.offset.w) + frame.offset.xyz;
    let base = floor(at);
    let end = vec3<f32>(frame.cells.xyz * frame.along) - vec3(1.0);
    if !(all(base >= vec3(0.0)) && all(base < end)) {
        return place;
    }
    let n = frame.along;
    let first = vec3<u32>(base);
    let cell = first / n;
    let local = first - cell * n;
    let size = part_size();
    place.beyond = at - base;
    if all(local + vec3(1u) < vec3(n)) {
        let part = part_of_cell(cell);
        if part == NONE {
            return place;
        }
        let start = part * size + (local.z * n + local.y) * n + local.x;
        for (var k = 0u; k < 8u; k++) {
            place.nodes[k] = start + (k & 1u) + ((k >> 1u) & 1u) * n + (k >> 2u) * n * n;
        }
    } else {
        for (var k = 0u; k < 8u; k++) {
            var c = cell;
            var l = local + vec3(k & 1u, (k >> 1u) & 1u, k >> 2u);
            for (var axis = 0u; axis < 3u; axis++) {
                if l[axis] == n {
                    c[axis] += 1u;
                    l[axis] = 0u;
                }
            }
            let part = part_of_cell(c);
            place.nodes[k] = select(part * size + (l.z * n + l.y) * n + l.x, frame.parts * size, part == NONE);
        }
    }
    place.found = true;
    return place;
}
