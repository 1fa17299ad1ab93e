// Finds normals and gaps of all pairs, who touches, and lets those that do not forget. Twin of `prepare` in solver/pbd/sweep.rs.
// Threads go through bricks as they lie, and through all colours of loose pairs at once, so that pairs of the same grains are looked at
// when these are at hand.

@group(0) @binding(0) var<storage, read_write> pairs: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> geometry: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> impulses: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> motion: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> colours: array<u32>;
// Velocities along the normal at the beginning of the step.
@group(0) @binding(6) var<storage, read_write> approaches: array<f32>;
@group(0) @binding(7) var<storage, read_write> counters: Counters;

var<workgroup> active_count: atomic<u32>;

// Whether a pair touches, or will within the step, or a pull connects it.
fn prepare_pair(p: u32) -> bool {
    let pair = pairs[p];
    let was_active = (pair.x & ACTIVE) != 0u;
    let i = pair.x & ~ACTIVE;
    let j = pair.y & ~PULLS;
    let a = place_of(places[2u * i], places[2u * i + 1u]);
    let b = place_of(places[2u * j], places[2u * j + 1u]);
    let d = apart(a.point, b.point);
    let distance = max(sqrt(dot(d, d)), 1e-20);
    let normal = (1.0 / distance) * d;
    let gap = distance - a.radius - b.radius;
    let approach = dot(motion[2u * i].xyz - motion[2u * j].xyz, normal);
    let size = 4.0 * a.radius * b.radius / (a.radius + b.radius);
    let touches = gap < TOUCH * size;
    let pulls = (pair.y & PULLS) != 0u;
    var turning = vec4(0.0);
    if was_active {
        turning = impulses[2u * p + 1u];
    }
    let connected = pulls && (touches || (turning.w > 0.0 && gap < REACH * size));
    if !(touches || connected || gap + step.dt * approach < 0.0) {
        if was_active {
            impulses[2u * p] = vec4(0.0);
            impulses[2u * p + 1u] = vec4(0.0);
            pairs[p].x = i;
        }
        return false;
    }
    var along = vec4(0.0);
    if was_active {
        let carry = step.dt / step.memory_dt;
        along = carry * impulses[2u * p];
        turning *= carry;
        along = vec4(along.x, along.yzw - dot(along.yzw, normal) * normal);
    } else {
        pairs[p].x = i | ACTIVE;
    }
    geometry[p] = vec4(normal, gap);
    impulses[2u * p] = along;
    impulses[2u * p + 1u] = vec4(turning.xyz, select(0.0, 1.0, connected));
    if BOUNCES {
        approaches[p] = approach;
    }
    return true;
}

// The pair of a thread; NOBODY where it has none.
fn pair_of_thread(number: u32) -> u32 {
    let in_bricks = colours[PAIRS_IN_BRICKS];
    if number < round_up(in_bricks) {
        return select(NOBODY, number, number < in_bricks);
    }
    let loose = number - round_up(in_bricks);
    let span = loose / SPAN;
    var left = loose % SPAN;
    for (var colour = 0u; colour <= REST; colour++) {
        let at = COLOUR_WORDS * colour;
        let least = colours[at + 3u];
        let more = colours[at + 4u];
        let size = least + select(0u, 1u, span < more);
        if left < size {
            return colours[at] + least * span + min(span, more) + left;
        }
        left -= size;
        if size == 0u && colours[at] == step.pair_count {
            break;
        }
    }
    return NOBODY;
}

@compute @workgroup_size(256)
fn prepare_pairs(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let p = pair_of_thread(thread_number(workgroup, thread));
    if thread == 0u {
        atomicStore(&active_count, 0u);
    }
    workgroupBarrier();
    if p != NOBODY && prepare_pair(p) {
        atomicAdd(&active_count, 1u);
    }
    workgroupBarrier();
    if thread == 0u {
        let touching = atomicLoad(&active_count);
        if touching > 0u {
            atomicAdd(&counters.neighbors, 2u * touching);
        }
    }
}
