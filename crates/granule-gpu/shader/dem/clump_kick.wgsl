// The second half kick of rigid grains of several spheres, their angular velocity of now and their energy, and the velocities of
// their spheres: twin of MoveGroup and of put_rates in solver/dem/assembled.rs. What lost grains leave in the table is given up.

// In the fourth number: the energy of the grain for its first sphere, -1 for the others.
@group(0) @binding(6) var<storage, read_write> turns: array<vec4<f32>>;

@compute @workgroup_size(256)
fn clump_kick(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= arrayLength(&clumps) || step.phase != SOLVED || step.progress == PRIMES {
        return;
    }
    if clumps[k].count == 0u {
        return;
    }
    let inertia = inertias[k];
    var clump = kicked(clumps[k], inertia, 0.5 * step.dt);
    let v = velocity_of(clump);
    let axes = turn(clump.turned, inertia.shape_from_principal);
    let momentum = rotate(conjugate(axes), rotation_of_clump(clump));
    let rates = momentum / inertia.moments.xyz;
    clump.spin = rotate(axes, rates);
    clump.energy = 0.5 * (clump.mass * dot(v, v) + inertia.moments.w * dot(momentum, rates));
    clumps[k] = clump;
    for (var m = clump.first; m < clump.first + clump.count; m++) {
        let member = members[m];
        var rate = v + cross(clump.spin, arm_of(clump, member.offset));
        if clump.sound == 0.0 {
            // Without bounds: all spheres of a lost grain are found by it.
            rate = vec3(LARGEST * (2.0 + step.dt));
        }
        velocity[member.row] = vec4(rate, member.mass);
        spin[member.row] = vec4(clump.spin, member.inverse_mass);
        turns[member.row] = vec4(0.0, 0.0, 0.0, select(-1.0, clump.energy, m == clump.first));
    }
    if clump.sound == 0.0 {
        clumps[k].count = 0u;
    }
}
