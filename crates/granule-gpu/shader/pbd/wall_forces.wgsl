// Leaves the forces of contacts with walls behind, where it is not known beforehand which sweep is the last.

@group(0) @binding(0) var<storage, read> metadata: array<Meta>;
@group(0) @binding(1) var<storage, read_write> touches: array<WallTouch>;

@compute @workgroup_size(256)
fn wall_forces(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = thread_number(workgroup, thread);
    if number >= step.near_walls {
        return;
    }
    let first = first_touch_of(number);
    let count = metadata[touches[first].owner].w & ~NEAR_WALLS;
    for (var k = 0u; k < count; k++) {
        touches[first + k].first *= step.inverse_dt;
        touches[first + k].second *= step.inverse_dt;
    }
}
