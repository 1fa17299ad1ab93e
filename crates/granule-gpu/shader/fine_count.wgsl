// Grains at nodes and on the fine mesh; twin of count_at_nodes and FineMesh::count. Whole numbers: their order does not
// matter.

// Places and ids of grains.
@group(0) @binding(2) var<storage, read> place_of: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> tally: array<atomic<u32>>;

const IMAGE_NODES: f32 = 2.5;

fn count_at_node(x: vec3<f32>) {
    let spacing = frame.origin.w / f32(ALONG);
    let node = floor((x - frame.origin.xyz) * (1.0 / spacing) + 0.5);
    let end = vec3<f32>(frame.cells.xyz * ALONG);
    if !(all(node >= vec3(0.0)) && all(node < end)) {
        return;
    }
    let place = vec3<u32>(node);
    let cell = place / ALONG;
    let block = block_of_cell(cell);
    if block != NONE {
        let l = place - cell * ALONG;
        atomicAdd(&counts[OWN * block + (l.z * ALONG + l.y) * ALONG + l.x], 1u);
    }
}

fn count_on_mesh(x: vec3<f32>) {
    let place = fine_place(x);
    if place.found {
        let parts = parts_of(place.beyond);
        for (var k = 0u; k < 8u; k++) {
            atomicAdd(&tally[place.nodes[k]], u32(parts[k] * frame.whole + 0.5));
        }
    }
}

@compute @workgroup_size(256)
fn count(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    // Threads side by side take grains that are not, so that they seldom add to the same number at once.
    let i = thread_number(workgroup, 8u * (thread % 32u) + thread / 32u);
    if i >= frame.grains || bitcast<u32>(place_of[i].w) == NONE {
        return;
    }
    let x = place_of[i].xyz;
    let spacing = frame.origin.w / f32(ALONG);
    for (var k = 0u; k < image_count(); k++) {
        let near = image(x, k, IMAGE_NODES * spacing);
        if near.w > 0.0 {
            count_at_node(near.xyz);
        }
        let fine = image(x, k, 2.0 * frame.offset.w);
        if fine.w > 0.0 {
            count_on_mesh(fine.xyz);
        }
    }
}
