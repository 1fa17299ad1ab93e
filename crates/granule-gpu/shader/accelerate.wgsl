// From pressure and stress to velocities; twin of solver/iisph/sweep/accelerate.rs.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> stress: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> prediction: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> found: array<Found>;
@group(0) @binding(5) var<storage, read_write> solved: array<vec4<f32>>;

// p I + s of a particle.
fn total_stress(j: u32) -> Sym3 {
    return unpack_total_stress(stress[2u * params.capacity + j]);
}

// sum_j (T_i + T_j) G_ij.
fn stress_divergence(i: u32) -> vec3<f32> {
    let x = position[i].xyz;
    var sum = vec3(0.0);
    var gradient_sum = vec3(0.0);
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += LANES) {
        let j = list[s];
        let gradient = pair_gradient(nearest_image(x - position[j].xyz));
        if FLUID {
            sum += bitcast<f32>(stress[2u * params.capacity + j].x) * gradient;
        } else {
            sum += sym3_times(total_stress(j), gradient);
        }
        gradient_sum += gradient;
    }
    return sum + sym3_times(total_stress(i), gradient_sum);
}

@compute @workgroup_size(256)
fn accelerate(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let specific = materials[found_material(found[i])].inverse_density;
    let wall = prediction[params.capacity + i].xyz;
    let v = prediction[i].xyz + step.dt * (wall - specific * stress_divergence(i));
    solved[i] = vec4(v, 0.0);
}
