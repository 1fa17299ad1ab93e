// From pressure and stress to velocities; twin of solver/iisph/sweep/accelerate.rs.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> stress: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> prediction: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> found: array<Found>;
@group(0) @binding(5) var<storage, read_write> solved: array<vec4<f32>>;

fn packed_stress(j: u32) -> vec4<u32> {
    return stress[2u * params.capacity + j];
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
        let packed = array(packed_stress(j.x), packed_stress(j.y), packed_stress(j.z), packed_stress(j.w));
        let gradients = four_gradients(x, positions);
        if FLUID {
            let pressures = vec4(packed[0].x, packed[1].x, packed[2].x, packed[3].x);
            sum += gradients * bitcast<vec4<f32>>(pressures);
        } else {
            sum += sym3_times(unpack_total_stress(packed[0]), gradients[0])
                + sym3_times(unpack_total_stress(packed[1]), gradients[1])
                + sym3_times(unpack_total_stress(packed[2]), gradients[2])
                + sym3_times(unpack_total_stress(packed[3]), gradients[3]);
        }
        gradient_sum += gradients * vec4(1.0);
    }
    return sum + sym3_times(unpack_total_stress(packed_stress(i)), gradient_sum);
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
