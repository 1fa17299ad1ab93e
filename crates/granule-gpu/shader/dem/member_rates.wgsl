// Velocities of the spheres of rigid grains at the end of a step: twin of put_rates in solver/dem/assembled.rs.

@group(0) @binding(0) var<storage, read> clumps: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> members: array<Member>;
@group(0) @binding(2) var<storage, read> grains: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> spin: array<vec4<f32>>;
// In the fourth number: the energy of the grain for its first sphere, -1 for the others.
@group(0) @binding(5) var<storage, read_write> turns: array<vec4<f32>>;

fn give_rates(clump: Clump, member: Member) {
    var v = velocity_of(clump) + cross(clump.spin, arm_of(clump, member.offset));
    if clump.sound == 0.0 {
        // Without bounds: all spheres of a lost grain are found by it.
        v = vec3(LARGEST * (2.0 + step.dt));
    }
    velocity[member.row] = vec4(v, member.mass);
    spin[member.row] = vec4(clump.spin, clump.inverse_mass);
    turns[member.row] = vec4(0.0, 0.0, 0.0, select(-1.0, clump.energy, member.is_first == 1u));
}

@compute @workgroup_size(256)
fn member_rates(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count || step.phase != SOLVED || step.progress == PRIMES || grains[i].x == NOBODY {
        return;
    }
    give_rates(read_clump(grains[i].x), members[grains[i].y]);
}
