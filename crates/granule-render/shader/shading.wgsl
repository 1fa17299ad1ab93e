// Twins of the functions of the same names in src/shading.rs, which document them.

fn hash_u32(value: u32) -> u32 {
    var x = value + 0x9e3779b9u;
    x = (x ^ (x >> 16u)) * 0x7feb352du;
    x = (x ^ (x >> 15u)) * 0x846ca68bu;
    return x ^ (x >> 16u);
}

fn grain_random(id: u32, channel: u32) -> f32 {
    return f32(hash_u32(id * 8u + channel) >> 8u) / 16777216.0;
}

fn grain_tint(id: u32, variation: f32) -> vec3<f32> {
    let brightness = 1.0 + variation * 0.44 * (grain_random(id, 0u) - 0.5);
    let warmth = variation * 0.10 * (grain_random(id, 1u) - 0.5);
    let stone = grain_random(id, 2u);
    var kind = vec3<f32>(1.0);
    if stone < 0.06 {
        kind = vec3<f32>(0.50, 0.48, 0.50);
    } else if stone > 0.96 {
        kind = vec3<f32>(1.22, 1.28, 1.42);
    }
    let warm = vec3<f32>(1.0 + warmth, 1.0, 1.0 - 1.6 * warmth);
    return warm * (mix(vec3<f32>(1.0), kind, variation) * brightness);
}

// A wave over a grain: its unit direction and, in w, its phase.
fn grain_wave(id: u32, wave: u32) -> vec4<f32> {
    let channel = 3u + wave;
    let angle = 6.2831855 * grain_random(id, channel);
    let height = 2.0 * grain_random(id ^ 0x5bd1e995u, channel) - 1.0;
    let flat_part = sqrt(max(1.0 - height * height, 0.0));
    return vec4<f32>(flat_part * cos(angle), height, flat_part * sin(angle), angle);
}

fn bumped_normal(normal: vec3<f32>, waves: array<vec4<f32>, 3>, bumps: f32) -> vec3<f32> {
    var all = waves;
    var tilted = normal;
    for (var wave = 0u; wave < 3u; wave++) {
        let axis = all[wave].xyz;
        let phase = 3.0 * dot(axis, normal) * (1.0 + 0.5 * f32(wave)) + all[wave].w;
        tilted += axis * (bumps * cos(phase));
    }
    return normalize(tilted - normal * min(dot(tilted, normal), 0.0));
}

fn mark_tone(orientation: vec4<f32>, normal: vec3<f32>) -> f32 {
    if dot(orientation, orientation) < 0.5 {
        return 1.0;
    }
    let twice = 2.0 * cross(normal, orientation.xyz);
    let local = normal + orientation.w * twice + cross(twice, orientation.xyz);
    return mix(0.4, 1.0, smoothstep(-0.06, 0.06, local.x * local.z));
}

fn own_shadow(normal: vec3<f32>, sun: vec3<f32>, bumps: f32) -> f32 {
    return select(1.0, smoothstep(0.0, 1.5 * bumps, dot(normal, sun)), bumps > 0.0);
}

fn rough_diffuse(normal: vec3<f32>, light: vec3<f32>, view: vec3<f32>, roughness: f32) -> f32 {
    let n_l = dot(normal, light);
    let n_v = max(dot(normal, view), 0.0);
    if n_l <= 0.0 {
        return 0.0;
    }
    let variance = roughness * roughness;
    let a = 1.0 - 0.5 * variance / (variance + 0.33);
    let b = 0.45 * variance / (variance + 0.09);
    let s = dot(light, view) - n_l * n_v;
    let t = select(1.0, max(max(n_l, n_v), 1e-4), s > 0.0);
    return n_l * (a + b * s / t);
}

fn surface_light(
    albedo: vec3<f32>,
    normal: vec3<f32>,
    view: vec3<f32>,
    highlight: f32,
    sunlit: f32,
    open: f32,
) -> vec3<f32> {
    let sun = frame.sun_direction.xyz;
    let diffuse = rough_diffuse(normal, sun, view, frame.horizon.w);
    let half_way = normalize(sun + view);
    let glint = select(0.0, highlight * pow(max(dot(normal, half_way), 0.0), 24.0), dot(normal, sun) > 0.0);
    let above = 0.5 + 0.5 * normal.y;
    let ambient = mix(frame.bounce.xyz, frame.sky.xyz, above) * open;
    let direct = frame.sun.xyz * sunlit;
    return albedo * (direct * diffuse + ambient) + direct * glint;
}

fn background(direction: vec3<f32>) -> vec3<f32> {
    let height = pow(clamp(direction.y, 0.0, 1.0), 0.6);
    return mix(frame.horizon.xyz, frame.zenith.xyz, height);
}

fn tone_map(light: vec3<f32>) -> vec3<f32> {
    let knee = 0.7;
    let over = max(light - knee, vec3<f32>(0.0)) / (1.0 - knee);
    return min(light, vec3<f32>(knee)) + (1.0 - knee) * (vec3<f32>(1.0) - exp(-over));
}

fn inverse_tone_map(color: vec3<f32>) -> vec3<f32> {
    let knee = 0.7;
    let over = clamp((color - knee) / (1.0 - knee), vec3<f32>(0.0), vec3<f32>(0.9999));
    return min(color, vec3<f32>(knee)) - (1.0 - knee) * log(vec3<f32>(1.0) - over);
}
