// Bounces of pairs in bricks.

@compute @workgroup_size(64)
fn bounce_bricks(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    run_brick(workgroup, thread);
}
