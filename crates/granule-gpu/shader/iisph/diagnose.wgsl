// Power of the frictional stress; twin of friction_power in solver/iisph/sweep/strain.rs.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> stress: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> partials: array<vec4<f32>>;

fn velocity_of(i: u32) -> vec3<f32> {
    return velocity[i].xyz;
}

@compute @workgroup_size(256)
fn diagnose(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var power = 0.0;
    if i < step.count {
        let strain = sym3_deviatoric(velocity_gradient(i));
        power = sym3_dot(Sym3(stress[2u * i], stress[2u * i + 1u].xy), strain);
    }
    let sum = tree_sum(thread, vec4(params.spacing * params.spacing * params.spacing * power));
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.count {
        partials[4u * block + 2u] = sum;
    }
}
