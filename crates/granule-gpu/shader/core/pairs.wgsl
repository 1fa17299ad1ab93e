// Pair mathematics: twins of Kernel::w and Kernel::gradient_factor (sph/kernel.rs) and Domain (neighbors/domain.rs).

const Q_FLOOR: f32 = 1e-3;

// Value [1/m3] and derivative over distance [1/m5] of the kernel at a squared distance [m2].
fn kernel_pair(r2: f32) -> vec2<f32> {
    let q = sqrt(r2) * params.inverse_support;
    let p = max(1.0 - q, 0.0);
    var value = 0.0;
    var slope_over_q = 0.0;
    if KERNEL == 0u {
        let c = max(0.5 - q, 0.0);
        value = 2.0 * p * p * p - 8.0 * c * c * c;
        if q > 0.0 {
            slope_over_q = (24.0 * c * c - 6.0 * p * p) / q;
        }
    } else if KERNEL == 1u {
        value = p * p * p * p * (4.0 * q + 1.0);
        slope_over_q = select(0.0, -20.0 * p * p * p, q > 0.0);
    } else if KERNEL == 2u {
        let s = p * (1.0 + q);
        value = s * s * s;
        slope_over_q = select(0.0, -6.0 * s * s, q > 0.0);
    } else if KERNEL == 3u {
        value = p * p * p;
        slope_over_q = select(0.0, -3.0 * p * p / max(q, 1e-12), q > 0.0);
    } else {
        let f = max(q, Q_FLOOR);
        let g = max(1.0 - f, 0.0);
        value = g * g * g * (1.0 + f) / (2.0 * f);
        slope_over_q = select(0.0, -(g * g) * ((3.0 * f + 2.0) * f + 1.0) / (2.0 * f * f * f), q > 0.0);
    }
    let second = params.kernel_sigma * params.inverse_support * params.inverse_support;
    return vec2(params.kernel_sigma * value, second * slope_over_q);
}

// The shortest image of a difference of two points inside the period.
fn nearest_image(difference: vec3<f32>) -> vec3<f32> {
    if !PERIODIC {
        return difference;
    }
    let length = params.period_length.xyz;
    let zero = vec3(0.0);
    let down = select(zero, -length, difference > 0.5 * length);
    let up = select(zero, length, difference < -0.5 * length);
    return difference + (down + up);
}

// G_ij = V grad_i W_ij [1/m].
fn pair_gradient(x_ij: vec3<f32>) -> vec3<f32> {
    return params.volume * kernel_pair(dot(x_ij, x_ij)).y * x_ij;
}
