// Pair mathematics of the weakly compressible solver: twins of solver/wcsph/pairs.rs and of sph/kernel/lanes.rs.

override VISCOUS: bool = false;
override DAMPED: bool = false;
override COHESIVE: bool = false;
override SMOOTHED: bool = false;

const INVERSE_PI: f32 = 0.31830988618;

fn cubed(x: f32) -> f32 {
    return x * x * x;
}

// Derivative over distance [1/m5] of the kernel that carries pressure, at a distance [m]: that of spiky for poly6.
fn pressure_slope(r: f32) -> f32 {
    if KERNEL != 2u {
        return kernel_pair(r * r).y;
    }
    let q = r * params.inverse_support;
    let p = max(1.0 - q, 0.0);
    let second = 15.0 * INVERSE_PI * cubed(params.inverse_support) * params.inverse_support * params.inverse_support;
    return select(0.0, -3.0 * second * p * p / max(q, 1e-12), q > 0.0);
}

// Derivative over distance [1/m5] of poly6.
fn normal_slope(r: f32) -> f32 {
    let q = r * params.inverse_support;
    let s = max(1.0 - q, 0.0) * (1.0 + q);
    let sigma = 4.921875 * INVERSE_PI * cubed(params.inverse_support);
    return select(0.0, -6.0 * sigma * params.inverse_support * params.inverse_support * s * s, q > 0.0);
}

// Laplacian [1/m5] of the viscosity kernel.
fn viscosity_laplacian(r: f32) -> f32 {
    let p = max(1.0 - r * params.inverse_support, 0.0);
    let second = 7.5 * INVERSE_PI * cubed(params.inverse_support) * params.inverse_support * params.inverse_support;
    return 6.0 * second * p;
}

fn pressure_of(fluid: Fluid, density: f32) -> f32 {
    var excess = density - 1.0;
    if fluid.tait_exponent > 0.0 {
        var power = density;
        for (var k = 1.0; k < fluid.tait_exponent; k += 1.0) {
            power *= density;
        }
        excess = (power - 1.0) / fluid.tait_exponent;
    }
    return max(fluid.stiffness * excess, 0.0);
}

fn cohesion_spline(q: f32) -> f32 {
    let pq = max(1.0 - q, 0.0) * q;
    let base = pq * pq * pq;
    return select(base + base - 0.015625, base, q > 0.5);
}

fn surface_weight(own: f32, other: f32) -> f32 {
    return 2.0 / (own + other);
}
