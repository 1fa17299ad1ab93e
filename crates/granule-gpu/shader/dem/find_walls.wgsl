// Finds the particles that walls may touch as long as lists hold, and gives each its place for contacts. Twin of
// Walls::rebuild in solver/dem/walls.rs and in solver/pbd/walls.rs, which differ in wall_reach.

@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> density_state: array<DensityState>;
@group(0) @binding(4) var<storage, read_write> counters: Counters;

fn may_touch(x: vec4<f32>) -> bool {
    let far = max(max(abs(x.x), abs(x.y)), abs(x.z));
    let reach = wall_reach(x.w) + 1e-6 * (far + x.w);
    for (var b = 0u; b < params.boundary_count; b++) {
        let pose = poses[b];
        let local = into_frame(pose, x.xyz);
        if is_beyond(pose, local, reach) {
            continue;
        }
        for (var s = 0u; s < pose.solids.y; s++) {
            let solid = solid_table[pose.solids.x + s];
            // By how much the grid of a mesh may be wrong.
            if !(solid_distance(solid, local) > reach + bitcast<f32>(solid.w)) {
                return true;
            }
        }
    }
    return false;
}

@compute @workgroup_size(256)
fn find_walls(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = thread_number(workgroup, thread);
    if i >= step.count {
        return;
    }
    if may_touch(position[i]) {
        density_state[i].y = NEAR_WALLS;
        density_state[i].z = atomicAdd(&counters.contacts, MOST_TOUCHES);
    }
}
