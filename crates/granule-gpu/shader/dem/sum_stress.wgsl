// Sums of the stresses of the contacts of spheres, block by block, always in the same order.

@group(0) @binding(0) var<storage, read> stresses: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> partials: array<vec4<f32>>;

@compute @workgroup_size(256)
fn sum_stress(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if dem.motion.steers == 0u {
        return;
    }
    let i = thread_number(workgroup, thread);
    var own = vec4(0.0);
    if i < step.count {
        own = stresses[i];
    }
    let sum = tree_sum(thread, own);
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.count {
        partials[4u * block + 2u] = sum;
    }
}
