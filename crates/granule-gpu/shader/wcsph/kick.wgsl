// The second kick; particles whose state is not finite are marked as removed. Twin of kick in solver/wcsph/kick.rs.

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> acceleration: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> contacts: array<Contact>;
@group(0) @binding(4) var<storage, read_write> metadata: array<Meta>;
@group(0) @binding(5) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(6) var<storage, read_write> partials: array<vec4<f32>>;

@compute @workgroup_size(256)
fn wcsph_kick(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var fastest = 0.0;
    var energy = 0.0;
    var lost = 0.0;
    var excess = 0.0;
    var neighbors = 0.0;
    if i < step.count {
        let own = density_state[i];
        let a = acceleration[i].xyz;
        var v = velocity[i].xyz;
        if step.progress != PRIMES {
            v = hold_back(v + 0.5 * step.dt * a, own.z, contact_count(own));
        }
        let density = bitcast<f32>(own.x);
        if is_sound(position[i].xyz, v) && all(abs(a) <= vec3(LARGEST)) {
            fastest = dot(v, v);
            energy = 0.5 * velocity[i].w * fastest;
            excess = max(density - 1.0, 0.0);
        } else {
            lost = 1.0;
            metadata[i].y |= REMOVED;
        }
        neighbors = f32(neighbor_count(own));
        velocity[i] = vec4(v, velocity[i].w);
    }
    let largest = tree_max(thread, vec4(fastest));
    let sum = tree_sum(thread, vec4(energy, lost, excess, neighbors));
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.count {
        partials[4u * block] = vec4(largest.x, sum.xyz);
        partials[4u * block + 2u] = vec4(0.0, sum.w, 0.0, 0.0);
    }
}
