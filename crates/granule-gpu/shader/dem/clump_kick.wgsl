// The second half kick of rigid grains of several spheres, their angular velocity of now and their energy: twin of MoveGroup in
// solver/dem/assembled.rs. What lost grains leave in the table is given up.

// Writes what a kick changes, and nothing else.
fn kick_clump(k: u32, before: Clump, inertia: Inertia, acting: Acting) {
    let clump = accelerated(before, inertia, acting.force, acting.torque, 0.5 * step.dt);
    let v = velocity_of(clump);
    let axes = turn(clump.turned, inertia.shape_from_principal);
    let momentum = rotate(conjugate(axes), rotation_of_clump(clump));
    let rates = momentum / inertia.moments.xyz;
    clumps[k].velocity_xy = clump.velocity_xy;
    clumps[k].velocity_z = clump.velocity_z;
    clumps[k].rotation_xy = clump.rotation_xy;
    clumps[k].rotation_z = clump.rotation_z;
    clumps[k].spin = rotate(axes, rates);
    clumps[k].energy = 0.5 * (dot(v, v) / clump.inverse_mass + inertia.moments.w * dot(momentum, rates));
    if clump.sound == 0.0 {
        clumps[k].sound = 0.0;
        clumps[k].count = 0u;
    }
}

@compute @workgroup_size(256)
fn clump_kick(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= arrayLength(&clumps) || step.phase != SOLVED {
        return;
    }
    let clump = clumps[k];
    if clump.count == 0u {
        return;
    }
    let acting = acting_on(clump);
    kept[k] = acting;
    if step.progress != PRIMES {
        kick_clump(k, clump, inertias[k], acting);
    }
}
