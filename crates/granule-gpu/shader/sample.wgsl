// Samples the walls near every particle; impulses of the last step are taken over where the wall is the same. Twin of
// WallContacts::sample in solver/iisph/walls.rs and of Boundaries::sample.

@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> tags: array<Tag>;
// Two halves: one is the last step's, one is this step's.
@group(0) @binding(4) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(5) var<storage, read_write> found: array<Found>;
@group(0) @binding(6) var<storage, read_write> counters: Counters;

const TABLE_CELLS: u32 = 1024u;

var<workgroup> first_contact: u32;

// What `accept` does: counts, and writes contacts from `target_contact` on once it is told to.
var<private> accepted: u32;
var<private> writing: bool;
var<private> target_contact: u32;
var<private> own_tag: Tag;

fn table_entry(k: u32) -> f32 {
    return bitcast<f32>(program[params.wall_table + k / 4u][k % 4u]);
}

// Part of the kernel beyond a plane; twin of WallTable::lambda.
fn wall_lambda(phi: f32) -> f32 {
    if phi >= params.support {
        return 0.0;
    }
    if phi <= -params.support {
        return 1.0;
    }
    let place = (phi + params.support) * (f32(TABLE_CELLS) / (2.0 * params.support));
    let cell = min(u32(place), TABLE_CELLS - 1u);
    let a = table_entry(cell);
    return a + (place - f32(cell)) * (table_entry(cell + 1u) - a);
}

// Impulses of the same wall in the last step.
fn warm_impulse(boundary: u32, face: u32) -> vec4<f32> {
    let first = (1u - step.contact_half) * params.contact_capacity + own_tag.z;
    for (var k = 0u; k < own_tag.w; k++) {
        let old = contacts[first + k];
        if old.boundary == boundary && old.face == face {
            return old.impulse;
        }
    }
    return vec4(0.0);
}

// Takes a wall in the shape's frame.
fn accept(boundary: u32, surface: Surface) {
    if writing && accepted < MAX_SAMPLES {
        let pose = poses[boundary];
        var closest = surface.closest + pose.translation.xyz;
        var normal = surface.normal;
        if pose.translation.w == 0.0 {
            closest = rotate(pose.rotation, surface.closest) + pose.translation.xyz;
            normal = normalize(rotate(pose.rotation, surface.normal));
        }
        var contact: Contact;
        contact.normal = vec4(normal, surface.distance);
        let wall_velocity = pose.linear.xyz + cross(pose.angular.xyz, closest - pose.pivot.xyz);
        contact.velocity = vec4(wall_velocity, wall_lambda(surface.distance));
        contact.impulse = warm_impulse(boundary, surface.face);
        contact.friction = pose.pivot.w;
        contact.boundary = boundary;
        contact.face = surface.face;
        contacts[target_contact + accepted] = contact;
    }
    accepted++;
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
            let solid = program[pose.solids.x + s];
            if solid_distance(solid, local) < params.support {
                solid_walls(b, solid, local, params.support);
            }
        }
    }
}

@compute @workgroup_size(256)
fn sample_boundaries(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var count = 0u;
    var x = vec3(0.0);
    if i < step.count {
        x = position[i].xyz;
        own_tag = tags[i];
        writing = false;
        sample(x);
        count = min(accepted, MAX_SAMPLES);
        if accepted > MAX_SAMPLES {
            atomicAdd(&counters.dropped, accepted - MAX_SAMPLES);
        }
    }
    let scanned = workgroup_scan(thread, count);
    if thread == 0u && scanned.y > 0u {
        first_contact = atomicAdd(&counters.contacts, scanned.y);
    }
    workgroupBarrier();
    let first = first_contact + scanned.x;
    if count == 0u || first + count > params.contact_capacity {
        return;
    }
    target_contact = step.contact_half * params.contact_capacity + first;
    writing = true;
    sample(x);
    var own = found[i];
    own.z = target_contact;
    own.w = own.w | count;
    found[i] = own;
}
