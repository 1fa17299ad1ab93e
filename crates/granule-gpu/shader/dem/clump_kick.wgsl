// The second half kick of rigid grains of several spheres, their angular velocity of now and their energy, and the velocities of
// their spheres: twin of MoveGroup and of put_rates in solver/dem/assembled.rs. What lost grains leave in the table is given up.

// In the fourth number: the energy of the grain for its first sphere, -1 for the others.
@group(0) @binding(6) var<storage, read_write> turns: array<vec4<f32>>;

fn kicked(before: Clump, inertia: Inertia, acting: Acting) -> Clump {
    var clump = accelerated(before, inertia, acting.force, acting.torque, 0.5 * step.dt);
    let v = velocity_of(clump);
    let axes = turn(clump.turned, inertia.shape_from_principal);
    let momentum = rotate(conjugate(axes), rotation_of_clump(clump));
    let rates = momentum / inertia.moments.xyz;
    clump.spin = rotate(axes, rates);
    clump.energy = 0.5 * (clump.mass * dot(v, v) + inertia.moments.w * dot(momentum, rates));
    return clump;
}

fn give_rates(clump: Clump, member: Member, is_first: bool) {
    var v = velocity_of(clump) + cross(clump.spin, arm_of(clump, member.offset));
    if clump.sound == 0.0 {
        // Without bounds: all spheres of a lost grain are found by it.
        v = vec3(LARGEST * (2.0 + step.dt));
    }
    velocity[member.row] = vec4(v, member.mass);
    spin[member.row] = vec4(clump.spin, clump.inverse_mass);
    turns[member.row] = vec4(0.0, 0.0, 0.0, select(-1.0, clump.energy, is_first));
}

@compute @workgroup_size(256)
fn clump_kick(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let m = thread_number(workgroup, thread);
    let acts = m < arrayLength(&members) && step.phase == SOLVED && step.progress != PRIMES;
    let member = members[select(0u, m, acts)];
    let half = clumps[middle_of(member.grain)];
    let takes_part = acts && belongs(half, m);
    let acting = acting_on(half, member, m, thread, takes_part);
    if !takes_part {
        return;
    }
    var clump = kicked(half, inertias[member.grain], acting);
    give_rates(clump, member, m == clump.first);
    if m == clump.first {
        if clump.sound == 0.0 {
            clump.count = 0u;
        }
        clumps[beginning_of(member.grain)] = clump;
    }
}
