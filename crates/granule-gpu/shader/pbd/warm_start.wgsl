// Gives grains the impulses of the step before, and finds how far overlaps push them: a thread for each grain gathers them from all
// of its pairs, in the order of its list. Twin of `warm_start` in solver/pbd/sweep.rs, but for the order of sums.

@group(0) @binding(1) var<storage, read> pair_of: array<u32>;
// Places of the keeper, with the mark ACTIVE, and of its partner, with the mark PULLS.
@group(0) @binding(2) var<storage, read> pairs: array<vec2<u32>>;
// From the partner to the keeper; gap at the beginning of the step.
@group(0) @binding(3) var<storage, read> geometry: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> impulses: array<vec4<f32>>;
// Of partners only what nobody changes is read: inverse masses and radii.
@group(0) @binding(5) var<storage, read_write> motion: array<vec4<f32>>;
// Push of a step, and rotation vector since lists were made.
@group(0) @binding(6) var<storage, read_write> way: array<vec4<f32>>;

// What a grain gathers.
struct Gathered {
    impulse: vec3<f32>,
    torque: vec3<f32>,
    push: vec3<f32>,
}

// Adds what a pair gives to the one of its grains that has these radii and inverse masses: its own, then the partner's. The sign is
// that of the keeper.
fn gather_pair(sum: Gathered, p: u32, sign: f32, radius: vec2<f32>, mass: vec2<f32>) -> Gathered {
    let g = geometry[p];
    let by = impulse_of(impulses[2u * p], impulses[2u * p + 1u]);
    var next = sum;
    next.impulse += sign * (by.normal * g.xyz + by.tangent);
    if ROTATION {
        next.torque += sign * by.rolling - arms_of(radius, g.w).x * cross(g.xyz, by.tangent);
    }
    let size = pair_diameter(radius);
    let deep = push_apart(g.w, size, pbd.push_speed * step.dt * sqrt(size));
    next.push += (sign * deep * mass.x / (mass.x + mass.y)) * g.xyz;
    return next;
}

@compute @workgroup_size(256)
fn pbd_warm_start(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let velocity = motion[2u * i];
    let spin = motion[2u * i + 1u];
    if !(velocity.w > 0.0) {
        return;
    }
    let first = list[2u * (i / LANES)] * LANES + i % LANES;
    let count = list[2u * (i / LANES) + 1u];
    var sum = Gathered(vec3(0.0), vec3(0.0), vec3(0.0));
    for (var s = 0u; s < count; s++) {
        let entry = pair_of[first + s * LANES];
        if entry == NOBODY {
            break;
        }
        let p = entry & ~BORROWED;
        let pair = pairs[p];
        if (pair.x & ACTIVE) == 0u {
            continue;
        }
        let keeps = (pair.x & ~ACTIVE) == i;
        let j = select(pair.x & ~ACTIVE, pair.y & ~PULLS, keeps);
        let radius = vec2(spin.w, motion[2u * j + 1u].w);
        let mass = vec2(velocity.w, motion[2u * j].w);
        sum = gather_pair(sum, p, select(-1.0, 1.0, keeps), radius, mass);
    }
    motion[2u * i] = velocity + vec4(velocity.w * sum.impulse, 0.0);
    if ROTATION {
        motion[2u * i + 1u] = spin + vec4(2.5 * velocity.w / (spin.w * spin.w) * sum.torque, 0.0);
    }
    way[3u * i] += vec4(sum.push, 0.0);
}
