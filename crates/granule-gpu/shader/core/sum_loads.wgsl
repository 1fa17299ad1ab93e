// Adds up the forces of contacts on bodies: a tree within each block of particles, whole numbers among blocks. Twin of
// WallBlock::add_up_loads.

@group(0) @binding(0) var<storage, read> density_state: array<DensityState>;
@group(0) @binding(1) var<storage, read> contacts: array<Contact>;
@group(0) @binding(2) var<storage, read_write> loads: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> bodies: array<Body>;
@group(0) @binding(4) var<storage, read> position: array<vec4<f32>>;

var<workgroup> least_body: atomic<u32>;
var<workgroup> shared_body: u32;

// Number of the first body from `first` on that a particle touches.
fn next_body(own: DensityState, first: u32) -> u32 {
    var next = NO_BODY;
    for (var k = 0u; k < contact_count(own); k++) {
        let body = contact_body(contacts[own.z + k]);
        if body >= first {
            next = min(next, body);
        }
    }
    return next;
}

// The first body from `first` on that any particle of the block touches.
fn next_body_of_block(thread: u32, own: DensityState, first: u32) -> u32 {
    if thread == 0u {
        atomicStore(&least_body, NO_BODY);
    }
    workgroupBarrier();
    let next = next_body(own, first);
    if next != NO_BODY {
        atomicMin(&least_body, next);
    }
    workgroupBarrier();
    if thread == 0u {
        shared_body = atomicLoad(&least_body);
    }
    return workgroupUniformLoad(&shared_body);
}

// Force of a particle's contacts on a body.
fn force_on(own: DensityState, body: u32) -> vec3<f32> {
    var push = vec3(0.0);
    for (var k = 0u; k < contact_count(own); k++) {
        let contact = contacts[own.z + k];
        if contact_body(contact) == body {
            push += contact.impulse.w * contact.normal.xyz + contact.impulse.xyz;
        }
    }
    return -materials[state_material(own)].mass * push;
}

fn add(at: u32, value: f32) {
    let words = fixed_point(value);
    let before = atomicAdd(&loads[at], words.x);
    let carried = select(0u, 1u, before + words.x < words.x);
    atomicAdd(&loads[at + 1u], words.y + carried);
}

@compute @workgroup_size(256)
fn sum_loads(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var own = vec4(0u);
    var x = vec3(0.0);
    if i < pushing_count() {
        own = density_state[i];
        x = position[i].xyz;
    }
    var first = 0u;
    loop {
        let body = next_body_of_block(thread, own, first);
        if body == NO_BODY {
            break;
        }
        let own_force = force_on(own, body);
        let force = tree_sum(thread, vec4(own_force, 0.0)).xyz;
        let torque = tree_sum(thread, vec4(cross(x - bodies[body].center.xyz, own_force), 0.0)).xyz;
        if thread == 0u {
            let at = LOAD_WORDS * body;
            for (var axis = 0u; axis < 3u; axis++) {
                add(at + 2u * axis, force[axis] / force_scale());
                add(at + 6u + 2u * axis, torque[axis] / torque_scale());
            }
            atomicStore(&loads[at + LOAD_IS_NEW], 1u);
        }
        first = body + 1u;
    }
}
