// Stress before projection from the strain rate of the predicted velocity; twin of trial_stress in
// solver/iisph/sweep/strain.rs.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(3) var<storage, read_write> prediction: array<vec4<f32>>;

fn velocity_of(i: u32) -> vec3<f32> {
    return prediction[i].xyz;
}

@compute @workgroup_size(256)
fn find_trial_stress(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let strain = sym3_deviatoric(velocity_gradient(i));
    let factor = -iisph.full_stress * step.inverse_dt * materials[state_material(density_state[i])].density;
    let at = 2u * params.capacity + 2u * i;
    prediction[at] = factor * strain.a;
    prediction[at + 1u] = vec4(factor * strain.b, 0.0, 0.0);
}
