// Air drag; twin of solver/drag.rs and of air.rs.
//
// Hook of the method: drive(i, v, change) takes over the change of a velocity; it declares binding 5.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> metadata: array<Meta>;
// Density, viscosity, grain diameter (0: the particle's) and constant drag coefficient (below 0: by the Reynolds
// number); then whether upwind neighbours shield and the number of wind fields; then four records per field.
@group(0) @binding(4) var<storage, read> air: array<vec4<f32>>;

const UNIFORM: f32 = 0.0;
const VORTEX: f32 = 1.0;
const GUST: f32 = 2.0;
const PI: f32 = 3.1415927;

fn vortex_wind(at: u32, x: vec3<f32>) -> vec3<f32> {
    let core = air[at].y;
    let speed = air[at].z;
    let axis = air[at + 2u].xyz;
    var arm = x - air[at + 1u].xyz;
    arm -= axis * dot(axis, arm);
    let r = length(arm);
    if r == 0.0 {
        return vec3(0.0);
    }
    return cross(axis, arm / r) * select(speed * core / r, speed * r / core, r < core);
}

fn gust_wind(at: u32, x: vec3<f32>) -> vec3<f32> {
    // Times since the batch's start.
    if step.elapsed < air[at].z || step.elapsed > air[at].w {
        return vec3(0.0);
    }
    let q = distance(x, air[at + 1u].xyz) / air[at].y;
    return air[at + 2u].xyz * max(1.0 - q * q, 0.0);
}

fn grid_wind(at: u32, x: vec3<f32>) -> vec3<f32> {
    let size = air[at + 3u].xyz;
    let q = (x - air[at + 1u].xyz) / air[at + 2u].xyz;
    let last = size - 1.0;
    if any(q < vec3(0.0)) || any(q > last) {
        return vec3(0.0);
    }
    let base = min(floor(q), max(last - 1.0, vec3(0.0)));
    let f = q - base;
    let first = u32(air[at].y);
    var sum = vec3(0.0);
    for (var corner = 0u; corner < 8u; corner++) {
        let offset = vec3<f32>(vec3(corner & 1u, (corner >> 1u) & 1u, corner >> 2u));
        let node = vec3<u32>(min(base + offset, last));
        let share = select(1.0 - f, f, offset == vec3(1.0));
        let index = node.x + u32(size.x) * (node.y + u32(size.y) * node.z);
        sum += share.x * share.y * share.z * air[first + index].xyz;
    }
    return sum;
}

fn wind(x: vec3<f32>) -> vec3<f32> {
    var sum = vec3(0.0);
    for (var k = 0u; k < u32(air[1].y); k++) {
        let at = 2u + 4u * k;
        let kind = air[at].x;
        if kind == UNIFORM {
            sum += air[at + 1u].xyz;
        } else if kind == VORTEX {
            sum += vortex_wind(at, x);
        } else if kind == GUST {
            sum += gust_wind(at, x);
        } else {
            sum += grid_wind(at, x);
        }
    }
    return sum;
}

fn drag_coefficient(reynolds: f32) -> f32 {
    if reynolds > 1000.0 {
        return 0.424;
    }
    let re = max(reynolds, 1e-6);
    return 24.0 / re * (1.0 + pow(re, 2.0 / 3.0) / 6.0);
}

fn drag_rate(speed: f32, radius: f32, mass: f32, density: f32) -> f32 {
    let grain = air[0].z;
    var diameter = 2.0 * radius;
    var area_per_mass = PI * radius * radius / mass;
    if grain > 0.0 {
        diameter = grain;
        area_per_mass = 1.5 / (density * grain);
    }
    var coefficient = air[0].w;
    if coefficient < 0.0 {
        coefficient = drag_coefficient(air[0].x * speed * diameter / air[0].y);
    }
    return 0.5 * air[0].x * coefficient * area_per_mass;
}

fn exposure(i: u32, x: vec3<f32>, direction: vec3<f32>) -> f32 {
    var shield = 0.0;
    let slots = slots_of(i);
    for (var s = slots.first; s < slots.end; s += LANES) {
        let d = nearest_image(x - position[list[s]].xyz);
        let size = length(d);
        if size > 0.0 && dot(d, d) < params.support * params.support {
            shield = max(shield, dot(direction, d / size));
        }
    }
    return clamp(1.0 - shield, 0.0, 1.0);
}

@compute @workgroup_size(256)
fn predict_drag(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let x = position[i];
    let v = velocity[i];
    let relative = wind(x.xyz) - v.xyz;
    let speed = length(relative);
    var change = vec3(0.0);
    if speed > 0.0 {
        var exposed = 1.0;
        if air[1].x > 0.0 {
            exposed = exposure(i, x.xyz, relative / speed);
        }
        let rate = drag_rate(speed, x.w, v.w, materials[material_of(metadata[i])].density);
        change = min(step.dt * rate * speed * exposed, 1.0) * relative;
    }
    drive(i, v.xyz, change);
}
