// From velocities to corrections of pressure, stress and wall impulses; twin of solver/iisph/sweep/project.rs.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> stress: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(5) var<storage, read_write> contacts: array<Contact>;
// Predicted velocities, accelerations from walls, and where friction is explicit trial stresses, else what the last iteration
// gave: stress, pressure and how many iterations there were.
@group(0) @binding(6) var<storage, read_write> prediction: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> partials: array<vec4<f32>>;

fn velocity_of(i: u32) -> vec3<f32> {
    return velocity[i].xyz;
}

// What friction would be without a limit, in explicit friction.
fn trial_stress(i: u32) -> Sym3 {
    let at = 2u * params.capacity + 2u * i;
    return Sym3(prediction[at], prediction[at + 1u].xy);
}

// Momentum of an iteration, counted from 1; twin of Momentum::of.
fn momentum_of(iteration: f32) -> f32 {
    if u32(iteration) == step.least {
        return 0.0;
    }
    return momentum(iteration - f32(step.momentum_began));
}

// What an iteration gives and the next one starts from.
struct Load {
    stress: Sym3,
    pressure: f32,
}

// Goes beyond what this iteration gave, and keeps it for the next one.
fn extrapolate(i: u32, material: u32, given: Load) -> Load {
    let at = 2u * params.capacity + 2u * i;
    let last = prediction[at + 1u];
    let previous = Sym3(prediction[at], last.xy);
    let iteration = last.w + 1.0;
    prediction[at] = given.stress.a;
    prediction[at + 1u] = vec4(given.stress.b, given.pressure, iteration);
    let beta = momentum_of(iteration);
    if beta == 0.0 || rheology[material].fluid > 0.5 {
        return given;
    }
    return Load(
        extrapolate_stress(given.stress, previous, beta),
        extrapolate_pressure(given.pressure, last.z, beta),
    );
}

fn correct_walls(i: u32, own: DensityState) {
    if contact_count(own) == 0u {
        return;
    }
    var push = vec3(0.0);
    let v = velocity[i].xyz;
    for (var k = 0u; k < contact_count(own); k++) {
        let contact = contacts[own.z + k];
        let mu = select(contact.friction, materials[state_material(own)].wall_friction, contact.friction < 0.0);
        let impulse = correct_contact(contact, v, mu, step.inverse_dt);
        contacts[own.z + k].impulse = impulse;
        push += impulse.w * contact.normal.xyz + impulse.xyz;
    }
    prediction[params.capacity + i] = vec4(push, 0.0);
}

fn corrected_pressure(pressure: f32, missing: f32, diagonal: f32) -> f32 {
    if !(diagonal > iisph.least_diagonal) {
        return 0.0;
    }
    let step_size = iisph.pressure_relaxation / (step.dt * step.dt) / diagonal;
    return project_pressure(pressure, missing, step_size);
}

// Missing expansion, stress change and pressure, for the sums.
fn project_particle(i: u32) -> vec4<f32> {
    let own = density_state[i];
    let material = state_material(own);
    let density = bitcast<f32>(own.x);
    correct_walls(i, own);
    let gradient = velocity_gradient(i);
    let strain = sym3_deviatoric(gradient);
    let strain_rate = sqrt(sym3_dot(strain, strain));
    let divergence = gradient[0].x + gradient[1].y + gradient[2].z;
    let compaction = step.dt * compaction_rate(iisph.rest_compaction, strain_rate);
    var required = required_expansion(density, compaction);
    if FLUID || EXPLICIT || rheology[material].fluid > 0.5 {
        required = required_expansion_of_fluid(density, min(step.dt / params.longest_step, 1.0));
    }
    let missing = required - step.dt * divergence;
    let old = stress[2u * i];
    let old_second = stress[2u * i + 1u];
    let pressure = corrected_pressure(old_second.z, missing, bitcast<f32>(own.y));
    var change = 0.0;
    if FLUID {
        stress[2u * i + 1u] = vec4(0.0, 0.0, pressure, strain_rate);
    } else {
        var moved = Sym3(old, old_second.xy);
        if EXPLICIT {
            moved = trial_stress(i);
        } else {
            let size = -iisph.stress_relaxation * iisph.full_stress * step.inverse_dt;
            let factor = size * materials[material].density;
            moved.a += factor * strain.a;
            moved.b += factor * strain.b;
        }
        let s = return_to_cone(moved, yield_limit(material, pressure, strain_rate));
        let difference = Sym3(s.a - old, s.b - old_second.xy);
        change = sqrt(sym3_dot(difference, difference));
        var next = Load(s, pressure);
        if !EXPLICIT {
            next = extrapolate(i, material, next);
            next.stress = return_to_cone(next.stress, yield_limit(material, next.pressure, strain_rate));
        }
        stress[2u * i] = next.stress.a;
        stress[2u * i + 1u] = vec4(next.stress.b, next.pressure, strain_rate);
    }
    return vec4(select(0.0, max(missing, 0.0), pressure > 0.0), change, pressure, 0.0);
}

@compute @workgroup_size(256)
fn project(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var errors = vec4(0.0);
    if i < step.count {
        errors = project_particle(i);
    }
    errors = tree_sum(thread, errors);
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.count {
        partials[4u * block] = errors;
    }
}
