// The second half kick, how far spheres have turned, totals, and the mark of those whose state is not finite. Twin of
// add_up_and_kick in solver/dem/integrate.rs.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> spin: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> loads: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> metadata: array<Meta>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec4<f32>>;
// How far spheres have turned since lists were made [rad]; the fourth number as clump_kick.wgsl leaves it.
@group(0) @binding(6) var<storage, read_write> turns: array<vec4<f32>>;

fn is_finite(v: vec3<f32>) -> bool {
    return all(abs(v) <= vec3(LARGEST));
}

@compute @workgroup_size(256)
fn dem_kick(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var fastest = 0.0;
    var energy = 0.0;
    var lost = 0.0;
    var contacts = 0.0;
    // Lost spheres beyond the first of their grain.
    var beyond = 0.0;
    if i < step.count {
        let own_meta = metadata[i];
        let x = position[i];
        let load = loads[2u * i];
        let torque = loads[2u * i + 1u].xyz;
        let mass = velocity[i].w;
        var v = velocity[i].xyz;
        var w = spin[i].xyz;
        if mover_of(own_meta) == FREE && step.progress != PRIMES {
            turns[i] += vec4(step.dt * w, 0.0);
            let half = 0.5 * step.dt;
            v += (half / mass) * load.xyz;
            w += (half / (0.4 * mass * x.w * x.w)) * torque;
            velocity[i] = vec4(v, mass);
            spin[i] = vec4(w, spin[i].w);
        }
        if is_sound(x.xyz, v) && is_finite(w) && is_finite(load.xyz) && is_finite(torque) {
            fastest = dot(v, v);
            energy = 0.5 * mass * (fastest + 0.4 * x.w * x.w * dot(w, w));
            if mover_of(own_meta) == MEMBER {
                energy = max(turns[i].w, 0.0);
            }
        } else {
            lost = 1.0;
            if mover_of(own_meta) == MEMBER && turns[i].w < 0.0 {
                beyond = 1.0;
            }
            metadata[i].y |= REMOVED;
        }
        contacts = load.w;
    }
    let largest = tree_max(thread, vec4(fastest));
    let sum = tree_sum(thread, vec4(energy, lost, contacts, beyond));
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.count {
        partials[4u * block] = vec4(largest.x, sum.xy, sum.w);
        partials[4u * block + 2u] = vec4(0.0, sum.z, 0.0, 0.0);
    }
}
