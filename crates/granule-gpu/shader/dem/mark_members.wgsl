// Marks the spheres of rigid grains that are gone as removed.

@group(0) @binding(0) var<storage, read_write> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read> grains: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> clumps: array<vec4<u32>>;

@compute @workgroup_size(256)
fn mark_members(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.sort_count || grains[i].x == NOBODY {
        return;
    }
    if (metadata[i].y & REMOVED) == 0u && read_clump(grains[i].x).count == 0u {
        metadata[i].y |= REMOVED;
    }
}
