// Marks particles as removed whose centres lie in a region; a particle in several belongs to the first.
// Those of rigid grains of several go by the centres of these, and those of bodies stay.

@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> metadata: array<Meta>;
// First record and number of a region's solids.
@group(0) @binding(3) var<storage, read> regions: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> taken: array<atomic<u32>>;

@compute @workgroup_size(256)
fn mark_inside(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= arrayLength(&metadata) || i >= step.sort_count {
        return;
    }
    if (metadata[i].y & (REMOVED | OF_GRAIN | OF_BODY)) != 0u {
        return;
    }
    let x = position[i].xyz;
    for (var r = 0u; r < arrayLength(&regions); r++) {
        var distance = LARGEST;
        for (var s = 0u; s < regions[r].y; s++) {
            distance = min(distance, solid_distance(solid_table[regions[r].x + s], x));
        }
        if distance <= 0.0 {
            metadata[i].y |= REMOVED;
            atomicAdd(&taken[r], 1u);
            return;
        }
    }
}
