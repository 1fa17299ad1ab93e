// Takes over pressure, stress and wall impulses of the last step; twin of IisphState::warm_start.

@group(0) @binding(0) var<storage, read_write> stress: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(2) var<storage, read> contacts: array<Contact>;
// Predicted velocities, accelerations from walls, and what the last iteration gave.
@group(0) @binding(3) var<storage, read_write> prediction: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> partials: array<vec4<f32>>;

@compute @workgroup_size(256)
fn warm_start(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var pressure = 0.0;
    if i < step.count {
        let own = density_state[i];
        let material = state_material(own);
        let second = stress[2u * i + 1u];
        pressure = second.z * rheology[material].warm_start;
        let limit = yield_limit(material, pressure, second.w);
        let s = return_to_cone(Sym3(stress[2u * i], second.xy), limit);
        stress[2u * i] = s.a;
        stress[2u * i + 1u] = vec4(s.b, pressure, second.w);
        var push = vec3(0.0);
        for (var k = 0u; k < contact_count(own); k++) {
            let contact = contacts[own.z + k];
            push += contact.impulse.w * contact.normal.xyz + contact.impulse.xyz;
        }
        prediction[params.capacity + i] = vec4(push, 0.0);
        if !FLUID && !EXPLICIT {
            // No iterations yet.
            prediction[2u * params.capacity + 2u * i + 1u] = vec4(0.0);
        }
    }
    let sum = tree_sum(thread, vec4(pressure));
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.count {
        partials[4u * block + 3u] = sum;
    }
}
