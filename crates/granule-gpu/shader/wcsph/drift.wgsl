// The first kick and the drift; twin of kick_and_drift in solver/wcsph/kick.rs. Particles are not sorted yet: contacts are
// those of the last step. Leaves behind how far the particles of each block are from where they were listed.

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> acceleration: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> contacts: array<Contact>;
@group(0) @binding(4) var<storage, read> metadata: array<Meta>;
@group(0) @binding(5) var<storage, read> density_state: array<DensityState>;
// Positions when the lists were built, in the same order.
@group(0) @binding(6) var<storage, read> listed: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> partials: array<vec4<f32>>;

// The velocity that a particle drifts with. With bodies it is that already: see half_kick.wgsl and hold_back.wgsl.
fn drift_velocity(i: u32) -> vec3<f32> {
    let v = velocity[i].xyz;
    if BODIES {
        return v;
    }
    let own = density_state[i];
    return hold_back(v + 0.5 * step.dt * acceleration[i].xyz, own.z, contact_count(own));
}

// Square of the way from where a particle was listed; as far as can be for one that is nowhere.
fn way_since_listed(i: u32, x: vec3<f32>) -> f32 {
    let way = nearest_image(x - listed[i].xyz);
    let square = dot(way, way);
    return select(LARGEST, square, square <= LARGEST);
}

@compute @workgroup_size(256)
fn kick_and_drift(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    var way = 0.0;
    if i < step.sort_count {
        if (metadata[i].y & REMOVED) == 0u {
            var x = position[i].xyz;
            if step.progress == KICKS {
                let v = drift_velocity(i);
                x = wrap(x + step.dt * v);
                velocity[i] = vec4(v, velocity[i].w);
                position[i] = vec4(x, position[i].w);
            }
            if step.listed == 1u {
                way = way_since_listed(i, x);
            }
        }
    }
    let farthest = tree_max(thread, vec4(way));
    let block = workgroup_number(workgroup);
    if thread == 0u && block * WORKGROUP < step.sort_count {
        partials[4u * block + 3u] = farthest;
    }
}
