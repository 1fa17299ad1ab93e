// Samples the walls near every particle; impulses of the last step are taken over where the wall is the same. Twin of
// WallContacts::sample in solver/iisph/walls.rs and of Boundaries::sample.

@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> metadata: array<Meta>;
// Two halves: one is the last step's, one is this step's.
@group(0) @binding(4) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(5) var<storage, read_write> density_state: array<DensityState>;
@group(0) @binding(6) var<storage, read_write> counters: Counters;

// Cosine of the largest angle by which a wall's normal at a particle turns in a step.
const SAME_CONTACT: f32 = 0.7;

// Walls near the particle, in the frames of their shapes; further ones are only counted.
var<private> accepted: u32;
var<private> samples: array<Surface, 8>;
var<private> sampled_boundaries: array<u32, 8>;

// Impulses of the same wall in the last step: of the one that has turned least, since walls of a mesh that meet have one
// number. Twin of warm_contact.
fn warm_impulse(own_meta: Meta, wall: u32, normal: vec3<f32>) -> vec4<f32> {
    let first = (1u - step.contact_half) * params.contact_capacity + own_meta.z;
    var impulse = vec4(0.0);
    var least_turn = SAME_CONTACT;
    for (var k = 0u; k < own_meta.w; k++) {
        let old = contacts[first + k];
        let turn = dot(old.normal.xyz, normal);
        if old.wall == wall && turn > least_turn {
            impulse = old.impulse;
            least_turn = turn;
        }
    }
    return impulse;
}

// Takes a wall in the shape's frame.
fn accept(boundary: u32, surface: Surface) {
    if accepted < MAX_SAMPLES {
        samples[accepted] = surface;
        sampled_boundaries[accepted] = boundary;
    }
    accepted++;
}

// A contact with a wall that was accepted, in the world.
fn contact_with(own_meta: Meta, boundary: u32, surface: Surface) -> Contact {
    let pose = poses[boundary];
    var closest = surface.closest + pose.translation.xyz;
    var normal = surface.normal;
    if pose.translation.w == 0.0 {
        closest = rotate(pose.rotation, surface.closest) + pose.translation.xyz;
        normal = normalize(rotate(pose.rotation, surface.normal));
    }
    let wall_velocity = pose.linear.xyz + cross(pose.angular.xyz, closest - pose.pivot.xyz);
    let lambda = select(surface.lambda, wall_lambda(surface.distance), surface.lambda < 0.0);
    var contact: Contact;
    contact.normal = vec4(normal, surface.distance);
    contact.velocity = vec4(wall_velocity, lambda);
    contact.wall = boundary | (surface.face << 16u);
    contact.impulse = warm_impulse(own_meta, contact.wall, normal);
    contact.friction = pose.pivot.w;
    // Contacts with bodies that give way bear nothing until they have their share of the body.
    contact.mass_splitting = vec2(select(1.0, 0.0, pose.high.w == 1.0));
    return contact;
}

// A point in the frame of a boundary's shape.
fn into_frame(pose: Pose, x: vec3<f32>) -> vec3<f32> {
    let local = x - pose.translation.xyz;
    if pose.translation.w == 0.0 {
        return rotate(conjugate(pose.rotation), local);
    }
    return local;
}

// Whether a boundary's bounds are farther than `reach` from a point in its frame.
fn is_beyond(pose: Pose, local: vec3<f32>, reach: f32) -> bool {
    let beyond = max(max(pose.low.xyz - local, local - pose.high.xyz), vec3(0.0));
    return pose.low.w == 1.0 && dot(beyond, beyond) > reach * reach;
}

fn sample(x: vec3<f32>) {
    accepted = 0u;
    for (var b = 0u; b < params.boundary_count; b++) {
        let pose = poses[b];
        let local = into_frame(pose, x);
        if is_beyond(pose, local, params.support) {
            continue;
        }
        for (var s = 0u; s < pose.solids.y; s++) {
            solid_walls(b, solid_table[pose.solids.x + s], local, params.support);
        }
    }
}

// Whether some wall may come within the support as long as neither it nor the particle moves by half of the skin.
fn walls_may_be_near(x: vec3<f32>) -> bool {
    // Bodies move as they like.
    if BODIES {
        return true;
    }
    let reach = 1.001 * (params.support + params.skin);
    for (var b = 0u; b < params.boundary_count; b++) {
        let pose = poses[b];
        let local = into_frame(pose, x);
        if is_beyond(pose, local, reach) {
            continue;
        }
        for (var s = 0u; s < pose.solids.y; s++) {
            if !(solid_distance(solid_table[pose.solids.x + s], local) > reach) {
                return true;
            }
        }
    }
    return false;
}

@compute @workgroup_size(256)
fn sample_boundaries(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    let x = position[i].xyz;
    var own = density_state[i];
    if KEEPS_LISTS {
        // As long as lists hold it is known which particles can have contacts.
        if step.listed == 0u {
            own.y = select(0u, 1u, walls_may_be_near(x));
        }
        if own.y == 0u {
            return;
        }
        own.w = pack_state(0u, state_material(own), neighbor_count(own));
        density_state[i] = own;
    }
    sample(x);
    if accepted == 0u {
        return;
    }
    if accepted > MAX_SAMPLES {
        atomicAdd(&counters.dropped, accepted - MAX_SAMPLES);
    }
    let count = min(accepted, MAX_SAMPLES);
    let first = atomicAdd(&counters.contacts, count);
    if first + count > params.contact_capacity {
        return;
    }
    let at = step.contact_half * params.contact_capacity + first;
    let own_meta = metadata[i];
    for (var k = 0u; k < count; k++) {
        contacts[at + k] = contact_with(own_meta, sampled_boundaries[k], samples[k]);
    }
    own.z = at;
    own.w = own.w | count;
    density_state[i] = own;
}
