// The first kick and the drift; twin of kick_and_drift in solver/wcsph/kick.rs. Particles are not sorted yet: contacts are
// those of the last step.

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> velocity: array<vec4<f32>>;
// Accelerations in the first of two records.
@group(0) @binding(2) var<storage, read> stress: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> contacts: array<Contact>;
@group(0) @binding(4) var<storage, read> tags: array<Tag>;

@compute @workgroup_size(256)
fn kick_and_drift(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count || step.kicked != KICKS {
        return;
    }
    let tag = tags[i];
    if (tag.y & REMOVED) != 0u {
        return;
    }
    let first = (1u - step.contact_half) * params.contact_capacity + tag.z;
    let kicked = velocity[i].xyz + 0.5 * step.dt * stress[2u * i].xyz;
    let v = hold_back(kicked, first, tag.w);
    velocity[i] = vec4(v, velocity[i].w);
    position[i] = vec4(wrap(position[i].xyz + step.dt * v), position[i].w);
}
