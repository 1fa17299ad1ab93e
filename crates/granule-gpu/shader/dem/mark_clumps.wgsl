// Gives up the rigid grains whose centres of mass lie in a region, the first one counting for grains in several: twin of
// World::inside in solver/world.rs.

@group(0) @binding(1) var<storage, read_write> clumps: array<vec4<u32>>;
// First record and number of a region's solids.
@group(0) @binding(2) var<storage, read> regions: array<vec4<u32>>;
// Grains per region; then particles.
@group(0) @binding(3) var<storage, read_write> taken: array<atomic<u32>>;

@compute @workgroup_size(256)
fn mark_clumps(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let k = thread_number(workgroup, thread);
    if k >= clump_room() {
        return;
    }
    let clump = read_clump(k);
    if clump.count == 0u || clump.sound == 0.0 {
        return;
    }
    let x = wrap(position_meters(center_of(clump)));
    for (var r = 0u; r < arrayLength(&regions); r++) {
        var distance = LARGEST;
        for (var s = 0u; s < regions[r].y; s++) {
            distance = min(distance, solid_distance(solid_table[regions[r].x + s], x));
        }
        if distance <= 0.0 {
            give_up_clump(k);
            atomicAdd(&taken[r], 1u);
            atomicAdd(&taken[arrayLength(&regions)], clump.count);
            return;
        }
    }
}
