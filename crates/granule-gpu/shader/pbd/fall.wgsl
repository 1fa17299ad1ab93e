// Gives grains the velocity of gravity for a step; nothing pushes them yet. Twin of `fall` in solver/pbd/integrate.rs.

@group(0) @binding(0) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> motion: array<vec4<f32>>;
// Push of a step; rotation vector, and how far a grain is listed; its path.
@group(0) @binding(2) var<storage, read_write> way: array<vec4<f32>>;

@compute @workgroup_size(256)
fn pbd_fall(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let inverse_mass = motion[2u * i].w;
    var v = velocity[i];
    if inverse_mass > 0.0 {
        v += vec4(step.dt * params.gravity.xyz, 0.0);
        velocity[i] = v;
    }
    motion[2u * i] = vec4(v.xyz, inverse_mass);
    way[3u * i] = vec4(0.0);
}
