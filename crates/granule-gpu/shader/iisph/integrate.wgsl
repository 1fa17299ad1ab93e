// Takes over the solved velocities and moves the particles, v then x; particles whose state is not finite are marked
// as removed. Twin of solver/iisph/integrate.rs and quarantine.rs.

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> solved: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> metadata: array<Meta>;
@group(0) @binding(4) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec4<f32>>;
// Left behind for readers.
@group(0) @binding(6) var<storage, read_write> acceleration: array<vec4<f32>>;

@compute @workgroup_size(256)
fn integrate(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var fastest = 0.0;
    var energy = 0.0;
    var lost = 0.0;
    if i < step.count {
        let v = solved[i].xyz;
        let x = wrap(position[i].xyz + step.dt * v);
        let own = density_state[i];
        let first = own.z - step.contact_half * params.contact_capacity;
        var own_meta = vec4(metadata[i].xy, first, contact_count(own));
        if is_sound(x, v) {
            fastest = dot(v, v);
            energy = 0.5 * velocity[i].w * fastest;
        } else {
            lost = 1.0;
            own_meta.y |= REMOVED;
        }
        acceleration[i] = vec4((v - velocity[i].xyz) * step.inverse_dt, 0.0);
        position[i] = vec4(x, position[i].w);
        velocity[i] = vec4(v, velocity[i].w);
        metadata[i] = own_meta;
    }
    let largest = tree_max(thread, vec4(fastest));
    let sum = tree_sum(thread, vec4(energy, lost, 0.0, 0.0));
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.count {
        partials[4u * block] = vec4(largest.x, sum.xyz);
    }
}
