// The nodes of blocks from the own nodes of cells; twin of Nodes::gather_blocks.

@group(0) @binding(2) var<storage, read> own: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> cover: array<f32>;
@group(0) @binding(4) var<storage, read_write> nodes: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> node_cover: array<f32>;

@compute @workgroup_size(256)
fn gather(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    let block = i / NODES;
    if block >= frame.blocks {
        return;
    }
    let node = vec3(i % ALONG_BLOCK, i / ALONG_BLOCK % ALONG_BLOCK, i / (ALONG_BLOCK * ALONG_BLOCK) % ALONG_BLOCK);
    let step = node / ALONG;
    let l = node % ALONG;
    let other = neighbor_block(block_cell(block), vec3<i32>(step));
    if other == NONE {
        nodes[2u * i] = vec4(0.0);
        nodes[2u * i + 1u] = vec4(0.0);
        node_cover[i] = 0.0;
        return;
    }
    let at = OWN * other + (l.z * ALONG + l.y) * ALONG + l.x;
    nodes[2u * i] = own[2u * at];
    nodes[2u * i + 1u] = own[2u * at + 1u];
    node_cover[i] = cover[at];
}
