// Normals of the surface; twin of compute_normals in solver/wcsph/density.rs.

// Places, then normals.
@group(0) @binding(1) var<storage, read_write> place: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> motion: array<vec4<f32>>;

@compute @workgroup_size(256)
fn compute_normals(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let x = place[i].xyz;
    var sum = vec3(0.0);
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += LANES) {
        let j = list[s];
        let d = nearest_image(x - place[j].xyz);
        sum += normal_slope(length(d)) / motion[j].w * d;
    }
    place[params.capacity + i] = vec4(params.support * params.volume * sum, 0.0);
}
