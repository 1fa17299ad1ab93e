// Excess of grains on the fine grid, in place of their number; twin of FineGrid::find_excess.

@group(0) @binding(2) var<storage, read> node_cover: array<f32>;
@group(0) @binding(3) var<storage, read_write> tally: array<u32>;

@compute @workgroup_size(256)
fn find_excess(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    let n = frame.along;
    let size = n * n * n;
    if i > frame.parts * size {
        return;
    }
    if i == frame.parts * size {
        tally[i] = 0u;
        return;
    }
    let block = block_of_part(i / size);
    let k = i % size;
    let local = vec3(f32(k % n), f32(k / n % n), f32(k / n / n));
    let at = max((local - frame.offset.xyz) * (f32(ALONG) / f32(n)), vec3(0.0));
    let corner = min(floor(at), vec3(f32(ALONG - 1u)));
    let weights = trilinear_weights(at - corner);
    let c = vec3<u32>(corner);
    let first = NODES * block + (c.z * ALONG_BLOCK + c.y) * ALONG_BLOCK + c.x;
    var covered = 0.0;
    for (var corner_number = 0u; corner_number < 8u; corner_number++) {
        let step = (corner_number & 1u) + ((corner_number >> 1u) & 1u) * ALONG_BLOCK
            + (corner_number >> 2u) * ALONG_BLOCK * ALONG_BLOCK;
        covered += weights[corner_number] * node_cover[first + step];
    }
    tally[i] = bitcast<u32>(f32(tally[i]) * frame.unit - ramp(covered, frame.surface_ramp));
}
