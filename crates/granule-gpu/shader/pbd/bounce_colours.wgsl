// Bounces of loose pairs.

@compute @workgroup_size(256)
fn bounce_colour(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    run_colour(workgroup, thread);
}

@compute @workgroup_size(256)
fn bounce_tail(@builtin(local_invocation_index) thread: u32) {
    run_tail(thread);
}
