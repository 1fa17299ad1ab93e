// Accelerations from pressure, viscosity and surface tension; twin of solver/wcsph/accelerate.rs.

// Places, then normals.
@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> motion: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> density_state: array<DensityState>;
// Acceleration, and pressure, which stays.
@group(0) @binding(4) var<storage, read_write> acceleration: array<vec4<f32>>;

struct Own {
    place: vec4<f32>,
    motion: vec4<f32>,
    normal: vec3<f32>,
    material: u32,
}

// Force per volume of a pair [N/m3].
fn pair_force(own: Own, j: u32, place: vec4<f32>, moves: vec4<f32>) -> vec3<f32> {
    let d = nearest_image(own.place.xyz - place.xyz);
    let square = dot(d, d);
    let r = sqrt(square);
    let difference = moves.xyz - own.motion.xyz;
    let mine = fluids[own.material];
    var other = own.material;
    if SEVERAL_MATERIALS {
        other = state_material(density_state[j]);
    }
    var push = own.place.w + place.w;
    if DAMPED {
        let damping = 0.5 * (mine.damping + fluids[other].damping);
        let softening = 0.0025 * params.support * params.support;
        push -= damping * min(-dot(difference, d), 0.0) / (square + softening);
    }
    var along = -params.volume * push * pressure_slope(r);
    if COHESIVE {
        let surface_force = 0.5 * (mine.surface_force + fluids[other].surface_force);
        let pull = surface_force * surface_weight(own.motion.w, moves.w) * cohesion_spline(r * params.inverse_support);
        along -= select(0.0, pull / max(r, 1e-30), r > 0.0);
    }
    var force = along * d;
    if VISCOUS {
        let viscosity = 0.5 * (mine.dynamic_viscosity + fluids[other].dynamic_viscosity);
        force += params.volume * viscosity * viscosity_laplacian(r) / (own.motion.w * moves.w) * difference;
    }
    if SMOOTHED {
        let smoothing = 0.5 * (mine.smoothing + fluids[other].smoothing);
        let normal = position[params.capacity + j].xyz;
        let weight = select(0.0, smoothing * surface_weight(own.motion.w, moves.w), r < params.support);
        force -= weight * (own.normal - normal);
    }
    return force;
}

@compute @workgroup_size(256)
fn wcsph_accelerate(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    var own = Own(position[i], motion[i], vec3(0.0), state_material(density_state[i]));
    if SMOOTHED {
        own.normal = position[params.capacity + i].xyz;
    }
    var sum = vec3(0.0);
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += FOUR_SLOTS) {
        let j = four_neighbors(s);
        let places = mat4x4(position[j.x], position[j.y], position[j.z], position[j.w]);
        let motions = mat4x4(motion[j.x], motion[j.y], motion[j.z], motion[j.w]);
        // A particle that fills a slot has no difference and no gradient with itself.
        for (var k = 0u; k < 4u; k++) {
            sum += pair_force(own, j[k], places[k], motions[k]);
        }
    }
    let a = params.gravity.xyz + sum * materials[own.material].inverse_density;
    acceleration[i].x = a.x;
    acceleration[i].y = a.y;
    acceleration[i].z = a.z;
}
