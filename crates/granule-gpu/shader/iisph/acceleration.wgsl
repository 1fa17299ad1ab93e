// Momentum of iterations: twins of solver/iisph/acceleration.rs.

fn momentum(k: f32) -> f32 {
    return (k - 1.0) / (k + 2.0);
}

// NaN becomes 0, as comparisons with it fail.
fn extrapolate_pressure(pressure: f32, previous: f32, beta: f32) -> f32 {
    let beyond = pressure + beta * (pressure - previous);
    return select(0.0, beyond, beyond > 0.0 && beyond <= LARGEST);
}

fn extrapolate_stress(stress: Sym3, previous: Sym3, beta: f32) -> Sym3 {
    return Sym3(
        stress.a + beta * (stress.a - previous.a),
        stress.b + beta * (stress.b - previous.b),
    );
}
