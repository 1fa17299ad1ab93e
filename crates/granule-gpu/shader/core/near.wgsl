// Flags the particles in a box, whose positions the host needs to find room for new grains.

struct Box {
    center: vec4<f32>,
    half_size: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> metadata: array<Meta>;
@group(0) @binding(2) var<storage, read_write> flags: array<u32>;
@group(0) @binding(3) var<uniform> region: Box;

@compute @workgroup_size(256)
fn flag_near(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count {
        return;
    }
    let offset = abs(nearest_image(position[i].xyz - region.center.xyz));
    let near = all(offset <= region.half_size.xyz) && (metadata[i].y & REMOVED) == 0u;
    flags[i] = select(0u, 1u, near);
}
