// Velocity without pressure, friction and walls: gravity and viscosity; twin of predict_velocity in
// solver/iisph/predict.rs. With air, the prediction begins with drag.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> metadata: array<Meta>;
@group(0) @binding(4) var<storage, read_write> prediction: array<vec4<f32>>;

override AIR: bool = false;
override VISCOUS: bool = false;

fn viscous_acceleration(i: u32) -> vec3<f32> {
    let x = position[i].xyz;
    let v = velocity[i].xyz;
    let own = rheology[material_of(metadata[i])].viscosity;
    var sum = vec3(0.0);
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += LANES) {
        let j = list[s];
        let d = nearest_image(x - position[j].xyz);
        let square = dot(d, d);
        let nu = 0.5 * (own + rheology[material_of(metadata[j])].viscosity);
        let approach = dot(v - velocity[j].xyz, d);
        sum += nu * approach / (square + iisph.viscosity_softening) * pair_gradient(d);
    }
    return iisph.viscosity_factor * sum;
}

@compute @workgroup_size(256)
fn predict_velocity(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    var v = velocity[i].xyz;
    if AIR {
        v = prediction[i].xyz;
    }
    v += step.dt * params.gravity.xyz;
    if VISCOUS {
        v += step.dt * viscous_acceleration(i);
    }
    prediction[i] = vec4(v, 0.0);
}
