// Density and the diagonal of the pressure system; twin of solver/iisph/density.rs.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> metadata: array<Meta>;
@group(0) @binding(3) var<storage, read> contacts: array<Contact>;
@group(0) @binding(4) var<storage, read_write> density_state: array<DensityState>;

@compute @workgroup_size(256)
fn compute_density(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let x = position[i].xyz;
    var own = density_state[i];
    var value = params.kernel_zero;
    var sum = vec3(0.0);
    var squares = 0.0;
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += LANES) {
        let j = list[s];
        let d = nearest_image(x - position[j].xyz);
        let pair = kernel_pair(dot(d, d));
        let gradient = params.volume * pair.y * d;
        value += select(pair.x, 0.0, j == i);
        sum += gradient;
        var lighter = materials[0].inverse_density;
        if SEVERAL_MATERIALS {
            lighter = materials[material_of(metadata[j])].inverse_density;
        }
        squares += lighter * dot(gradient, gradient);
    }
    let diagonal = squares + dot(sum, sum) * materials[state_material(own)].inverse_density;
    own.x = bitcast<u32>(params.volume * value + wall_density(own));
    own.y = bitcast<u32>(diagonal);
    density_state[i] = own;
}
