// Samples the walls near every particle; impulses of the last step are taken over where the wall is the same. Twin of
// WallContacts::sample in solver/iisph/walls.rs and of Boundaries::sample.

@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> tags: array<Tag>;
// Two halves: one is the last step's, one is this step's.
@group(0) @binding(4) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(5) var<storage, read_write> found: array<Found>;
@group(0) @binding(6) var<storage, read_write> counters: Counters;

// Cosine of the largest angle by which a wall's normal at a particle turns in a step.
const SAME_CONTACT: f32 = 0.7;

// Walls near the particle, in the frames of their shapes; further ones are only counted.
var<private> accepted: u32;
var<private> samples: array<Surface, 8>;
var<private> sampled_boundaries: array<u32, 8>;

// Impulses of the same wall in the last step: of the one that has turned least, since walls of a mesh that meet have one
// number. Twin of warm_contact.
fn warm_impulse(tag: Tag, wall: u32, normal: vec3<f32>) -> vec4<f32> {
    let first = (1u - step.contact_half) * params.contact_capacity + tag.z;
    var impulse = vec4(0.0);
    var least_turn = SAME_CONTACT;
    for (var k = 0u; k < tag.w; k++) {
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
fn contact_with(tag: Tag, boundary: u32, surface: Surface) -> Contact {
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
    contact.impulse = warm_impulse(tag, contact.wall, normal);
    contact.friction = pose.pivot.w;
    contact.give = vec2(1.0);
    return contact;
}

fn sample(x: vec3<f32>) {
    accepted = 0u;
    for (var b = 0u; b < params.boundary_count; b++) {
        let pose = poses[b];
        var local = x - pose.translation.xyz;
        if pose.translation.w == 0.0 {
            local = rotate(conjugate(pose.rotation), local);
        }
        if pose.low.w == 1.0 {
            let beyond = max(max(pose.low.xyz - local, local - pose.high.xyz), vec3(0.0));
            if dot(beyond, beyond) > params.support * params.support {
                continue;
            }
        }
        for (var s = 0u; s < pose.solids.y; s++) {
            solid_walls(b, program[pose.solids.x + s], local, params.support);
        }
    }
}

@compute @workgroup_size(256)
fn sample_boundaries(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    sample(position[i].xyz);
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
    let tag = tags[i];
    for (var k = 0u; k < count; k++) {
        contacts[at + k] = contact_with(tag, sampled_boundaries[k], samples[k]);
    }
    var own = found[i];
    own.z = at;
    own.w = own.w | count;
    found[i] = own;
}
