// Material laws: twins of solver/iisph/rheology.rs, of Material::yield_limit and of Sym3.

const LOOSE_DENSITY: f32 = 0.8;
const EXCESS_CORRECTION: f32 = 0.2;
const SHEAR_COMPACTION: f32 = 3.4;
const INERTIAL_SCALE: f32 = 0.279;
const SQRT_2: f32 = 1.4142135;

// A symmetric tensor: xx, xy, xz, yy and yz, zz.
struct Sym3 {
    a: vec4<f32>,
    b: vec2<f32>,
}

fn sym3_dot(s: Sym3, t: Sym3) -> f32 {
    return s.a.x * t.a.x + s.a.w * t.a.w + s.b.y * t.b.y
        + 2.0 * (s.a.y * t.a.y + s.a.z * t.a.z + s.b.x * t.b.x);
}

fn sym3_times(s: Sym3, v: vec3<f32>) -> vec3<f32> {
    return vec3(
        s.a.x * v.x + s.a.y * v.y + s.a.z * v.z,
        s.a.y * v.x + s.a.w * v.y + s.b.x * v.z,
        s.a.z * v.x + s.b.x * v.y + s.b.y * v.z,
    );
}

// The symmetric part without trace.
fn sym3_deviatoric(m: mat3x3<f32>) -> Sym3 {
    let third = (m[0].x + m[1].y + m[2].z) / 3.0;
    return Sym3(
        vec4(m[0].x - third, 0.5 * (m[0].y + m[1].x), 0.5 * (m[0].z + m[2].x), m[1].y - third),
        vec2(0.5 * (m[1].z + m[2].y), m[2].z - third),
    );
}

fn required_expansion(density: f32, compaction: f32) -> f32 {
    let excess = density - 1.0;
    let loose = min(density - LOOSE_DENSITY, 0.0) + compaction * excess;
    return select(loose, EXCESS_CORRECTION * excess, excess > 0.0);
}

fn required_expansion_of_fluid(density: f32, share: f32) -> f32 {
    let excess = density - 1.0;
    return select(excess, share * excess, excess > 0.0);
}

fn compaction_rate(rest: f32, strain_rate: f32) -> f32 {
    return rest + SHEAR_COMPACTION * strain_rate;
}

// NaN becomes 0, as comparisons with it fail.
fn project_pressure(pressure: f32, error: f32, step_size: f32) -> f32 {
    let projected = pressure + step_size * error;
    return select(0.0, projected, projected > 0.0 && projected <= LARGEST);
}

fn return_to_cone(stress: Sym3, limit: f32) -> Sym3 {
    let norm_squared = sym3_dot(stress, stress);
    if !(norm_squared <= LARGEST) {
        return Sym3(vec4(0.0), vec2(0.0));
    }
    let scale = select(1.0, limit / sqrt(norm_squared), limit * limit < norm_squared);
    return Sym3(scale * stress.a, scale * stress.b);
}

fn yield_limit(material: u32, pressure: f32, strain_rate: f32) -> f32 {
    let law = rheology[material];
    var slope = law.yield_slope;
    if FAST {
        if pressure > 0.0 {
            let inertial = SQRT_2 * strain_rate * law.grain_diameter * sqrt(materials[material].density / pressure);
            slope += law.fast_slope * inertial / (inertial + INERTIAL_SCALE);
        }
    }
    return slope * pressure + law.cohesion;
}
