// From pressure and stress to velocities; twin of solver/iisph/sweep/accelerate.rs.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> stress: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> prediction: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(5) var<storage, read_write> solved: array<vec4<f32>>;

// Stress and pressure of a particle, as they lie in memory.
struct Record {
    first: vec4<f32>,
    second: vec4<f32>,
}

fn record_of(j: u32) -> Record {
    return Record(stress[2u * j], stress[2u * j + 1u]);
}

// p I + s.
fn total_stress(record: Record) -> Sym3 {
    let a = record.first;
    let b = record.second;
    return Sym3(vec4(a.x + b.z, a.y, a.z, a.w + b.z), vec2(b.x, b.y + b.z));
}

// sum_j (T_i + T_j) G_ij over neighbours j, with T = p I + s.
fn stress_divergence(i: u32) -> vec3<f32> {
    let x = position[i].xyz;
    var sum = vec3(0.0);
    var gradient_sum = vec3(0.0);
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += FOUR_SLOTS) {
        let j = four_neighbors(s);
        let positions = four_positions(j);
        var gradients: mat4x3<f32>;
        if FLUID {
            let pressures = vec4(
                stress[2u * j.x + 1u].z,
                stress[2u * j.y + 1u].z,
                stress[2u * j.z + 1u].z,
                stress[2u * j.w + 1u].z,
            );
            gradients = four_gradients(x, positions);
            sum += gradients * pressures;
        } else {
            let r0 = record_of(j.x);
            let r1 = record_of(j.y);
            let r2 = record_of(j.z);
            let r3 = record_of(j.w);
            gradients = four_gradients(x, positions);
            sum += sym3_times(total_stress(r0), gradients[0])
                + sym3_times(total_stress(r1), gradients[1])
                + sym3_times(total_stress(r2), gradients[2])
                + sym3_times(total_stress(r3), gradients[3]);
        }
        gradient_sum += gradients * vec4(1.0);
    }
    return sum + sym3_times(total_stress(record_of(i)), gradient_sum);
}

@compute @workgroup_size(256)
fn accelerate(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let specific = materials[state_material(density_state[i])].inverse_density;
    let wall = prediction[params.capacity + i].xyz;
    let v = prediction[i].xyz + step.dt * (wall - specific * stress_divergence(i));
    solved[i] = vec4(v, 0.0);
}
