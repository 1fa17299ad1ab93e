// Takes contacts with walls over to the places that new lists have for them.

@group(0) @binding(0) var<storage, read_write> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read> density_state: array<DensityState>;
// Two halves: contacts stay in one as long as lists hold, and go over to the other with new ones.
@group(0) @binding(2) var<storage, read_write> touches: array<WallTouch>;

@compute @workgroup_size(256)
fn carry_walls(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    var own_meta = metadata[i];
    let state = density_state[i];
    if state.y != NEAR_WALLS {
        if own_meta.w != 0u {
            metadata[i] = vec4(own_meta.xy, 0u, 0u);
        }
        return;
    }
    let count = own_meta.w & ~NEAR_WALLS;
    let before = first_touch(1u - step.wall_half, own_meta);
    own_meta.z = state.z;
    own_meta.w = NEAR_WALLS | count;
    let now = first_touch(step.wall_half, own_meta);
    for (var k = 0u; k < count; k++) {
        touches[now + k] = touches[before + k];
    }
    touches[now].owner = i;
    metadata[i] = own_meta;
}
