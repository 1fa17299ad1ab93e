// The second half kick of rigid grains of several spheres, their angular velocity of now and their energy: twin of MoveGroup in
// solver/dem/assembled.rs. What lost grains leave in the table is given up.

fn kicked(before: Clump, inertia: Inertia, acting: Acting) -> Clump {
    var clump = accelerated(before, inertia, acting.force, acting.torque, 0.5 * step.dt);
    let v = velocity_of(clump);
    let axes = turn(clump.turned, inertia.shape_from_principal);
    let momentum = rotate(conjugate(axes), rotation_of_clump(clump));
    let rates = momentum / inertia.moments.xyz;
    clump.spin = rotate(axes, rates);
    clump.energy = 0.5 * (dot(v, v) / clump.inverse_mass + inertia.moments.w * dot(momentum, rates));
    return clump;
}

@compute @workgroup_size(256)
fn clump_kick(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= clump_room() || step.phase != SOLVED {
        return;
    }
    let clump = read_clump(k);
    if clump.count == 0u {
        return;
    }
    let acting = acting_on(clump);
    kept[k] = acting;
    if step.progress == PRIMES {
        return;
    }
    let faster = kicked(clump, inertias[k], acting);
    write_motion(k, faster);
    if faster.sound == 0.0 {
        give_up_clump(k);
    }
}
