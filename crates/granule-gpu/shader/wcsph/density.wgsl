// Density and pressure, and what pairs gather of both; twin of solver/wcsph/density.rs.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
// Acceleration of the last step, and pressure.
@group(0) @binding(3) var<storage, read_write> acceleration: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> contacts: array<Contact>;
@group(0) @binding(5) var<storage, read_write> density_state: array<DensityState>;
// Position, and pressure over the square of the density.
@group(0) @binding(6) var<storage, read_write> place: array<vec4<f32>>;
// Velocity at the time of the positions, and density.
@group(0) @binding(7) var<storage, read_write> motion: array<vec4<f32>>;

@compute @workgroup_size(256)
fn compute_wcsph_density(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let x = position[i].xyz;
    var own = density_state[i];
    var value = params.kernel_zero;
    var count = 0u;
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += FOUR_SLOTS) {
        let j = four_neighbors(s);
        let near = four_positions(j);
        for (var k = 0u; k < 4u; k++) {
            let d = nearest_image(x - near[k]);
            let square = dot(d, d);
            let other = j[k] != i;
            value += select(0.0, kernel_pair(square).x, other);
            count += select(0u, 1u, other && square < params.support * params.support);
        }
    }
    let density = params.volume * value + wall_density(own);
    let pressure = pressure_of(fluids[state_material(own)], density);
    own.x = bitcast<u32>(density);
    own.w = pack_state(contact_count(own), state_material(own), count);
    density_state[i] = own;
    place[i] = vec4(x, pressure / (density * density));
    motion[i] = vec4(velocity[i].xyz + 0.5 * step.dt * acceleration[i].xyz, density);
    acceleration[i].w = pressure;
}
