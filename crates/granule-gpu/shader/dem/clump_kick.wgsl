// The second half kick of rigid grains of several spheres, their angular velocity of now and their energy: twin of MoveGroup in
// solver/dem/assembled.rs.

@compute @workgroup_size(256)
fn clump_kick(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= arrayLength(&clumps) || step.phase != SOLVED || step.progress == PRIMES {
        return;
    }
    if clumps[k].count == 0u {
        return;
    }
    var clump = kicked(clumps[k], 0.5 * step.dt);
    let inertia = inertias[k];
    let axes = turn(clump.turned, inertia.shape_from_principal);
    let momentum = rotate(conjugate(axes), clump.angular_momentum);
    let rates = momentum / inertia.moments.xyz;
    clump.spin = rotate(axes, rates);
    clump.energy = 0.5 * (dot(clump.momentum, clump.momentum) / clump.mass + dot(momentum, rates));
    if !(is_finite(clump.momentum) && is_finite(clump.spin)) {
        clump.sound = 0.0;
    }
    clumps[k] = clump;
}
