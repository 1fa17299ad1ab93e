// Free flight; walls stop what would fly into them.

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> metadata: array<Meta>;
@group(0) @binding(3) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(4) var<storage, read> contacts: array<Contact>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> mark: array<u32>;
@group(0) @binding(7) var<storage, read_write> orientation: array<vec4<f32>>;

@compute @workgroup_size(256)
fn fly(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var fastest = 0.0;
    var energy = 0.0;
    var lost = 0.0;
    if i < step.count {
        var v = velocity[i].xyz + step.dt * params.gravity.xyz;
        let own = density_state[i];
        for (var k = 0u; k < contact_count(own); k++) {
            let contact = contacts[own.z + k];
            let gap = contact.normal.w - params.radius;
            let approach = dot(v - contact.velocity.xyz, contact.normal.xyz) + gap * step.inverse_dt;
            v -= min(approach, 0.0) * contact.normal.xyz;
        }
        let x = position[i].xyz + step.dt * v;
        if is_sound(x, v) {
            fastest = dot(v, v);
            energy = 0.5 * velocity[i].w * fastest;
        } else {
            lost = 1.0;
            metadata[i].y |= REMOVED;
        }
        // What must stay with the particle: its id, written once.
        if mark[i] == 0u {
            mark[i] = metadata[i].x + 1u;
            orientation[i].x = f32(metadata[i].x);
        }
        position[i] = vec4(x, position[i].w);
        velocity[i] = vec4(v, velocity[i].w);
    }
    let largest = tree_max(thread, vec4(fastest));
    let sum = tree_sum(thread, vec4(energy, lost, 0.0, 0.0));
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.count {
        partials[4u * block] = vec4(largest.x, sum.xyz);
    }
}
