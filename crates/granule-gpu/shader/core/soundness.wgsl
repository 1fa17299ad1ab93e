// Where particles may be: twin of quarantine.rs and of Domain::wrap.

// Particles farther out than this [m] are removed.
const FARTHEST: f32 = 1e9;

fn is_sound(x: vec3<f32>, v: vec3<f32>) -> bool {
    return all(abs(x) < vec3(FARTHEST)) && all(abs(v) <= vec3(LARGEST));
}

fn wrap(x: vec3<f32>) -> vec3<f32> {
    if !PERIODIC {
        return x;
    }
    let turns = floor((x - params.period_origin.xyz) * params.period_inverse.xyz);
    return x - params.period_length.xyz * turns;
}
