// Gives the spheres of rigid grains the velocities of now, after the second half kick: twin of put_rates in
// solver/dem/assembled.rs.

@group(0) @binding(0) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> spin: array<vec4<f32>>;
// In the fourth number: the energy of the grain for its first sphere, -1 for the others.
@group(0) @binding(2) var<storage, read_write> turns: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> grains: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> clumps: array<Clump>;
@group(0) @binding(5) var<storage, read> members: array<vec4<f32>>;

@compute @workgroup_size(256)
fn member_rates(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count || step.progress == PRIMES {
        return;
    }
    let own = grains[i];
    if own.x == NOBODY {
        return;
    }
    let clump = clumps[own.x];
    let arm = arm_of(clump, members[own.y].xyz);
    var v = velocity_of(clump) + cross(clump.spin, arm);
    if clump.sound == 0.0 {
        // Without bounds: all spheres of a lost grain are found by it.
        v = vec3(LARGEST * (2.0 + step.dt));
    }
    velocity[i] = vec4(v, velocity[i].w);
    spin[i] = vec4(clump.spin, spin[i].w);
    turns[i] = vec4(0.0, 0.0, 0.0, select(-1.0, clump.energy, own.y == clump.first));
}
